// Async blocks are state machines that something has to poll.

use cuda_device::kernel;

fn ready<F: Future>(_: &F) -> u32 {
    1
}

#[kernel]
pub unsafe fn awaits(out: *mut u32, a: u32) {
    let later = async move { a };
    unsafe { *out = ready(&later) }
}

fn main() {}
// ---- out
// error: async blocks and coroutines are not available in kernels [OX108]
//   --> coroutine.rs:11:17
//    |
// 11 |     let later = async move { a };
//    |                 ^^^^^^^^^^^^^^^^
//    |
//    = help: write a function or a closure
