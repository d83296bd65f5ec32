// PTX has no letters beyond a to z, and names of its own; some are libdevice's.

use cuda_device::kernel;

#[kernel]
pub unsafe fn größe(out: *mut u32) {
    unsafe { *out = 1 }
}

#[kernel]
#[allow(non_snake_case)]
pub fn WARP_SZ() {}

#[kernel]
pub fn __nv_sinf() {}

fn main() {}
// ---- out
// error: the name `WARP_SZ` is reserved by PTX or libdevice [OX206]
//   --> kernel_name.rs:12:8
//    |
// 12 | pub fn WARP_SZ() {}
//    |        ^^^^^^^
//    |
//    = help: rename the kernel
//
// error: the name `__nv_sinf` is reserved by PTX or libdevice [OX206]
//   --> kernel_name.rs:15:8
//    |
// 15 | pub fn __nv_sinf() {}
//    |        ^^^^^^^^^
//    |
//    = help: rename the kernel
//
// error: PTX cannot spell the name `größe` [OX206]
//  --> kernel_name.rs:6:15
//   |
// 6 | pub unsafe fn größe(out: *mut u32) {
//   |               ^^^^^
//   |
//   = help: use the letters a to z, digits and _
