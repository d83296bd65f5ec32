//! Numbers by trait: num-traits and num-integer.

use meaning::{
    case::{cases, traps},
    outcome::Near,
};
use num_integer::{Integer, Roots};
use num_traits::{
    AsPrimitive, Bounded, CheckedAdd, CheckedMul, CheckedShl, Euclid, Float, FloatConst, FromPrimitive, NumCast, One, PrimInt,
    SaturatingMul, ToPrimitive, WrappingAdd, WrappingMul, WrappingSub, Zero, clamp, pow,
};

fn horner<T: Copy + Zero + WrappingAdd + WrappingMul>(coefficients: &[T], x: T) -> T {
    coefficients.iter().rev().fold(T::zero(), |sum, coefficient| sum.wrapping_mul(&x).wrapping_add(coefficient))
}

fn dot<T: CheckedAdd + CheckedMul + Zero>(left: &[T], right: &[T]) -> Option<T> {
    left.iter().zip(right).try_fold(T::zero(), |sum, (a, b)| sum.checked_add(&a.checked_mul(b)?))
}

fn lerp<T: Float>(from: T, to: T, at: T) -> T {
    from * (T::one() - at) + to * at
}

fn bit_profile<T: PrimInt + AsPrimitive<u64>>(value: T) -> [u64; 6] {
    [
        value.count_ones() as u64,
        value.leading_zeros() as u64,
        value.trailing_zeros() as u64,
        value.swap_bytes().as_(),
        value.rotate_left(3).as_(),
        value.unsigned_shr(2).as_(),
    ]
}

fn span<T: Bounded + PartialOrd + Copy>(values: &[T]) -> (T, T) {
    values.iter().fold((T::max_value(), T::min_value()), |(low, high), &value| {
        (if value < low { value } else { low }, if value > high { value } else { high })
    })
}

cases! {
    fn horner_generic(a: [u32; 4], x: u32, b: [i8; 3], y: i8) -> (u32, i8) {
        (horner(&a, x), horner(&b, y))
    }

    fn dot_checked(a: [i32; 3], b: [i32; 3], c: [u8; 2], d: [u8; 2]) -> (Option<i32>, Option<u8>) {
        (dot(&a, &b), dot(&c, &d))
    }

    fn lerp_generic(a: f32, b: f32, at: f32) -> (f32, f64) {
        (lerp(a, b, at), lerp(a as f64, b as f64, at as f64))
    }

    fn bits_by_trait(a: u8, b: i16, c: u64) -> ([u64; 6], [u64; 6], [u64; 6]) {
        (bit_profile(a), bit_profile(b), bit_profile(c))
    }

    fn bounds_by_trait(a: [i16; 5], b: [f32; 4]) -> ((i16, i16), (f32, f32)) {
        (span(&a), span(&b))
    }

    fn cast_checked(a: f64, b: i64, c: u128) -> (Option<u8>, Option<i32>, Option<u16>, Option<f32>, Option<i8>, Option<u64>) {
        (a.to_u8(), a.to_i32(), NumCast::from(b), NumCast::from(b), c.to_i8(), c.to_u64())
    }

    fn cast_from(a: u64, b: f32) -> (Option<i8>, Option<u32>, Option<i128>, f32, u8) {
        (i8::from_u64(a), u32::from_f32(b), i128::from_u64(a), a.as_(), b.as_())
    }

    fn clamp_and_pow(a: i32, b: f32, n: u8) -> (i32, f32, i32, u64) {
        (clamp(a, -100, 100), clamp(b, -1.0, 1.0), pow(clamp(a, -3, 3), n as usize % 8), pow(a as u64, 3))
    }

    fn euclid_by_trait(a: i32, b: i32) -> (i32, i32) {
        let b = if b == 0 || b == -1 { 7 } else { b };
        (Euclid::div_euclid(&a, &b), Euclid::rem_euclid(&a, &b))
    }

    fn saturate_and_shift(a: i16, b: i16, by: u32) -> (i16, Option<i16>, i16) {
        (SaturatingMul::saturating_mul(&a, &b), CheckedShl::checked_shl(&a, by), WrappingSub::wrapping_sub(&a, &b))
    }

    fn float_decoded(a: f64, b: f32) -> ((u64, i16, i8), (u64, i16, i8), bool, bool) {
        (Float::integer_decode(a), Float::integer_decode(b), Float::is_sign_negative(a), Float::is_finite(b))
    }

    fn float_rounded(a: f64, b: f32) -> ([f64; 6], [f32; 6]) {
        (
            [Float::floor(a), Float::ceil(a), Float::round(a), Float::trunc(a), Float::fract(a), Float::abs(a)],
            [Float::floor(b), Float::ceil(b), Float::round(b), Float::trunc(b), Float::signum(b), Float::sqrt(b)],
        )
    }

    fn float_functions(a: f64, b: f64) -> [Near<f64, 49>; 6] {
        [Float::exp(a), Float::ln(a), Float::sin(a), Float::powf(a, b), Float::hypot(a, b), Float::atan2(a, b)].map(Near)
    }

    fn circle(a: f32) -> (Near<f32, 20>, Near<f32, 20>, f64) {
        let (sin, cos) = Float::sin_cos(a * f32::TAU());
        (Near(sin), Near(cos), <f64 as One>::one() / f64::FRAC_1_PI())
    }

    fn greatest_divisor(a: u32, b: u32, c: i64, d: i64) -> (u32, i64) {
        (a.gcd(&b), if c == i64::MIN || d == i64::MIN { 1 } else { c.gcd(&d) })
    }

    fn least_multiple(a: u8, b: u8) -> (u64, (u64, u64), bool) {
        let (a, b) = (a as u64, b as u64 + 1);
        (a.lcm(&b), a.gcd_lcm(&b), Integer::is_multiple_of(&a, &b))
    }

    fn bezout(a: i16, b: i16) -> [i64; 3] {
        let found = (a as i64).extended_gcd(&(b as i64));
        [found.gcd, found.x, found.y]
    }

    fn floored(a: i32, b: i32) -> (i32, i32, (i32, i32), i32) {
        let b = if b == 0 || b == -1 { 3 } else { b };
        (Integer::div_floor(&a, &b), a.mod_floor(&b), a.div_mod_floor(&b), Integer::div_ceil(&a, &b))
    }

    fn roots(a: u64, n: u8, b: i32) -> (u64, u64, u64, i32) {
        (a.sqrt(), a.cbrt(), a.nth_root(n as u32 % 9 + 1), b.cbrt())
    }

    fn binomials(n: u8, k: u8) -> (u64, bool) {
        let (n, k) = (n as u64 % 50, k as u64 % 50);
        (num_integer::binomial(n, k), n.is_even())
    }

    fn averages(a: i32, b: i32) -> (i32, i32) {
        (num_integer::Average::average_floor(&a, &b), num_integer::Average::average_ceil(&a, &b))
    }
}

traps! {
    fn divisor_of_zero(a: i32, b: i32) -> i32 { Integer::div_floor(&a, &b) } [(7, -2), (7, 0), (i32::MIN, -1)]
}
