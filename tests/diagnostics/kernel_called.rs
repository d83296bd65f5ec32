// A kernel is launched, not called: its parameters are laid out for the host.

use cuda_device::kernel;

#[kernel]
#[inline(never)]
pub unsafe fn inner(out: *mut u32) {
    unsafe { *out = 1 }
}

#[kernel]
pub unsafe fn outer(out: *mut u32) {
    unsafe { inner(out) }
}

fn main() {}
// ---- out
// error: the kernel `kernel_called::inner` is called like a function
//   --> kernel_called.rs:13:14
//    |
// 13 |     unsafe { inner(out) }
//    |              ^^^^^^^^^^
//    |
//    = help: move its body into a function that both call
