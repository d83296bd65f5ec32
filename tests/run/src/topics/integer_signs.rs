//! Functions of signed or of unsigned integers only, and between the two.

use meaning::{cases, traps};

macro_rules! pairs {
    ($($signed:ident $unsigned:ident: $absolute:ident $mixed:ident $multiples:ident $carries:ident $between:ident;)*) => {
        cases! {$(
            fn $absolute(a: $signed, b: $signed) -> ([$unsigned; 2], [Option<$signed>; 2], [$signed; 3], ($signed, bool), [bool; 2]) {
                (
                    [a.unsigned_abs(), a.abs_diff(b)],
                    [a.checked_abs(), a.checked_isqrt()],
                    [a.wrapping_abs(), a.saturating_abs(), a.signum()],
                    a.overflowing_abs(),
                    [a.is_negative(), a.is_positive()],
                )
            }

            fn $mixed(a: $unsigned, b: $signed) -> ([Option<$unsigned>; 3], [$unsigned; 3], [Option<$signed>; 2], [$signed; 2]) {
                (
                    [a.checked_add_signed(b), a.checked_sub_signed(b), a.checked_sub(b as $unsigned)],
                    [a.wrapping_add_signed(b), a.saturating_add_signed(b), a.saturating_sub_signed(b)],
                    [b.checked_add_unsigned(a), b.checked_sub_unsigned(a)],
                    [b.saturating_add_unsigned(a), b.wrapping_sub_unsigned(a)],
                )
            }

            fn $multiples(a: $unsigned, b: $unsigned) -> ([Option<$unsigned>; 2], [bool; 2], [$unsigned; 2], Option<$signed>) {
                let by = if b == 0 { 1 } else { b };
                (
                    [a.checked_next_power_of_two(), a.checked_next_multiple_of(b)], [a.is_power_of_two(), a.is_multiple_of(b)],
                    [a.div_ceil(by), a.isqrt()], a.checked_signed_diff(b),
                )
            }

            fn $carries(a: $unsigned, b: $unsigned, carry: bool) -> ([($unsigned, bool); 2], [($unsigned, $unsigned); 2]) {
                ([a.carrying_add(b, carry), a.borrowing_sub(b, carry)], [a.carrying_mul(b, 7), a.carrying_mul_add(b, 3, a)])
            }

            fn $between(a: $unsigned, b: $signed) -> ($signed, $unsigned, Option<$signed>, Option<$unsigned>) {
                (a.cast_signed(), b.cast_unsigned(), $signed::try_from(a).ok(), $unsigned::try_from(b).ok())
            }
        )*}
    };
}

pairs! {
    i32 u32: absolute_32 mixed_32 multiples_32 carries_32 between_32;
    i128 u128: absolute_128 mixed_128 multiples_128 carries_128 between_128;
}

traps! {
    fn strict_sum(a: u8, b: u8) -> u8 { a.strict_add(b) } [(200, 55), (200, 56)]

    fn strict_negation(a: i32) -> i32 { a.strict_neg() } [(5,), (i32::MIN,)]

    fn strict_shift(a: u32, by: u32) -> u32 { a.strict_shl(by) } [(1, 31), (1, 32)]

    fn power_of_two_too_large(a: u8) -> u8 { a.next_power_of_two() } [(128,), (5,)]
}
