// A constant in inline PTX is an integer.

use cuda_device::{kernel, ptx_asm, thread};

#[kernel]
pub unsafe fn adds(out: *mut f32) {
    let sum: f32;
    unsafe { ptx_asm!("add.f32 %0, %1, %2;", out("=f") sum, in("f") 2_f32, in("n") 1_f32, options(register_only)) };
    unsafe { *out.add(thread::threadIdx_x() as usize) = sum };
}

fn main() {}
// ---- out
// error: the constraint `n` of inline PTX is for an integer, got a `f32` [OX305]
//  --> constant_of_assembly.rs:8:14
//   |
// 8 |     unsafe { ptx_asm!("add.f32 %0, %1, %2;", out("=f") sum, in("f") 2_f32, in("n") 1_f32, options(register_only)) };
//   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: write other constants in the text, or pass them in a register
//   = note: this error originates in the macro `ptx_asm` (in Nightly builds, run with -Z macro-backtrace for more info)
