// What the host's processor approximates in its own way has no meaning elsewhere.

use std::arch::x86_64::{__m128, _mm_rsqrt_ps};

use cuda_device::kernel;

#[kernel]
pub unsafe fn approximates(vector: *mut __m128) {
    unsafe { *vector = _mm_rsqrt_ps(*vector) }
}

fn main() {}
// ---- out
// error: the intrinsic `llvm.x86.sse.rsqrt.ps` of rustc 1.96.0 is not supported in kernels [OX111]
//  --> intrinsic.rs:9:24
//   |
// 9 |     unsafe { *vector = _mm_rsqrt_ps(*vector) }
//   |                        ^^^^^^^^^^^^^^^^^^^^^
//   |
//   = note: inside the library, through `std::arch::x86_64::_mm_rsqrt_ps`
//   = help: write out what it does
