// Nothing prints from a kernel with the host's macros.

use cuda_device::kernel;

#[kernel]
pub fn prints(a: u32) {
    println!("a is {a}");
}

fn main() {}
// ---- out
// error: formatting and printing are not available in kernels [OX103]
//  --> printing.rs:7:20
//   |
// 7 |     println!("a is {a}");
//   |                    ^^^
//   |
//   = help: print with `gpu_printf!`, or write numbers to a buffer for the host; `write!` into a type of your own takes `--build-std`
//
// error: formatting and printing are not available in kernels [OX103]
//  --> printing.rs:7:5
//   |
// 7 |     println!("a is {a}");
//   |     ^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: print with `gpu_printf!`, or write numbers to a buffer for the host; `write!` into a type of your own takes `--build-std`
