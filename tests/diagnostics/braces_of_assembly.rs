// A brace that is not closed in its text would end, or go on behind, the function that the inline PTX stands in.

use cuda_device::{kernel, ptx_asm};

#[kernel]
pub unsafe fn open(out: *mut u32) {
    unsafe { ptx_asm!("{ .reg .u32 t; st.u32 [%0], 1;", in("l") out, clobber("memory")) };
}

#[kernel]
pub unsafe fn closed(out: *mut u32) {
    unsafe { ptx_asm!("} .visible .entry another() { ret;", in("l") out, clobber("memory")) };
}

#[kernel]
pub unsafe fn commented(out: *mut u32) {
    unsafe { ptx_asm!("{ .reg .u32 t; // }\n mov.u32 t, 1; /* { */ st.u32 [%0], t; }", in("l") out, clobber("memory")) };
}

fn main() {}
// ---- out
// error: the braces in this inline PTX do not match [OX310]
//   --> braces_of_assembly.rs:12:14
//    |
// 12 |     unsafe { ptx_asm!("} .visible .entry another() { ret;", in("l") out, clobber("memory")) };
//    |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: close each `{` in the same text
//    = note: this error originates in the macro `ptx_asm` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error: the braces in this inline PTX do not match [OX310]
//  --> braces_of_assembly.rs:7:14
//   |
// 7 |     unsafe { ptx_asm!("{ .reg .u32 t; st.u32 [%0], 1;", in("l") out, clobber("memory")) };
//   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: close each `{` in the same text
//   = note: this error originates in the macro `ptx_asm` (in Nightly builds, run with -Z macro-backtrace for more info)
