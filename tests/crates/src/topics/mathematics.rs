//! Mathematical functions in Rust: libm and micromath.

use meaning::case::{cases, traps};
use micromath::F32Ext;

cases! {
    fn exponentials(a: f64, b: f32) -> ([f64; 5], [f32; 5]) {
        (
            [libm::exp(a), libm::exp2(a), libm::expm1(a), libm::log(a), libm::log1p(a)],
            [libm::expf(b), libm::exp2f(b), libm::log2f(b), libm::log10f(b), libm::logf(b)],
        )
    }

    fn trigonometry(a: f64, b: f32) -> ([f64; 6], [f32; 6]) {
        (
            [libm::sin(a), libm::cos(a), libm::tan(a), libm::asin(a), libm::acos(a), libm::atan(a)],
            [libm::sinf(b), libm::cosf(b), libm::tanf(b), libm::asinf(b), libm::acosf(b), libm::atanf(b)],
        )
    }

    fn hyperbolic(a: f64, b: f32) -> ([f64; 4], [f32; 4]) {
        ([libm::sinh(a), libm::cosh(a), libm::tanh(a), libm::asinh(a)], [libm::sinhf(b), libm::coshf(b), libm::tanhf(b), libm::atanhf(b)])
    }

    fn of_two(a: f64, b: f64) -> [f64; 8] {
        [
            libm::pow(a, b),
            libm::atan2(a, b),
            libm::hypot(a, b),
            libm::fmod(a, b),
            libm::remainder(a, b),
            libm::fdim(a, b),
            libm::copysign(a, b),
            libm::nextafter(a, b),
        ]
    }

    fn of_two_f32(a: f32, b: f32) -> [f32; 8] {
        [
            libm::powf(a, b),
            libm::atan2f(a, b),
            libm::hypotf(a, b),
            libm::fmodf(a, b),
            libm::remainderf(a, b),
            libm::fmaxf(a, b),
            libm::fminf(a, b),
            libm::nextafterf(a, b),
        ]
    }

    fn roots_and_rounding(a: f64, b: f32) -> ([f64; 6], [f32; 6]) {
        (
            [libm::sqrt(a), libm::cbrt(a), libm::floor(a), libm::ceil(a), libm::rint(a), libm::round(a)],
            [libm::sqrtf(b), libm::cbrtf(b), libm::floorf(b), libm::ceilf(b), libm::rintf(b), libm::truncf(b)],
        )
    }

    fn fused(a: f64, b: f64, c: f64) -> (f64, f32) {
        (libm::fma(a, b, c), libm::fmaf(a as f32, b as f32, c as f32))
    }

    fn special(a: f64, b: f32) -> ([f64; 3], f32) {
        ([libm::erf(a), libm::tgamma(a), libm::j0(a)], libm::lgammaf(b))
    }

    fn taken_apart(a: f64, n: i32) -> ((f64, i32), (f64, f64), f64, i32, (f64, f64)) {
        (libm::frexp(a), libm::modf(a), libm::ldexp(a, n), libm::ilogb(a), libm::sincos(a))
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
