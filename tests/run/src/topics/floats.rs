//! Floats: arithmetic, comparison with NaN, rounding, bits.

use std::num::FpCategory;

use crate::case::{cases, traps};

fn category(of: FpCategory) -> u8 {
    match of {
        FpCategory::Nan => 0,
        FpCategory::Infinite => 1,
        FpCategory::Zero => 2,
        FpCategory::Subnormal => 3,
        FpCategory::Normal => 4,
    }
}

macro_rules! floats {
    ($($kind:ident: $arithmetic:ident $remainder:ident $fused:ident $compare:ident $extremes:ident $clamp:ident $rounding:ident $signs:ident $bits:ident $sum:ident $constants:ident;)*) => {
        cases! {$(
            fn $arithmetic(a: $kind, b: $kind) -> [$kind; 6] {
                [a + b, a - b, a * b, a / b, -a, a * b + a]
            }

            fn $remainder(a: $kind, b: $kind) -> [$kind; 3] {
                [a % b, a.rem_euclid(b), a.div_euclid(b)]
            }

            fn $fused(a: $kind, b: $kind, c: $kind) -> $kind {
                a.mul_add(b, c)
            }

            fn $compare(a: $kind, b: $kind) -> ([bool; 6], Option<std::cmp::Ordering>, std::cmp::Ordering, bool) {
                ([a < b, a <= b, a == b, a != b, a > b, a >= b], a.partial_cmp(&b), a.total_cmp(&b), !(a < b))
            }

            /// Which zero is the smaller one is left open, so zeros lose their sign.
            fn $extremes(a: $kind, b: $kind) -> [$kind; 2] {
                [a.min(b) + 0.0, a.max(b) + 0.0]
            }

            fn $clamp(a: $kind) -> [$kind; 2] {
                [a.clamp(-1.0, 2.5), a.recip()]
            }

            fn $rounding(a: $kind) -> [$kind; 8] {
                [a.floor(), a.ceil(), a.trunc(), a.round(), a.round_ties_even(), a.fract(), a.sqrt(), a.abs()]
            }

            fn $signs(a: $kind, b: $kind) -> ([$kind; 2], [bool; 2]) {
                let sign = if a.is_nan() { (false, false) } else { (a.is_sign_negative(), a.is_sign_positive()) };
                ([a.copysign(if b.is_nan() { 1.0 } else { b }), a.signum()], [sign.0, sign.1])
            }

            fn $bits(a: $kind) -> ([bool; 4], u8, [$kind; 3]) {
                let turned = $kind::from_bits(a.abs().to_bits());
                ([a.is_nan(), a.is_infinite(), a.is_finite(), a.is_normal()], category(a.classify()), [turned, a.next_up(), a.next_down()])
            }

            fn $sum(values: [$kind; 6]) -> [$kind; 4] {
                let product: $kind = values.iter().map(|value| value * 0.5).product();
                let mut largest = $kind::NEG_INFINITY;
                for value in values {
                    if value > largest {
                        largest = value;
                    }
                }
                [values.iter().sum(), product, largest, values.iter().fold(1.0, |all, value| all - value)]
            }

            fn $constants(which: u8) -> $kind {
                const TABLE: [$kind; 10] = [
                    0.0, -0.0, 1.5, $kind::NAN, $kind::INFINITY, $kind::NEG_INFINITY, $kind::MIN_POSITIVE, $kind::MAX, $kind::EPSILON,
                    $kind::MIN_POSITIVE / 8.0,
                ];
                match which {
                    100 => -$kind::NAN,
                    127 => $kind::from_bits(1),
                    _ => TABLE[which as usize % 10],
                }
            }
        )*

            fn narrow(a: f64) -> f32 {
                a as f32
            }

            fn widen(a: f32) -> f64 {
                a as f64 * 3.0
            }

            fn is_not_itself(a: f32) -> [u32; 2] {
                #[allow(clippy::eq_op)]
                [(a != a) as u32, (a == a) as u32]
            }

            fn polynomial(x: f64) -> f64 {
                let mut sum = 0.0;
                for factor in [1.0, -0.5, 0.25, 2.0] {
                    sum = sum * x + factor;
                }
                sum
            }
        }
    };
}

floats! {
    f32: arithmetic_f32 remainder_f32 fused_f32 compare_f32 extremes_f32 clamp_f32 rounding_f32 signs_f32 bits_f32 sum_f32 constants_f32;
    f64: arithmetic_f64 remainder_f64 fused_f64 compare_f64 extremes_f64 clamp_f64 rounding_f64 signs_f64 bits_f64 sum_f64 constants_f64;
}

traps! {
    fn clamp_float_badly(a: f32, low: f32, high: f32) -> f32 { a.clamp(low, high) } [(1.0, 0.0, 2.0), (1.0, 2.0, 0.0), (1.0, f32::NAN, 2.0)]
}
