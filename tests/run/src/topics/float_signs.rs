//! The sign of a float is one bit: negation, `abs` and `copysign` change it and nothing else, of a NaN too, whose bits are given and seen.

use std::hint::black_box;

use crate::case::{cases, traps};

#[derive(Clone, Copy)]
struct Signs<T> {
    plain: T,
    negated: T,
}

macro_rules! signs {
    ($($stored:ident $chosen:ident $passed:ident $counted:ident $arithmetic:ident $kind:ident $bits:ident $negate:ident $exponent:literal;)*) => {
        $(
            #[inline(never)]
            fn $negate(x: $kind) -> $kind {
                -x
            }
        )*

        cases! {$(
            fn $stored(bits: $bits, other: $bits) -> [$bits; 12] {
                // As it is, and as a NaN with this payload and sign.
                let (x, nan) = ($kind::from_bits(bits), $kind::from_bits(bits | $exponent | 1));
                let sign = $kind::from_bits(other);
                [
                    (-x).to_bits(), x.abs().to_bits(), x.copysign(sign).to_bits(), (-nan).to_bits(), nan.abs().to_bits(),
                    nan.copysign(sign).to_bits(), (-nan.abs()).to_bits(), nan.copysign(-sign).to_bits(), (-(-nan)).to_bits(),
                    nan.signum().to_bits() & $exponent, nan.copysign(1.0).to_bits(), nan.copysign(-1.0).to_bits(),
                ]
            }

            fn $chosen(bits: $bits, other: $bits, which: bool) -> [$bits; 5] {
                let (x, y) = ($kind::from_bits(bits | $exponent | 1), $kind::from_bits(other));
                let chosen = if which { -x } else { y.abs() };
                let mut turned = x;
                for _ in 0..other & 3 {
                    turned = -turned;
                }
                let signs = black_box([Signs { plain: x, negated: -x }, Signs { plain: -y, negated: y }]);
                [
                    chosen.to_bits(), turned.to_bits(), signs[which as usize].negated.to_bits(), signs[!which as usize].plain.to_bits(),
                    (if x.is_sign_negative() { -x } else { x }).to_bits(),
                ]
            }

            fn $passed(bits: $bits) -> [$bits; 3] {
                let x = $kind::from_bits(bits | $exponent | 1);
                let negate: fn($kind) -> $kind = black_box($negate);
                [$negate(x).to_bits(), negate(-x).to_bits(), Some(-x).map_or(0, $kind::to_bits)]
            }

            fn $counted(bits: $bits) -> ([bool; 4], u32, std::cmp::Ordering) {
                let x = $kind::from_bits(bits | $exponent | 1);
                (
                    [(-x).is_sign_negative(), x.abs().is_sign_positive(), (-x).to_bits() == bits, x.abs().to_bits() > bits],
                    (-x).to_bits().count_ones(),
                    (-x).total_cmp(&x.abs()),
                )
            }

            /// Of what arithmetic makes, a NaN's sign is anybody's, but it is one.
            fn $arithmetic(a: $kind, b: $kind) -> ([$kind; 6], [$bits; 3]) {
                let sum = a + b;
                let quotient = a / b;
                (
                    [-(a + b), -(a * b), (a - b).abs(), -a * b, a * -b + a, (-a).max(b) + 0.0],
                    [(-sum).to_bits() ^ sum.to_bits(), quotient.abs().to_bits() ^ (-quotient.abs()).to_bits(), (-a).to_bits() ^ a.to_bits()],
                )
            }
        )*}
    };
}

signs! {
    f16_stored f16_chosen f16_passed f16_counted f16_arithmetic f16 u16 f16_negated 0x7c00;
    f32_stored f32_chosen f32_passed f32_counted f32_arithmetic f32 u32 f32_negated 0x7f80_0000;
    f64_stored f64_chosen f64_passed f64_counted f64_arithmetic f64 u64 f64_negated 0x7ff0_0000_0000_0000;
}

traps! {}
