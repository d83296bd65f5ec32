// What is declared of libdevice is what libdevice has.

use cuda_device::kernel;

unsafe extern "C" {
    safe fn __nv_erf(x: f32) -> f32;
    fn __nv_sincos(x: f64, sin: *mut f64, cos: *mut f32);
    safe fn __nv_popc(bits: u32) -> u32;
    safe fn __nv_rsqrt64(x: f64) -> f64;
}

#[kernel]
pub unsafe fn declares(out: *mut u32, x: f32) {
    let (mut sin, mut cos) = (0.0, 0.0);
    unsafe { __nv_sincos(x.into(), &mut sin, &mut cos) };
    let sum = __nv_erf(x) + cos + __nv_rsqrt64(sin) as f32;
    unsafe { *out = __nv_popc(sum as u32) }
}

#[kernel]
pub unsafe fn declares_wrongly(out: *mut f32, x: f32) {
    unsafe { *out = __nv_erf(x) }
}

#[kernel]
pub unsafe fn declares_what_is_not_there(out: *mut f64, x: f64) {
    unsafe { *out = __nv_rsqrt64(x) }
}

mod marked {
    #[cuda_device::device]
    unsafe extern "C" {
        pub fn __nv_acosf(x: f64) -> f64;
        pub fn __nv_acosg(x: f32) -> f32;
    }
}

#[kernel]
pub unsafe fn declares_in_a_marked_block(out: *mut f64, x: f64) {
    unsafe { *out = marked::__nv_acosf(x) + f64::from(marked::__nv_acosg(1.0)) }
}

fn main() {}
// ---- out
// error: `__nv_sincos` does not match libdevice's declaration: expected `fn __nv_sincos(f64, *mut f64, *mut f64)` [OX106]
//  --> libdevice_signature.rs:7:8
//   |
// 7 |     fn __nv_sincos(x: f64, sin: *mut f64, cos: *mut f32);
//   |        ^^^^^^^^^^^
//   |
//   = help: integers may be signed or not
//
// error: libdevice has no function `__nv_rsqrt64` [OX106]
//  --> libdevice_signature.rs:9:13
//   |
// 9 |     safe fn __nv_rsqrt64(x: f64) -> f64;
//   |             ^^^^^^^^^^^^
//   |
//   = help: did you mean `__nv_rsqrt`?
//
// error: `__nv_erf` does not match libdevice's declaration: expected `fn __nv_erf(f64) -> f64` [OX106]
//  --> libdevice_signature.rs:6:13
//   |
// 6 |     safe fn __nv_erf(x: f32) -> f32;
//   |             ^^^^^^^^
//   |
//   = help: integers may be signed or not
//
// error: `__nv_acosf` does not match libdevice's declaration: expected `fn __nv_acosf(f32) -> f32` [OX106]
//   --> libdevice_signature.rs:33:16
//    |
// 33 |         pub fn __nv_acosf(x: f64) -> f64;
//    |                ^^^^^^^^^^
//    |
// note: called from `libdevice_signature::declares_in_a_marked_block`
//   --> libdevice_signature.rs:40:21
//    |
// 40 |     unsafe { *out = marked::__nv_acosf(x) + f64::from(marked::__nv_acosg(1.0)) }
//    |                     ^^^^^^^^^^^^^^^^^^^^^
//    = help: integers may be signed or not
//
// error: libdevice has no function `__nv_acosg` [OX106]
//   --> libdevice_signature.rs:34:16
//    |
// 34 |         pub fn __nv_acosg(x: f32) -> f32;
//    |                ^^^^^^^^^^
//    |
// note: called from `libdevice_signature::declares_in_a_marked_block`
//   --> libdevice_signature.rs:40:55
//    |
// 40 |     unsafe { *out = marked::__nv_acosf(x) + f64::from(marked::__nv_acosg(1.0)) }
//    |                                                       ^^^^^^^^^^^^^^^^^^^^^^^
//    = help: did you mean `__nv_acos`?
