//! Mathematical functions in Rust: libm and micromath.

use meaning::{
    case::{cases, traps},
    outcome::Near,
};
use micromath::F32Ext;

cases! {
    fn exponentials(a: f64, b: f32) -> ([Near<f64, 49>; 5], [Near<f32, 20>; 5]) {
        ([libm::exp(a), libm::exp2(a), libm::expm1(a), libm::log(a), libm::log1p(a)].map(Near), [libm::expf(b), libm::exp2f(b), libm::log2f(b), libm::log10f(b), libm::logf(b)].map(Near))
    }

    fn trigonometry(a: f64, b: f32) -> ([Near<f64, 49>; 6], [Near<f32, 20>; 6]) {
        ([libm::sin(a), libm::cos(a), libm::tan(a), libm::asin(a), libm::acos(a), libm::atan(a)].map(Near), [libm::sinf(b), libm::cosf(b), libm::tanf(b), libm::asinf(b), libm::acosf(b), libm::atanf(b)].map(Near))
    }

    fn hyperbolic(a: f64, b: f32) -> ([Near<f64, 49>; 4], [Near<f32, 20>; 4]) {
        ([libm::sinh(a), libm::cosh(a), libm::tanh(a), libm::asinh(a)].map(Near), [libm::sinhf(b), libm::coshf(b), libm::tanhf(b), libm::atanhf(b)].map(Near))
    }

    fn of_two(a: f64, b: f64) -> ([Near<f64, 49>; 3], [f64; 5]) {
        ([libm::pow(a, b), libm::atan2(a, b), libm::hypot(a, b)].map(Near), [libm::fmod(a, b), libm::remainder(a, b), libm::fdim(a, b), libm::copysign(a, b), libm::nextafter(a, b)])
    }

    /// Which zero is the smaller one is left open, so zeros lose their sign.
    fn of_two_f32(a: f32, b: f32) -> ([Near<f32, 20>; 3], [f32; 5]) {
        ([libm::powf(a, b), libm::atan2f(a, b), libm::hypotf(a, b)].map(Near), [libm::fmodf(a, b), libm::remainderf(a, b), libm::fmaxf(a, b) + 0.0, libm::fminf(a, b) + 0.0, libm::nextafterf(a, b)])
    }

    fn roots_and_rounding(a: f64, b: f32) -> ((Near<f64, 49>, Near<f32, 20>), [f64; 5], [f32; 5]) {
        ((Near(libm::cbrt(a)), Near(libm::cbrtf(b))), [libm::sqrt(a), libm::floor(a), libm::ceil(a), libm::rint(a), libm::round(a)], [libm::sqrtf(b), libm::floorf(b), libm::ceilf(b), libm::rintf(b), libm::truncf(b)])
    }

    fn fused(a: f64, b: f64, c: f64) -> (f64, f32) {
        (libm::fma(a, b, c), libm::fmaf(a as f32, b as f32, c as f32))
    }

    fn special(a: f64, b: f32) -> (Near<f64, 49>, Near<f64, 40>, Near<f64, 40>, Near<f32, 16>) {
        (Near(libm::erf(a)), Near(libm::tgamma(a)), Near(libm::j0(a)), Near(libm::lgammaf(b)))
    }

    fn taken_apart(a: f64, n: i32) -> ((f64, i32), (f64, f64), f64, i32, Near<(f64, f64), 49>) {
        (libm::frexp(a), libm::modf(a), libm::ldexp(a, n), libm::ilogb(a), Near(libm::sincos(a)))
    }

    fn approximated(a: f32, b: f32) -> [f32; 10] {
        // What `powf` makes of NaN, which it meets on the way from an infinity too, depends on the bits of the NaN.
        let [a, b] = [a, b].map(|value| if value.is_finite() { value } else { 3.0 });
        [
            F32Ext::sin(a),
            F32Ext::cos(a),
            F32Ext::exp(a),
            F32Ext::ln(a),
            F32Ext::sqrt(a),
            F32Ext::invsqrt(a),
            F32Ext::atan2(a, b),
            F32Ext::powf(a, b),
            F32Ext::hypot(a, b),
            F32Ext::floor(a),
        ]
    }

    fn rotated(angle: f32, a: [f32; 3]) -> [f32; 3] {
        let half = angle * 0.5;
        let turn = micromath::Quaternion::new(F32Ext::cos(half), 0.0, 0.0, F32Ext::sin(half));
        turn.rotate(micromath::vector::F32x3 { x: a[0], y: a[1], z: a[2] }).to_array()
    }

    fn statistics(values: [f32; 5]) -> (f32, f32, f32) {
        use micromath::statistics::{Mean, StdDev, Variance};
        (values.iter().copied().mean(), values.as_slice().variance(), values.as_slice().stddev())
    }
}

traps! {}
