// Neither has a variable of another language.

use cuda_device::kernel;

unsafe extern "C" {
    static environ: *const u8;
}

#[kernel]
pub unsafe fn reads_c(out: *mut usize) {
    unsafe { *out = environ as usize }
}

fn main() {}
// ---- out
// error: the foreign static `environ` has no definition that kernels could use [OX107]
//   --> foreign_static.rs:11:21
//    |
// 11 |     unsafe { *out = environ as usize }
//    |                     ^^^^^^^
//    |
//    = help: pass the value as an argument
