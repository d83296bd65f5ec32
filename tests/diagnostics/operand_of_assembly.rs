// A constraint of inline PTX says which register its operand is in.

use cuda_device::{kernel, ptx_asm, thread};

#[kernel]
pub unsafe fn adds(out: *mut f32) {
    let sum: f32;
    unsafe { ptx_asm!("add.u32 %0, %1, 1;", out("=f") sum, in("r") 1_u64, options(register_only)) };
    unsafe { *out.add(thread::threadIdx_x() as usize) = sum };
}

fn main() {}
// ---- out
// error: the constraint `r` of inline PTX is for an integer or an address of 32 bits, got a `u64` [OX305]
//  --> operand_of_assembly.rs:8:14
//   |
// 8 |     unsafe { ptx_asm!("add.u32 %0, %1, 1;", out("=f") sum, in("r") 1_u64, options(register_only)) };
//   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: choose the constraint of its type, or cast the operand
//   = note: this error originates in the macro `ptx_asm` (in Nightly builds, run with -Z macro-backtrace for more info)
