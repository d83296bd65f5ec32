// A function of another language has no MIR.

use cuda_device::kernel;

unsafe extern "C" {
    fn labs(a: i64) -> i64;
}

#[kernel]
pub unsafe fn calls_c(out: *mut i64, a: i64) {
    unsafe { *out = labs(a) }
}

fn main() {}
// ---- out
// error: the foreign function `foreign_function::labs` has no definition that kernels could call [OX106]
//   --> foreign_function.rs:11:21
//    |
// 11 |     unsafe { *out = labs(a) }
//    |                     ^^^^^^^
//    |
//    = help: write it in Rust
