//! Numbers that no register holds: uint, ethnum, ruint and crypto-bigint.

use core::cmp::Ordering;

use crypto_bigint::{Limb, U256 as Constant256, modular::ConstMontyForm};
use ethnum::{I256, U256};
use meaning::case::{cases, traps};
use ruint::{Uint, aliases::U192, uint};

#[allow(clippy::all, clippy::pedantic, unused)]
mod words {
    uint::construct_uint! {
        pub struct U320(5);
    }
}
use words::U320;

fn words_of(a: [u64; 5]) -> U320 {
    U320(a)
}

crypto_bigint::const_monty_params!(Field, Constant256, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");

cases! {
    fn uint_arithmetic(a: [u64; 5], b: [u64; 5]) -> ([u64; 5], [u64; 5], ([u64; 5], bool), Ordering) {
        let (a, b) = (words_of(a), words_of(b));
        (a.overflowing_add(b).0.0, a.overflowing_mul(b).0.0, (a.overflowing_sub(b).0.0, a.overflowing_sub(b).1), a.cmp(&b))
    }

    fn uint_division(a: [u64; 5], b: [u64; 2]) -> ([u64; 5], [u64; 5]) {
        let (a, b) = (words_of(a), words_of([b[0] | 1, b[1], 0, 0, 0]));
        let (quotient, remainder) = a.div_mod(b);
        (quotient.0, remainder.0)
    }

    fn uint_bits(a: [u64; 5], by: u16) -> ([u64; 5], [u64; 5], usize, u32, bool) {
        let a = words_of(a);
        ((a << (by as usize % 320)).0, (a >> (by as usize % 320)).0, a.bits(), a.leading_zeros(), a.bit(by as usize % 320))
    }

    fn uint_roots(a: [u64; 5], n: u8) -> ([u64; 5], [u64; 5], Option<u8>) {
        let a = words_of(a);
        (a.integer_sqrt().0, a.overflowing_pow(U320::from(n % 6)).0.0, u8::try_from(a % U320::from(300)).ok())
    }

    fn ethnum_arithmetic(a: u128, b: u128, c: u8) -> ((u128, u128), (u128, u128), (u128, u128), u32) {
        let (a, b) = (U256::from_words(a, b), U256::from_words(b, a));
        let power = U256::from(c).wrapping_pow(13);
        (a.wrapping_mul(b).into_words(), (a ^ power).into_words(), a.wrapping_sub(b).rotate_left(9).into_words(), a.count_ones())
    }

    fn ethnum_signed(a: i128, b: i64) -> ((i128, i128), (i128, i128), (i128, i128), bool) {
        let (a, b) = (I256::from_words(a, a), I256::from(b | 1));
        (a.wrapping_div(b).into_words(), a.wrapping_rem(b).into_words(), (a >> 77u32).into_words(), a.is_negative())
    }

    fn ethnum_checked(a: u128, b: u128) -> (Option<u128>, bool, Ordering, f64) {
        let (a, b) = (U256::from(a), U256::from(b));
        let product = a.checked_mul(b).and_then(|product| product.checked_shl(3)).map(|product| product.into_words().1);
        (product, a.overflowing_sub(b).1, a.cmp(&b), a.as_f64())
    }

    fn ruint_arithmetic(a: [u64; 3], b: [u64; 3], by: u8) -> ([u64; 3], [u64; 3], ([u64; 3], bool), Option<[u64; 3]>) {
        let (a, b) = (U192::from_limbs(a), U192::from_limbs(b));
        let (sum, carried) = a.overflowing_add(b);
        (
            a.wrapping_mul(b).into_limbs(),
            (a ^ b).rotate_left(by as usize).into_limbs(),
            (sum.into_limbs(), carried),
            a.checked_pow(uint!(2_U192)).map(Uint::into_limbs),
        )
    }

    fn ruint_odd_width(a: u64, b: u32) -> (u64, u64, usize, u64) {
        let (a, b) = (Uint::<60, 1>::wrapping_from(a), Uint::<60, 1>::from(b));
        (a.wrapping_add(b).to::<u64>(), a.saturating_mul(b).to::<u64>(), a.leading_zeros(), a.pow(uint!(3_U60)).to())
    }

    fn ruint_bytes(a: [u8; 24]) -> ([u8; 24], u64, [u64; 3]) {
        let a = U192::from_be_bytes(a);
        (a.to_le_bytes(), (a * uint!(1000000007_U192)).wrapping_to(), a.reverse_bits().into_limbs())
    }

    fn constant_time(a: [u64; 4], b: [u64; 4], by: u8) -> ([u64; 4], ([u64; 4], u64), [u64; 4], Ordering) {
        let (a, b) = (Constant256::from_words(a), Constant256::from_words(b));
        let (sum, carry) = a.carrying_add(&b, Limb::ONE);
        (a.wrapping_sub(&b).to_words(), (sum.to_words(), carry.0), a.wrapping_shl(by as u32).bitxor(&b).to_words(), a.cmp_vartime(&b))
    }

    fn montgomery(a: [u64; 4], b: [u64; 4]) -> ([u64; 4], [u64; 4]) {
        type Element = ConstMontyForm<Field, { Constant256::LIMBS }>;
        let (a, b) = (Element::new(&Constant256::from_words(a)), Element::new(&Constant256::from_words(b)));
        ((a * b + a).retrieve().to_words(), a.neg().retrieve().to_words())
    }
}

traps! {
    fn wide_division(a: u64, b: u64) -> [u64; 5] { (U320::from(a) / U320::from(b)).0 } [(99, 10), (99, 0)]
}
