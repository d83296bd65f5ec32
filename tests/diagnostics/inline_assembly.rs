// The host's assembly cannot run on a GPU.

use cuda_device::kernel;

fn pause(a: u32) -> u32 {
    unsafe { std::arch::asm!("nop") };
    a
}

#[kernel]
pub unsafe fn waits(out: *mut u32) {
    unsafe { *out = pause(3) }
}

fn main() {}
// ---- out
// error: this `asm!` is assembly of the host, which is not available in kernels [OX104]
//  --> inline_assembly.rs:6:14
//   |
// 6 |     unsafe { std::arch::asm!("nop") };
//   |              ^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: use a function of `cuda_device`, or the crate's feature for portable code
