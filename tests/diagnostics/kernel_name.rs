// PTX has no letters beyond a to z.

use cuda_device::kernel;

#[kernel]
pub unsafe fn größe(out: *mut u32) {
    unsafe { *out = 1 }
}

fn main() {}
// ---- out
// error: PTX cannot spell the name `größe` [OX206]
//  --> kernel_name.rs:6:15
//   |
// 6 | pub unsafe fn größe(out: *mut u32) {
//   |               ^^^^^
//   |
//   = help: use the letters a to z, digits and _
