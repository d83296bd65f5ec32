//! `as` between numbers, truth values, characters and pointers.

use crate::case::{cases, traps};

macro_rules! casts {
    ($($kind:ident: $to_integers:ident $to_floats:ident;)*; $($float:ident: $from_float:ident;)*) => {
        cases! {
            $(
                fn $to_integers(a: $kind) -> (u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize) {
                    (
                        a as u8, a as u16, a as u32, a as u64, a as u128, a as usize, a as i8, a as i16, a as i32, a as i64, a as i128,
                        a as isize,
                    )
                }

                fn $to_floats(a: $kind) -> (f32, f64) {
                    (a as f32, a as f64)
                }
            )*
            $(
                /// Saturating; NaN is 0.
                fn $from_float(a: $float) -> (u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize) {
                    (
                        a as u8, a as u16, a as u32, a as u64, a as u128, a as usize, a as i8, a as i16, a as i32, a as i64, a as i128,
                        a as isize,
                    )
                }
            )*

            fn unchecked(a: f64, b: f32) -> (i32, u64, usize) {
                let (a, b) = (if a.abs() < 1e9 { a } else { 5.5 }, if b >= 0.0 && b < 1e18 { b } else { 7.25 });
                // SAFETY: both fit.
                unsafe { (a.to_int_unchecked(), b.to_int_unchecked(), std::mem::align_of_val(std::hint::black_box(&a))) }
            }

            fn booleans(a: bool, b: bool) -> (u8, i8, u32, i64, u128, [bool; 5]) {
                (a as u8, a as i8, b as u32, b as i64, a as u128, [a & b, a | b, a ^ b, !a, a < b])
            }

            fn comparisons(a: i32, b: i32) -> (i64, u64, i32) {
                ((a < b) as i64, ((a == b) as u64).wrapping_neg(), (a > b) as i32 - (a < b) as i32)
            }

            fn character_codes(a: char, b: u8) -> (u32, u8, u64, char, Option<char>) {
                (a as u32, a as u8, a as u64, b as char, char::from_u32(a as u32 ^ 0xd800))
            }

            fn character_kinds(a: char) -> ([bool; 7], char, Option<u32>, usize) {
                (
                    [
                        a.is_ascii_digit(), a.is_ascii_alphabetic(), a.is_ascii_uppercase(), a.is_ascii_whitespace(), a.is_ascii(),
                        a.is_ascii_hexdigit(), a.is_control(),
                    ],
                    a.to_ascii_uppercase(),
                    a.to_digit(16),
                    a.len_utf8(),
                )
            }

            fn conversions(a: u8, b: i64, c: u32) -> (u64, Option<u8>, Option<u32>, Option<i8>, Option<char>) {
                (u64::from(a), u8::try_from(b).ok(), u32::try_from(b).ok(), i8::try_from(c).ok(), char::try_from(c).ok())
            }

            #[allow(unnecessary_transmutes)]
            fn transmutes(a: u32, b: u64) -> (f32, [u8; 4], [u16; 2], f64, (u32, u32)) {
                // SAFETY: types of one size, all of whose bits are free.
                unsafe {
                    (
                        f32::from_bits(a),
                        std::mem::transmute::<u32, [u8; 4]>(a),
                        std::mem::transmute::<u32, [u16; 2]>(a),
                        std::mem::transmute::<u64, f64>(b),
                        (std::mem::transmute::<[u8; 4], u32>(a.to_be_bytes()), std::mem::transmute::<char, u32>('ß')),
                    )
                }
            }

            fn truth_bytes(a: bool) -> ([u8; 2], bool) {
                // SAFETY: 0 and 1 are truth values.
                unsafe { (std::mem::transmute::<[bool; 2], [u8; 2]>([a, !a]), std::mem::transmute::<u8, bool>(a as u8)) }
            }

            fn number_to_address(a: u64) -> (u64, bool, u64) {
                let pointer = a as usize as *const u32;
                (pointer as u64, pointer.is_null(), pointer.wrapping_add(3).wrapping_sub(1) as u64)
            }

            fn field_less(a: u8) -> (i32, u8, i8) {
                #[derive(Clone, Copy)]
                enum Sign {
                    Minus = -5,
                    Zero = 0,
                    Plus = 100,
                }
                let sign = match a % 3 {
                    0 => Sign::Minus,
                    1 => Sign::Zero,
                    _ => Sign::Plus,
                };
                (sign as i32, sign as u8, sign as i8)
            }
        }
    };
}

casts! {
    u8: u8_to_integers u8_to_floats;
    u16: u16_to_integers u16_to_floats;
    u32: u32_to_integers u32_to_floats;
    u64: u64_to_integers u64_to_floats;
    usize: usize_to_integers usize_to_floats;
    u128: u128_to_integers u128_to_floats;
    i128: i128_to_integers i128_to_floats;
    i8: i8_to_integers i8_to_floats;
    i16: i16_to_integers i16_to_floats;
    i32: i32_to_integers i32_to_floats;
    i64: i64_to_integers i64_to_floats;
    isize: isize_to_integers isize_to_floats;
    ;
    f32: f32_to_integers;
    f64: f64_to_integers;
}

traps! {}
