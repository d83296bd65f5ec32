//! `f16`: what GPUs compute in it and what they compute in `f32` and round.

use meaning::{cases, traps};

cases! {
    fn half_arithmetic(a: f16, b: f16) -> [f16; 5] {
        [a + b, a - b, a * b, a / b, -a]
    }

    fn half_remainder(a: f16, b: f16) -> [f16; 3] {
        [a % b, a.rem_euclid(b), a.div_euclid(b)]
    }

    fn half_comparison(a: f16, b: f16) -> ([bool; 6], Option<std::cmp::Ordering>, std::cmp::Ordering) {
        ([a < b, a <= b, a == b, a != b, a > b, a >= b], a.partial_cmp(&b), a.total_cmp(&b))
    }

    /// Which zero is the smaller one is left open, so zeros lose their sign.
    fn half_extremes(a: f16, b: f16) -> [f16; 2] {
        [a.min(b) + 0.0, a.max(b) + 0.0]
    }

    fn half_rounding(a: f16) -> [f16; 7] {
        [a.floor(), a.ceil(), a.trunc(), a.round(), a.round_ties_even(), a.fract(), a.sqrt()]
    }

    fn half_powers(a: f16) -> [f16; 4] {
        [a.powi(1), a.powi(2), a.powi(3), a.powi(-1)]
    }

    fn half_signs(a: f16, b: f16) -> ([f16; 3], [bool; 2], u16) {
        ([a.abs(), a.copysign(b), a.signum()], [a.is_sign_negative(), b.is_nan()], (-a).to_bits() ^ 0x8000 ^ a.to_bits())
    }

    fn half_bits(a: u16) -> ([u16; 2], [u8; 2]) {
        let value = f16::from_bits(a);
        ([value.to_bits(), value.abs().to_bits()], value.to_be_bytes())
    }

    fn half_to_floats(a: f16) -> (f32, f64) {
        (a as f32, f64::from(a))
    }

    fn half_from_f32(a: f32) -> f16 {
        a as f16
    }

    fn half_from_f64(a: f64) -> f16 {
        a as f16
    }

    fn half_to_integers(a: f16) -> (i8, u8, i16, u16, i32, u32, i64, u64, i128, u128) {
        (a as i8, a as u8, a as i16, a as u16, a as i32, a as u32, a as i64, a as u64, a as i128, a as u128)
    }

    fn half_from_signed(a: i8, b: i16, c: i32, d: i64) -> [f16; 4] {
        [a as f16, b as f16, c as f16, d as f16]
    }

    fn half_from_unsigned(a: u8, b: u16, c: u32, d: u64) -> [f16; 4] {
        [a as f16, b as f16, c as f16, d as f16]
    }

    fn half_from_wide(a: i128, b: u128) -> [f16; 2] {
        [a as f16, b as f16]
    }

    fn half_sums(a: [f16; 7]) -> (f16, f16, f32) {
        (a.iter().sum(), a.iter().product(), a.iter().map(|&value| value as f32).sum())
    }

    fn half_clamped(a: f16) -> (f16, Option<f16>, [f16; 2]) {
        (a.clamp(-1.0, 2.0), (a > 0.5).then_some(a), [a.recip(), a.to_degrees()])
    }

    fn half_in_structs(a: f16, b: f32, which: bool) -> (f16, [u8; 4]) {
        #[derive(Clone, Copy)]
        struct Both {
            narrow: f16,
            wide: f32,
        }
        let both = [Both { narrow: a, wide: b }, Both { narrow: b as f16, wide: a as f32 }][usize::from(which)];
        (both.narrow, both.wide.abs().min(9.0).to_le_bytes().map(|byte| if both.wide.is_nan() { 0 } else { byte }))
    }
}

traps! {
    fn half_clamp_without_order(a: f16, low: f16) -> f16 {
        a.clamp(low, 0.0)
    } [(1.0, -1.0), (1.0, 1.0), (1.0, f16::NAN)]
}
