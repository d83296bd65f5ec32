//! More functions of floats: signs of zero, NaN, ties, neighbours, and conversions of every kind.

use std::num::FpCategory;

use meaning::{cases, traps};

macro_rules! floats {
    ($($kind:ident $bits:ident: $zeros:ident $ties:ident $bounded:ident $ordered:ident $neighbours:ident $angles:ident $lossless:ident
        $classes:ident $patterns:ident $arrays:ident $bytes:ident $halfway:ident $text:ident $powers:ident;)*) => {
        cases! {$(
            fn $zeros(a: $kind, b: $kind) -> ([bool; 4], [$bits; 3]) {
                let sign = |value: $kind| if value.is_nan() { 9 } else { value.to_bits() };
                ([a.is_sign_negative() && !a.is_nan(), a == -a, 1.0 / a == 1.0 / b, a + b == 0.0], [sign(a * 0.0), sign(-a), sign(a - a)])
            }

            fn $ties(a: $kind) -> [$kind; 6] {
                [a.round(), a.round_ties_even(), (a + 0.5).floor(), (a - 0.5).ceil(), a.trunc(), a - a.trunc()]
            }

            fn $bounded(a: $kind, low: $kind, high: $kind) -> ([$kind; 3], bool) {
                let (low, high) = if low <= high { (low, high) } else { (-1.0, 1.0) };
                ([a.clamp(low, high), a.max(low).min(high) + 0.0, a.min(high).max(low) + 0.0], (low..=high).contains(&a))
            }

            fn $ordered(values: [$kind; 4]) -> ([u8; 4], bool) {
                let mut order = [0u8, 1, 2, 3];
                // NaN has a place of its own, whatever its sign.
                let key = |i: &u8| if values[*i as usize].is_nan() { $kind::NAN.abs() } else { values[*i as usize] };
                for end in (1..4).rev() {
                    for i in 0..end {
                        if key(&order[i]).total_cmp(&key(&order[i + 1])).is_gt() {
                            order.swap(i, i + 1);
                        }
                    }
                }
                (order, values.is_sorted_by(|a, b| a <= b))
            }

            fn $neighbours(a: $kind) -> ([$kind; 4], bool) {
                ([a.next_up(), a.next_down(), a.next_up().next_down(), $kind::from_bits(a.abs().to_bits() ^ 1)], a.next_up() > a)
            }

            /// Constant exponents are multiplications, in the order of the host's.
            fn $powers(a: $kind) -> ([$kind; 7], [$kind; 4], $kind) {
                const NAMED: i32 = -7;
                let small = [a.powi(0), a.powi(1), a.powi(2), a.powi(3), a.powi(5), a.powi(13), a.powi(16)];
                (small, [a.powi(-1), a.powi(-2), a.powi(NAMED), a.powi(-16)], a.powi(1000))
            }

            fn $angles(a: $kind) -> [$kind; 4] {
                [a.to_degrees(), a.to_radians(), a.recip(), a.abs().sqrt()]
            }

            fn $lossless(a: i16, b: u8, c: bool, d: i8) -> [$kind; 4] {
                [a.into(), $kind::from(b), $kind::from(c), d.into()]
            }

            fn $classes(a: $kind) -> ([bool; 6], u8) {
                let class = match a.classify() {
                    FpCategory::Nan => 1,
                    FpCategory::Infinite => 2,
                    FpCategory::Zero | FpCategory::Subnormal => 3,
                    FpCategory::Normal => 4,
                };
                ([a.is_nan(), a.is_finite(), a.is_infinite(), a.is_subnormal(), a.is_normal(), a.is_sign_positive() || a.is_nan()], class)
            }

            fn $patterns(a: $kind) -> u8 {
                match a {
                    0.0 => 1,
                    1.0 | 1.5 => 2,
                    $kind::INFINITY => 3,
                    x if x.is_nan() => 4,
                    ..0.0 => 5,
                    2.0..100.0 => 6,
                    _ => 7,
                }
            }

            fn $arrays(values: [$kind; 4], by: $kind) -> ([$kind; 4], $kind, $kind) {
                let scaled = values.map(|value| value * by);
                let length = values.iter().map(|value| value * value).sum::<$kind>().sqrt();
                let horner = values.iter().rev().fold(0.0, |sum, value| sum * by + value);
                (scaled, length, horner)
            }

            fn $bytes(a: $kind) -> ([u8; size_of::<$kind>()], bool, $bits) {
                let a = if a.is_nan() { 2.5 } else { a };
                (a.to_be_bytes(), $kind::from_le_bytes(a.to_le_bytes()) == a, a.to_bits().rotate_left(1))
            }

            fn $halfway(a: $kind, b: $kind) -> [$kind; 3] {
                [a.midpoint(b), a.maximum_or(b), (a - b).abs()]
            }

            fn $text(which: u8) -> [$kind; 2] {
                const TABLE: [[$kind; 2]; 6] = [
                    [$kind::MAX, $kind::MIN], [$kind::EPSILON, -0.0], [1e-3, 123.456e7], [1.0 / 3.0, $kind::MIN_POSITIVE / 4.0],
                    [$kind::NAN, $kind::NEG_INFINITY], [0.1 + 0.2, 2.0 / 3.0],
                ];
                TABLE[which as usize % 6]
            }
        )*

            fn widths(a: f32, b: f64) -> ([f64; 2], [f32; 3]) {
                ([a as f64, f64::from(a) * b], [b as f32, (b as f32).abs(), (a as f64 + b) as f32])
            }

            fn whole_numbers_between(a: f64, b: f32) -> ([i64; 3], [u8; 2], [i8; 2]) {
                ([a as i64, a.round() as i64, b.floor() as i64], [a as u8, b as u8], [a as i8, (b * 2.0) as i8])
            }

            fn unchecked_conversions(a: f32, b: f64) -> (i8, u32, i64, u128) {
                let (a, b) = (if a > -100.0 && a < 100.0 { a } else { 1.5 }, if b >= 0.0 && b < 1e18 { b } else { 2.5 });
                // SAFETY: in range.
                unsafe { (a.to_int_unchecked(), b.min(1e9).to_int_unchecked(), b.to_int_unchecked(), b.to_int_unchecked()) }
            }

            fn rounded_to_integers(a: u64, b: i128, c: u128) -> ([f32; 3], [f64; 3], bool) {
                ([a as f32, b as f32, c as f32], [a as f64, b as f64, c as f64], (a as f64) as u64 == a)
            }
        }
    };
}

trait MaximumOr {
    fn maximum_or(self, other: Self) -> Self;
}

impl MaximumOr for f32 {
    fn maximum_or(self, other: f32) -> f32 {
        if self > other { self } else { other }
    }
}

impl MaximumOr for f64 {
    fn maximum_or(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }
}

floats! {
    f32 u32: zeros_f32 ties_f32 bounded_f32 ordered_f32 neighbours_f32 angles_f32 lossless_f32 classes_f32 patterns_f32 arrays_f32 bytes_f32
        halfway_f32 table_f32 powers_f32;
    f64 u64: zeros_f64 ties_f64 bounded_f64 ordered_f64 neighbours_f64 angles_f64 lossless_f64 classes_f64 patterns_f64 arrays_f64 bytes_f64
        halfway_f64 table_f64 powers_f64;
}

traps! {
    fn index_from_a_float(a: f32) -> u8 { [1, 2, 3][a as usize] } [(2.9,), (-5.0,), (f32::NAN,), (3.0,), (f32::INFINITY,)]
}
