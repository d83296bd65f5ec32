// rustc keeps MIR of `core`'s generic and inline functions only.

use cuda_device::kernel;

#[kernel]
pub unsafe fn counts(out: *mut usize, a: usize) {
    let word = ["one", "größer"][a & 1];
    unsafe { *out = word.chars().count() }
}

fn main() {}
// ---- out
// error: `core::str::count::char_count_general_case` of `core` has no MIR that kernels could use [OX110]
//  --> missing_body.rs:8:21
//   |
// 8 |     unsafe { *out = word.chars().count() }
//   |                     ^^^^^^^^^^^^^^^^^^^^
//   |
//   = note: inside the library, through `<std::str::Chars<'_> as std::iter::Iterator>::count`, `core::str::count::char_count_general_case`
//   = help: build with `--build-std`, or write out what it does
