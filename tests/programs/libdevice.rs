//! Functions of libdevice that a program declares by itself, those with pointers too, against what they should give.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

unsafe extern "C" {
    safe fn __nv_erf(x: f64) -> f64;
    safe fn __nv_lgammaf(x: f32) -> f32;
    safe fn __nv_j0(x: f64) -> f64;
    safe fn __nv_jn(n: i32, x: f64) -> f64;
    safe fn __nv_rsqrtf(x: f32) -> f32;
    safe fn __nv_normcdf(x: f64) -> f64;
    safe fn __nv_cospif(x: f32) -> f32;
    safe fn __nv_norm4d(a: f64, b: f64, c: f64, d: f64) -> f64;
    safe fn __nv_fast_sinf(x: f32) -> f32;
    safe fn __nv_exp10(x: f64) -> f64;
    safe fn __nv_fadd_rz(x: f32, y: f32) -> f32;
    safe fn __nv_float2int_ru(x: f32) -> i32;
    safe fn __nv_double2ull_rn(x: f64) -> u64;
    safe fn __nv_umulhi(x: u32, y: u32) -> u32;
    safe fn __nv_byte_perm(x: u32, y: u32, selector: u32) -> u32;
    safe fn __nv_half2float(bits: u16) -> f32;
    safe fn __nv_isnand(x: f64) -> i32;
    fn __nv_sincosf(x: f32, sin: *mut f32, cos: *mut f32);
    fn __nv_frexp(x: f64, exponent: *mut i32) -> f64;
    fn __nv_modff(x: f32, whole: &mut f32) -> f32;
    fn __nv_remquo(x: f64, y: f64, quotient: *mut i32) -> f64;
    fn __nv_norm(count: i32, items: *const f64) -> f64;
}

/// As functions that are linked in later, which these are not.
mod marked {
    use cuda_device::{device, pure, readonly};

    #[device]
    unsafe extern "C" {
        pub fn __nv_acosf(x: f32) -> f32;
        #[pure]
        pub fn __nv_hypot(x: f64, y: f64) -> f64;
        #[readonly]
        pub fn __nv_rnorm(count: u32, items: *const f64) -> f64;
        #[link_name = "__nv_sincospi"]
        pub fn both(x: f64, sin: *mut f64, cos: *mut f64);
    }
}

const COUNT: usize = 32;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn compute(mut out: DisjointSlice<[f64; COUNT]>, one: f64) {
        let (mut sin, mut cos, mut exponent, mut whole, mut quotient) = (0.0, 0.0, 0, 0.0, 0);
        let single = one as f32;
        // SAFETY: the pointers are to variables.
        let (fraction, part, rest, length) = unsafe {
            __nv_sincosf(single, &mut sin, &mut cos);
            (
                __nv_frexp(one * 20.0, &mut exponent),
                __nv_modff(single * 2.75, &mut whole),
                __nv_remquo(one * 17.0, 5.0, &mut quotient),
                __nv_norm(3, [one * 2.0, 3.0, 6.0].as_ptr()),
            )
        };
        let (mut sin_pi, mut cos_pi) = (0.0, 0.0);
        // SAFETY: as above.
        let (arc, hypotenuse, reciprocal) = unsafe {
            marked::both(one / 2.0, &mut sin_pi, &mut cos_pi);
            (marked::__nv_acosf(single / 2.0), marked::__nv_hypot(one * 3.0, 4.0), marked::__nv_rnorm(2, [one * 6.0, 8.0].as_ptr()))
        };
        if let Some(out) = out.get_mut(thread::index_1d()) {
            *out = [
                __nv_erf(one),
                __nv_lgammaf(single * 4.0).into(),
                __nv_j0(one),
                __nv_jn(2, one),
                __nv_rsqrtf(single * 4.0).into(),
                __nv_normcdf(one),
                __nv_cospif(single).into(),
                __nv_norm4d(one, 3.0, 5.0, 1.0),
                __nv_fast_sinf(single).into(),
                __nv_exp10(one * 2.0),
                __nv_fadd_rz(single, -1e-10).into(),
                __nv_float2int_ru(single * 2.5).into(),
                __nv_double2ull_rn(one * 2.5) as f64,
                __nv_umulhi(1 << 31, (one * 6.0) as u32).into(),
                __nv_byte_perm(0x3322_1100, (one as u32) * 0x7766_5544, 0x7531).into(),
                __nv_half2float((one as u16) * 0x3e00).into(),
                __nv_isnand(one).into(),
                __nv_isnand(one - one / 0.0 + one / 0.0).into(),
                sin.into(),
                cos.into(),
                fraction,
                exponent.into(),
                part.into(),
                whole.into(),
                rest,
                quotient.into(),
                length,
                arc.into(),
                hypotenuse,
                reciprocal,
                sin_pi,
                cos_pi,
            ];
        }
    }
}

/// What the functions give, in their order; the fast one is right to 2⁻²¹ only.
const EXPECTED: [f64; COUNT] = [
    0.8427007929497149,
    1.791759469228055,
    0.7651976865579666,
    0.1149034849319005,
    0.5,
    0.8413447460685429,
    -1.0,
    6.0,
    0.8414709848078965,
    100.0,
    0.999_999_940_395_355_2,
    3.0,
    2.0,
    3.0,
    0x7755_3311_u32 as f64,
    1.5,
    0.0,
    1.0,
    0.8414709848078965,
    0.5403023058681398,
    0.625,
    5.0,
    0.75,
    2.0,
    2.0,
    3.0,
    7.0,
    1.0471975511965979,
    5.0,
    0.1,
    1.0,
    0.0,
];

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let mut out = DeviceBuffer::<[f64; COUNT]>::zeroed(&stream, 1).unwrap();
    // SAFETY: the launch is one-dimensional.
    unsafe { module.compute(&stream, LaunchConfig::for_num_elems(1), &mut out, 1.0) }.unwrap();
    for (number, (got, want)) in out.to_host_vec(&stream).unwrap()[0]
        .into_iter()
        .zip(EXPECTED)
        .enumerate()
    {
        assert!(
            (got - want).abs() <= 5e-7 * want.abs(),
            "function {number}: got {got}, expected {want}"
        );
    }
    println!("SUCCESS: {COUNT} results of functions of libdevice");
}
