// A kernel has nobody to return to.

use cuda_device::kernel;

#[kernel]
pub fn returns(a: u32) -> u32 {
    a
}

fn main() {}
// ---- out
// error: a kernel returns nothing: it writes results to memory [OX203]
//  --> returned_value.rs:6:27
//   |
// 6 | pub fn returns(a: u32) -> u32 {
//   |                           ^^^
