// An intrinsic without a meaning here is named, with the rustc whose it is.

use cuda_device::kernel;

#[kernel]
pub unsafe fn asks(bytes: &[u8], out: *mut bool) {
    unsafe { *out = bytes.is_ascii() }
}

fn main() {}
// ---- out
// error: the intrinsic `simd_or` of rustc 1.96.0 is not supported in kernels [OX111]
//  --> intrinsic.rs:7:27
//   |
// 7 |     unsafe { *out = bytes.is_ascii() }
//   |                           ^^^^^^^^^^
//   |
//   = note: inside the library, through `core::slice::ascii::is_ascii::runtime`, `core::slice::ascii::is_ascii_sse2`, `std::arch::x86_64::_mm_or_si128`
//   = help: write out what it does
