// Numbers, truth values, letters and addresses are printed, nothing else.

use cuda_device::{gpu_assert, gpu_printf, kernel};

#[derive(Clone, Copy)]
struct Point;

#[kernel]
pub fn prints(a: u32, slice: &[u32]) {
    gpu_printf!("{}\n", Point);
    gpu_printf!("{} {}\n", a, "text");
    gpu_printf!("{}\n", slice);
    gpu_printf!("{}\n", (a, a));
    gpu_printf!("{}\n", Some(a));
    gpu_printf!("{}\n", &a);
    gpu_assert!(a);
}

fn main() {}
// ---- out
// error[E0277]: `gpu_printf!` cannot print a `Point`
//   --> gpu_printf_types.rs:10:25
//    |
// 10 |     gpu_printf!("{}\n", Point);
//    |                         ^^^^^ not a number, `bool`, `char` or address
//    |
// help: the trait `GpuPrintfArg` is not implemented for `Point`
//   --> gpu_printf_types.rs:6:1
//    |
//  6 | struct Point;
//    | ^^^^^^^^^^^^
//    = note: print its parts, or its address: `&raw const value`
// note: required by a bound in `cuda_device::debug::any`
//   --> crates/cuda-device/src/debug.rs
//
// error[E0277]: `gpu_printf!` cannot print a `&str`
//   --> gpu_printf_types.rs:11:31
//    |
// 11 |     gpu_printf!("{} {}\n", a, "text");
//    |                               ^^^^^^ not a number, `bool`, `char` or address
//    |
//    = help: the trait `GpuPrintfArg` is not implemented for `&str`
//    = note: print its parts, or its address: `&raw const value`
// note: required by a bound in `cuda_device::debug::any`
//   --> crates/cuda-device/src/debug.rs
//
// error[E0277]: `gpu_printf!` cannot print a `&[u32]`
//   --> gpu_printf_types.rs:12:25
//    |
// 12 |     gpu_printf!("{}\n", slice);
//    |                         ^^^^^ not a number, `bool`, `char` or address
//    |
//    = help: the trait `GpuPrintfArg` is not implemented for `&[u32]`
//    = note: print its parts, or its address: `&raw const value`
// note: required by a bound in `cuda_device::debug::any`
//   --> crates/cuda-device/src/debug.rs
//
// error[E0277]: `gpu_printf!` cannot print a `(u32, u32)`
//   --> gpu_printf_types.rs:13:25
//    |
// 13 |     gpu_printf!("{}\n", (a, a));
//    |                         ^^^^^^ not a number, `bool`, `char` or address
//    |
//    = help: the trait `GpuPrintfArg` is not implemented for `(u32, u32)`
//    = note: print its parts, or its address: `&raw const value`
// note: required by a bound in `cuda_device::debug::any`
//   --> crates/cuda-device/src/debug.rs
//
// error[E0277]: `gpu_printf!` cannot print a `Option<u32>`
//   --> gpu_printf_types.rs:14:25
//    |
// 14 |     gpu_printf!("{}\n", Some(a));
//    |                         ----^^^
//    |                         |
//    |                         not a number, `bool`, `char` or address
//    |                         required by a bound introduced by this call
//    |
//    = help: the trait `GpuPrintfArg` is not implemented for `Option<u32>`
//    = note: print its parts, or its address: `&raw const value`
// note: required by a bound in `cuda_device::debug::any`
//   --> crates/cuda-device/src/debug.rs
//
// error[E0277]: `gpu_printf!` cannot print a `&u32`
//   --> gpu_printf_types.rs:15:25
//    |
// 15 |     gpu_printf!("{}\n", &a);
//    |                         -^
//    |                         |
//    |                         not a number, `bool`, `char` or address
//    |                         required by a bound introduced by this call
//    |
//    = help: the trait `GpuPrintfArg` is not implemented for `&u32`
//    = note: print its parts, or its address: `&raw const value`
// note: required by a bound in `cuda_device::debug::any`
//   --> crates/cuda-device/src/debug.rs
// help: consider removing the leading `&`-reference
//    |
// 15 -     gpu_printf!("{}\n", &a);
// 15 +     gpu_printf!("{}\n", a);
//    |
//
// error[E0308]: mismatched types
//   --> gpu_printf_types.rs:16:17
//    |
// 16 |     gpu_assert!(a);
//    |     ------------^-
//    |     |           |
//    |     |           expected `bool`, found `u32`
//    |     expected due to this
//
// error[E0277]: `gpu_printf!` cannot print a `Option<u32>`
//   --> gpu_printf_types.rs:14:25
//    |
// 14 |     gpu_printf!("{}\n", Some(a));
//    |                         ^^^^ not a number, `bool`, `char` or address
//    |
//    = help: the trait `GpuPrintfArg` is not implemented for `Option<u32>`
//    = note: print its parts, or its address: `&raw const value`
//
// error[E0277]: `gpu_printf!` cannot print a `&u32`
//   --> gpu_printf_types.rs:15:25
//    |
// 15 |     gpu_printf!("{}\n", &a);
//    |                         ^ not a number, `bool`, `char` or address
//    |
//    = help: the trait `GpuPrintfArg` is not implemented for `&u32`
//    = note: print its parts, or its address: `&raw const value`
//
// Some errors have detailed explanations: E0277, E0308.
// For more information about an error, try `rustc --explain E0277`.
