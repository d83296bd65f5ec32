// What a launch carries has a limit.

use cuda_device::kernel;

#[kernel]
pub unsafe fn takes_much(table: [u64; 5000], out: *mut u64) {
    unsafe { *out = table[3] }
}

fn main() {}
// ---- out
// error: the parameters of a kernel take at most 32764 bytes, got 40008 [OX204]
//  --> parameter_bytes.rs:6:26
//   |
// 6 | pub unsafe fn takes_much(table: [u64; 5000], out: *mut u64) {
//   |                          ^^^^^
//   |
//   = help: pass what is large in a buffer
