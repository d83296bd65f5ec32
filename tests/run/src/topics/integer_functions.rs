//! Functions of the integer types beyond plain arithmetic: Euclid, roots, logarithms, powers, bytes, texts.

use meaning::{cases, traps};

macro_rules! every {
    ($($kind:ident: $euclid:ident $powers:ident $logs:ident $bytes:ident $texts:ident;)*) => {
        cases! {$(
            fn $euclid(a: $kind, b: $kind) -> ([Option<$kind>; 4], ($kind, bool), ($kind, bool)) {
                let by = if b == 0 { 3 } else { b };
                (
                    [
                        a.checked_div_euclid(b), a.checked_rem_euclid(b), Some(a.wrapping_div_euclid(by)), Some(a.wrapping_rem_euclid(by)),
                    ],
                    a.overflowing_div(by),
                    a.overflowing_rem_euclid(by),
                )
            }

            fn $powers(a: $kind, exponent: u32) -> (Option<$kind>, $kind, $kind, ($kind, bool)) {
                let exponent = exponent % 70;
                (a.checked_pow(exponent), a.wrapping_pow(exponent), a.saturating_pow(exponent), a.overflowing_pow(exponent))
            }

            fn $logs(a: $kind, base: $kind) -> [Option<u32>; 3] {
                [a.checked_ilog2(), a.checked_ilog10(), a.checked_ilog(base)]
            }

            fn $bytes(a: $kind) -> ([$kind; 6], u32) {
                let (little, big, native) = (a.to_le_bytes(), a.to_be_bytes(), a.to_ne_bytes());
                let sum = little.iter().fold(0, |sum: u32, &byte| sum.wrapping_mul(257) ^ byte as u32);
                (
                    [
                        <$kind>::from_le_bytes(big), <$kind>::from_be_bytes(big), <$kind>::from_ne_bytes(native), a.to_le(),
                        <$kind>::from_be(a), <$kind>::from_le(a),
                    ],
                    sum,
                )
            }

            fn $texts(which: u8, radix: u32) -> (Option<$kind>, Option<$kind>, u8) {
                use std::num::IntErrorKind;
                const TEXTS: [&str; 14] = [
                    "0", "127", "-128", "255", "+7", "-", "", "99999999999999999999999999999999999999999", "12a", "-0", "7f", "ZZ", " 1",
                    "00000000000000000000000000000000000000000000000001",
                ];
                let text = TEXTS[which as usize % 14];
                let kind = match text.parse::<$kind>().map_err(|error| *error.kind()) {
                    Ok(_) => 0,
                    Err(IntErrorKind::Empty) => 1,
                    Err(IntErrorKind::InvalidDigit) => 2,
                    Err(IntErrorKind::PosOverflow) => 3,
                    Err(IntErrorKind::NegOverflow) => 4,
                    Err(_) => 5,
                };
                (text.parse().ok(), <$kind>::from_str_radix(text, radix % 35 + 2).ok(), kind)
            }
        )*}
    };
}

every! {
    u32: euclid_u32 powers_u32 logs_u32 bytes_u32 texts_u32;
    u128: euclid_u128 powers_u128 logs_u128 bytes_u128 texts_u128;
    i8: euclid_i8 powers_i8 logs_i8 bytes_i8 texts_i8;
    i64: euclid_i64 powers_i64 logs_i64 bytes_i64 texts_i64;
}

traps! {
    fn logarithm_of_nothing(a: u32) -> u32 { a.ilog2() } [(1,), (0,)]

    fn logarithm_of_negative(a: i64) -> u32 { a.ilog10() } [(100,), (-1,), (0,)]

    fn logarithm_to_base_one(a: u32, base: u32) -> u32 { a.ilog(base) } [(9, 3), (9, 1)]

    fn root_of_negative(a: i32) -> i32 { a.isqrt() } [(17,), (-1,)]

    fn remainder_euclid(a: i32, b: i32) -> i32 { a.rem_euclid(b) } [(-7, 3), (7, 0), (i32::MIN, -1)]

    fn ceiling_division(a: u32, b: u32) -> u32 { a.div_ceil(b) } [(7, 2), (7, 0)]

    fn next_multiple(a: u64, b: u64) -> u64 { a.next_multiple_of(b) } [(7, 5), (7, 0)]

    fn divide_widest(a: i128, b: i128) -> i128 { a / b } [(-7, 2), (i128::MIN, -1), (5, 0)]

    fn remainder_widest(a: i128, b: i128) -> i128 { a % b } [(-7, 2), (i128::MIN, -1), (5, 0)]

    fn wrapping_division(a: i8, b: i8) -> i8 { a.wrapping_div(b) } [(-128, -1), (5, 0)]

    fn radix_too_large(radix: u32) -> u32 { u32::from_str_radix("10", radix).unwrap_or(7) } [(36,), (37,), (1,)]

    fn parse_badly(which: usize) -> i16 { ["12", "-32768", "32768", "x"][which].parse().unwrap() } [(0,), (1,), (2,), (3,)]
}
