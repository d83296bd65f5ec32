// LLVM has no code for 128-bit floats on a GPU; moving one about is no problem.

#![feature(f128)]

use cuda_device::kernel;

#[kernel]
pub unsafe fn adds(a: f128, out: *mut f128) {
    unsafe {
        *out.add(1) = *out;
        *out = a + 1.0
    }
}

fn main() {}
// ---- out
// error: arithmetic of `f128` is not supported in kernels [OX401]
//   --> quadruple.rs:11:9
//    |
// 11 |         *out = a + 1.0
//    |         ^^^^^^^^^^^^^^
//    |
//    = help: use `f64`
