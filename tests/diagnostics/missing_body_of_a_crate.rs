// A crate that comes compiled has MIR only of what is generic or inline.

extern crate proc_macro;

use cuda_device::kernel;

#[kernel]
pub unsafe fn asks(out: *mut bool) {
    unsafe { *out = proc_macro::is_available() }
}

fn main() {}
// ---- out
// error: `missing_body_of_a_crate::proc_macro::is_available` of crate `proc_macro` has no MIR that kernels could use [OX109]
//  --> missing_body_of_a_crate.rs:9:21
//   |
// 9 |     unsafe { *out = proc_macro::is_available() }
//   |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: mark `missing_body_of_a_crate::proc_macro::is_available` `#[inline]`, or build its crate with oxide
