//! Other numbers: fixed, half and ordered-float.

use core::cmp::Ordering;

use fixed::{
    FixedI32, FixedU8,
    traits::{Fixed, LossyInto},
    types::{I8F24, I16F16, I32F32, I64F64, U4F4, U16F16, U32F32, extra::U12},
};
use half::{bf16, f16};
use meaning::case::{cases, traps};
use ordered_float::{NotNan, OrderedFloat};

type Sample = FixedI32<U12>;

fn filtered<F: Fixed>(samples: &[F], weight: F) -> F {
    samples.iter().fold(F::ZERO, |state, &sample| state.wrapping_add(sample.wrapping_sub(state).wrapping_mul(weight)))
}

cases! {
    fn fixed_arithmetic(a: i32, b: i32) -> [i32; 5] {
        let (a, b) = (Sample::from_bits(a), Sample::from_bits(b));
        [
            a.wrapping_add(b).to_bits(),
            a.wrapping_mul(b).to_bits(),
            a.saturating_mul(b).to_bits(),
            a.checked_div(b).map_or(7, Sample::to_bits),
            a.wrapping_neg().to_bits(),
        ]
    }

    fn fixed_rounded(a: i32) -> ([i32; 5], Option<i32>, i32) {
        let a = I16F16::from_bits(a);
        let rounded = [a.wrapping_floor(), a.wrapping_ceil(), a.wrapping_round(), a.wrapping_round_ties_even(), a.round_to_zero()];
        (rounded.map(I16F16::to_bits), a.checked_signum().map(I16F16::to_bits), a.frac().to_bits())
    }

    fn fixed_from_floats(a: f32, b: f64) -> (i32, Option<i64>, (u8, bool), i32) {
        let a = if a.is_nan() { 0.0 } else { a };
        let b = if b.is_finite() { b } else { 1.5 };
        let narrow = U4F4::overflowing_from_num(b);
        (I16F16::saturating_from_num(a).to_bits(), I32F32::checked_from_num(b).map(I32F32::to_bits), (narrow.0.to_bits(), narrow.1), {
            let product: I8F24 = I8F24::wrapping_from_num(b);
            product.to_bits()
        })
    }

    fn fixed_to_floats(a: i32, b: u64) -> (f32, f64, f64, i32) {
        let a = I16F16::from_bits(a);
        let lossy: f32 = a.lossy_into();
        (lossy, a.to_num(), U32F32::from_bits(b).to_num(), a.to_num())
    }

    fn fixed_roots(a: u32, b: u64) -> (u32, Option<i32>, u64, i128) {
        let a = U16F16::from_bits(a);
        let wide = I64F64::from_num(b as i64);
        (a.sqrt().to_bits(), a.checked_int_log2(), U32F32::from_bits(b).sqrt().to_bits(), wide.wrapping_mul(wide).to_bits())
    }

    fn fixed_filter(samples: [i32; 6], weight: u8, bytes: [u8; 4]) -> (i32, u8) {
        let samples = samples.map(Sample::from_bits);
        let bytes = bytes.map(FixedU8::from_bits);
        (filtered(&samples, Sample::from_num(weight) / 256).to_bits(), filtered::<U4F4>(&bytes, U4F4::from_bits(weight)).to_bits())
    }

    fn fixed_compared(a: i32, b: f64, c: i64) -> (Option<Ordering>, bool, Ordering) {
        let a = I16F16::from_bits(a);
        (a.partial_cmp(&b), a < c, a.cmp(&a.wrapping_abs()))
    }

    fn half_from_floats(a: f32, b: f64) -> (u16, u16, u16, u16) {
        let bits = |bits: u16, nan| if nan { 1 } else { bits };
        (
            bits(f16::from_f32(a).to_bits(), a.is_nan()),
            bits(f16::from_f64(b).to_bits(), b.is_nan()),
            bits(bf16::from_f32(a).to_bits(), a.is_nan()),
            bits(bf16::from_f64(b).to_bits(), b.is_nan()),
        )
    }

    fn half_to_floats(a: u16) -> (f32, f64, f32, f64) {
        (f16::from_bits(a).to_f32(), f16::from_bits(a).to_f64(), bf16::from_bits(a).to_f32(), bf16::from_bits(a).to_f64())
    }

    fn half_arithmetic(a: u16, b: u16) -> (f32, f32, f32, f32) {
        let (first, second) = (f16::from_bits(a), f16::from_bits(b));
        let (wide, other) = (bf16::from_bits(a), bf16::from_bits(b));
        ((first + second).to_f32(), (first * second).to_f32(), (wide - other).to_f32(), (wide / other).to_f32())
    }

    fn half_classified(a: u16, b: u16) -> (bool, bool, Option<Ordering>, Ordering, u16) {
        let (a, b) = (f16::from_bits(a), f16::from_bits(b));
        (a.is_nan(), a.is_normal(), a.partial_cmp(&b), a.total_cmp(&b), a.copysign(b).to_bits())
    }

    fn half_dot(a: [u16; 8], b: [u16; 8]) -> f32 {
        a.iter().zip(b).map(|(&a, b)| f16::from_bits(a).to_f32() * f16::from_bits(b).to_f32()).sum()
    }

    fn ordered(a: [f32; 5]) -> ([f32; 5], Ordering, bool) {
        let mut sorted = a.map(OrderedFloat);
        sorted.sort_unstable();
        (sorted.map(OrderedFloat::into_inner), sorted[0].cmp(&OrderedFloat(a[0])), OrderedFloat(a[1]) == OrderedFloat(f32::NAN))
    }

    fn not_nan(a: [f64; 4]) -> (Option<f64>, Option<f64>) {
        let greatest = a.iter().filter_map(|&value| NotNan::new(value).ok()).max().map(NotNan::into_inner);
        (greatest, a.iter().copied().min_by_key(|&value| OrderedFloat(value)))
    }
}

traps! {
    fn fixed_overflow(a: i32) -> i32 { Sample::from_num(a).to_bits() } [(5,), (-524288,), (524288,)]

    fn no_nan(a: f64, b: f64) -> f64 { (NotNan::new(a).unwrap() / NotNan::new(b).unwrap()).into_inner() } [(1.0, 0.0), (0.0, 0.0)]
}
