// The number of groups under way stands in the instruction: options: --emit=ptx

use cuda_device::{async_copy::cp_async_wait_group, kernel};

fn wait(pending: u32) {
    unsafe { cp_async_wait_group(pending) };
}

#[kernel]
pub unsafe fn waits(n: u32) {
    wait(1 + 1);
    wait(n);
}

fn main() {}
// ---- out
// error: `async_copy::cp_async_wait_group` at immediate.rs:6:14 takes a constant, and is given a value that is known only when the kernel runs [OX306]
//   |
//   = help: write the number out, or match on the value
