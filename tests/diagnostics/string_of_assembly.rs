// A string in the text of inline PTX is text.

use cuda_device::{kernel, ptx_asm};

#[kernel]
pub unsafe fn adds(out: *mut u32) {
    unsafe { ptx_asm!("st.u32 [%1], 1; // %0", in("C") b"\xff\xfe", in("l") out, clobber("memory")) };
}

fn main() {}
// ---- out
// error: a string of inline PTX is text in UTF-8, got other bytes [OX305]
//  --> string_of_assembly.rs:7:14
//   |
// 7 |     unsafe { ptx_asm!("st.u32 [%1], 1; // %0", in("C") b"\xff\xfe", in("l") out, clobber("memory")) };
//   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = note: this error originates in the macro `ptx_asm` (in Nightly builds, run with -Z macro-backtrace for more info)
