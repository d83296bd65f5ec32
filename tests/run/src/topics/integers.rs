//! Every integer type: arithmetic, division, bits, shifts, overflow.

use crate::case::{cases, traps};

macro_rules! integers {
    ($($kind:ident $wide:ident: $arithmetic:ident $division:ident $bits:ident $shifts:ident $overflow:ident $checked:ident $saturating:ident;)*) => {
        cases! {$(
            fn $arithmetic(a: $kind, b: $kind) -> [$kind; 7] {
                [a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a.wrapping_neg(), a & b, a | b, a ^ b]
            }

            fn $division(a: $kind, b: $kind) -> [Option<$kind>; 6] {
                let plain = if b == 0 { None } else { Some(a.wrapping_div(b).wrapping_add(a.wrapping_rem(b))) };
                [
                    a.checked_div(b), a.checked_rem(b), a.checked_div_euclid(b), a.checked_rem_euclid(b), plain,
                    if b == 0 { None } else { Some(a.wrapping_rem_euclid(b)) },
                ]
            }

            fn $bits(a: $kind) -> ([u32; 5], [$kind; 5]) {
                (
                    [a.count_ones(), a.leading_zeros(), a.trailing_zeros(), a.leading_ones(), a.trailing_ones()],
                    [!a, a.swap_bytes(), a.reverse_bits(), a.to_be(), <$kind>::from_le_bytes(a.to_le_bytes())],
                )
            }

            fn $shifts(a: $kind, by: u32) -> ([$kind; 4], [Option<$kind>; 2], ($kind, bool), ($kind, bool), [$kind; 2]) {
                (
                    [a.wrapping_shl(by), a.wrapping_shr(by), a.rotate_left(by % 200), a.rotate_right(by % 200)],
                    [a.checked_shl(by), a.checked_shr(by)],
                    a.overflowing_shl(by),
                    a.overflowing_shr(by),
                    [a.unbounded_shl(by), a.unbounded_shr(by)],
                )
            }

            fn $overflow(a: $kind, b: $kind) -> [($kind, bool); 4] {
                [a.overflowing_add(b), a.overflowing_sub(b), a.overflowing_mul(b), a.overflowing_neg()]
            }

            fn $checked(a: $kind, b: $kind) -> ([Option<$kind>; 4], $wide) {
                ([a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.checked_neg()], a.abs_diff(b))
            }

            fn $saturating(a: $kind, b: $kind, power: u32) -> [$kind; 5] {
                [
                    a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b), a.wrapping_pow(power & 15),
                    a.saturating_pow(power & 7),
                ]
            }
        )*

            fn abs(a: i8, b: i32, c: i64, d: i128) -> ([Option<i32>; 2], (i8, i64, i128), [i32; 2], (bool, bool)) {
                (
                    [b.checked_abs(), b.checked_neg()],
                    (a.wrapping_abs(), c.signum(), d.wrapping_abs()),
                    [b.signum(), b.saturating_abs()],
                    (a.is_negative(), d.is_positive()),
                )
            }

            fn mixed_signs(a: u32, b: i32) -> ([u32; 2], [Option<u32>; 2], (u32, bool)) {
                (
                    [a.wrapping_add_signed(b), a.saturating_add_signed(b)],
                    [a.checked_add_signed(b), a.checked_next_power_of_two()],
                    a.overflowing_add_signed(b),
                )
            }

            fn roots(a: u64, b: u32, c: u128) -> (u64, u32, Option<u32>, Option<u32>) {
                (a.isqrt(), b.isqrt(), b.checked_ilog2(), c.checked_ilog10())
            }

            fn midpoint(a: u64, b: u64) -> (u64, u64, Option<u64>) {
                (a.midpoint(b), a.div_ceil(b | 1), a.checked_next_multiple_of(b))
            }

            /// Four limbs with borrow, as in numbers of any length.
            fn limbs(a: [u32; 4], b: [u32; 4]) -> ([u32; 4], bool) {
                let mut difference = [0; 4];
                let mut borrow = false;
                for i in 0..4 {
                    let (first, under) = a[i].overflowing_sub(b[i]);
                    let (second, again) = first.overflowing_sub(borrow as u32);
                    difference[i] = second;
                    borrow = under | again;
                }
                (difference, borrow)
            }

            fn wide_product(a: u64, b: u64) -> (u64, u64) {
                let product = a as u128 * b as u128;
                (product as u64, (product >> 64) as u64)
            }

            fn greatest_common_divisor(a: u64, b: u64) -> u64 {
                let (mut a, mut b) = (a, b);
                while b != 0 {
                    (a, b) = (b, a % b);
                }
                a
            }
        }
    };
}

integers! {
    u8 u8: arithmetic_u8 division_u8 bits_u8 shifts_u8 overflow_u8 checked_u8 saturating_u8;
    u16 u16: arithmetic_u16 division_u16 bits_u16 shifts_u16 overflow_u16 checked_u16 saturating_u16;
    u32 u32: arithmetic_u32 division_u32 bits_u32 shifts_u32 overflow_u32 checked_u32 saturating_u32;
    u64 u64: arithmetic_u64 division_u64 bits_u64 shifts_u64 overflow_u64 checked_u64 saturating_u64;
    u128 u128: arithmetic_u128 division_u128 bits_u128 shifts_u128 overflow_u128 checked_u128 saturating_u128;
    usize usize: arithmetic_usize division_usize bits_usize shifts_usize overflow_usize checked_usize saturating_usize;
    i8 u8: arithmetic_i8 division_i8 bits_i8 shifts_i8 overflow_i8 checked_i8 saturating_i8;
    i16 u16: arithmetic_i16 division_i16 bits_i16 shifts_i16 overflow_i16 checked_i16 saturating_i16;
    i32 u32: arithmetic_i32 division_i32 bits_i32 shifts_i32 overflow_i32 checked_i32 saturating_i32;
    i64 u64: arithmetic_i64 division_i64 bits_i64 shifts_i64 overflow_i64 checked_i64 saturating_i64;
    i128 u128: arithmetic_i128 division_i128 bits_i128 shifts_i128 overflow_i128 checked_i128 saturating_i128;
    isize usize: arithmetic_isize division_isize bits_isize shifts_isize overflow_isize checked_isize saturating_isize;
}

traps! {
    fn divide(a: i32, b: i32) -> i32 { a / b } [(7, 2), (7, 0), (i32::MIN, -1), (i32::MIN, 1)]

    fn divide_unsigned(a: u64, b: u64) -> u64 { a / b } [(7, 2), (u64::MAX, 0)]

    fn remainder(a: i64, b: i64) -> i64 { a % b } [(-7, 2), (1, 0), (i64::MIN, -1)]

    fn remainder_wide(a: u128, b: u128) -> u128 { a % b } [(u128::MAX, 10), (1, 0)]

    fn divide_euclid(a: i8, b: i8) -> i8 { a.div_euclid(b) } [(-7, 2), (-128, -1)]
}
