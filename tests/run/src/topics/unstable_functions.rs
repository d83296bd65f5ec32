//! Functions of numbers that are not stable yet: funnel shifts, exact division and shifts, wide products, NaN that spreads.

use crate::case::{cases, traps};

macro_rules! unsigned {
    ($($kind:ident: $funnel:ident $exact:ident $wide:ident $bits:ident;)*) => {
        cases! {$(
            fn $funnel(a: $kind, b: $kind, n: u32) -> [$kind; 4] {
                let n = n % $kind::BITS;
                // SAFETY: less than the width.
                let unchecked = unsafe { [a.unchecked_funnel_shl(b, n), a.unchecked_funnel_shr(b, n)] };
                [a.funnel_shl(b, n), a.funnel_shr(b, n), unchecked[0], unchecked[1]]
            }

            fn $exact(a: $kind, b: $kind, n: u32) -> ([Option<$kind>; 4], $kind) {
                let (by, n) = (b | 1, n % $kind::BITS);
                let product = (a >> ($kind::BITS / 2)) * (by >> ($kind::BITS / 2) | 1);
                // SAFETY: a product is divided by one of its factors.
                let factor = unsafe { product.unchecked_div_exact(by >> ($kind::BITS / 2) | 1) };
                ([a.checked_div_exact(by), product.div_exact(by), a.shl_exact(n), a.shr_exact(n)], factor)
            }

            fn $wide(a: $kind, b: $kind, carry: bool) -> ([($kind, $kind); 3], [($kind, bool); 2]) {
                ([a.widening_mul(b), a.carrying_mul(b, a), a.carrying_mul_add(b, b, a)], [a.carrying_add(b, carry), a.borrowing_sub(b, carry)])
            }

            fn $bits(a: $kind, b: $kind) -> ([$kind; 6], [Option<u32>; 2], u32) {
                (
                    [
                        a.isolate_highest_one(), a.isolate_lowest_one(), a.extract_bits(b), a.deposit_bits(b), a.midpoint(b), a.isqrt(),
                    ],
                    [a.highest_one(), a.lowest_one()],
                    a.bit_width(),
                )
            }
        )*

            fn signed_exactly(a: i32, b: i64, c: i32) -> ([Option<i32>; 2], Option<i64>, [i32; 2]) {
                let by = c | 1;
                let both = (a.midpoint(c), a.checked_isqrt().unwrap_or(-1));
                ([if by == -1 { None } else { a.checked_div_exact(by) }, a.shl_exact(3)], b.checked_div_exact(7), [both.0, both.1])
            }

            fn signed_carry(a: i16, b: i64, carry: bool) -> [(i64, bool); 2] {
                [b.carrying_add(a.into(), carry), b.borrowing_sub(a.into(), carry)]
            }

            fn spreading_nan_f16(a: f16, b: f16) -> [f16; 2] {
                [a.minimum(b), a.maximum(b)]
            }

            fn spreading_nan_f32(a: f32, b: f32) -> [f32; 3] {
                [a.minimum(b), a.maximum(b), a.midpoint(b)]
            }

            fn spreading_nan_f64(a: f64, b: f64) -> [f64; 3] {
                [a.minimum(b), a.maximum(b), a.midpoint(b)]
            }
        }
    };
}

unsigned! {
    u8: funnel_u8 exact_u8 wide_u8 spread_u8;
    u16: funnel_u16 exact_u16 wide_u16 spread_u16;
    u32: funnel_u32 exact_u32 wide_u32 spread_u32;
    u64: funnel_u64 exact_u64 wide_u64 spread_u64;
    u128: funnel_u128 exact_u128 wide_u128 spread_u128;
    usize: funnel_usize exact_usize wide_usize spread_usize;
}

traps! {
    fn funnel_too_far(a: u32, n: u32) -> u32 { a.funnel_shl(1, n) } [(5, 31), (5, 32)]

    fn exactly_by_nothing(a: u32, b: u32) -> Option<u32> { a.div_exact(b) } [(6, 3), (6, 0)]
}
