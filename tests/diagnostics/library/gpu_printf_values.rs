// What a placeholder asks for is what its argument is.

use cuda_device::{gpu_printf, kernel};

#[kernel]
pub fn prints(a: u32, b: f32) {
    gpu_printf!("{:x}\n", b);
    gpu_printf!("{:e}\n", a);
    gpu_printf!("{:s}\n", a);
    gpu_printf!("{:c}\n", b);
    gpu_printf!("{:*}\n", b, a);
    gpu_printf!("{:x} {:.*e} {}\n", a, 3, a, 'x');
}

fn main() {}
// ---- out
// error[E0277]: a placeholder with the letter x, X, o, d, i or u prints integers, got `f32`
//  --> gpu_printf_values.rs:7:27
//   |
// 7 |     gpu_printf!("{:x}\n", b);
//   |                           ^ no integer
//   |
//   = help: the trait `cuda_device::debug::PrintedInteger` is not implemented for `f32`
//   = note: without a letter it prints what the argument is
//   = help: the following other types implement trait `cuda_device::debug::PrintedInteger`:
//             i16
//             i32
//             i64
//             i8
//             isize
//             u16
//             u32
//             u64
//           and 2 others
// note: required by a bound in `cuda_device::debug::integer`
//  --> crates/cuda-device/src/debug.rs
//   = note: this error originates in the macro `asked_for` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0277]: a placeholder with the letter e, E, f, g, G, a or A prints floats, got `u32`
//  --> gpu_printf_values.rs:8:27
//   |
// 8 |     gpu_printf!("{:e}\n", a);
//   |                           ^ no float
//   |
//   = help: the trait `cuda_device::debug::PrintedFloat` is not implemented for `u32`
//   = note: without a letter it prints what the argument is
// help: the following other types implement trait `cuda_device::debug::PrintedFloat`
//  --> crates/cuda-device/src/debug.rs
// note: required by a bound in `cuda_device::debug::float`
//  --> crates/cuda-device/src/debug.rs
//   = note: this error originates in the macro `asked_for` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0277]: a placeholder with the letter s or p takes an address, got `u32`
//  --> gpu_printf_values.rs:9:27
//   |
// 9 |     gpu_printf!("{:s}\n", a);
//   |                           ^ no address
//   |
//   = help: the trait `cuda_device::debug::PrintedAddress` is not implemented for `u32`
//   = note: `p` prints a raw pointer; `s` prints the text up to a 0 at one: `c"text".as_ptr()`
// help: the following other types implement trait `cuda_device::debug::PrintedAddress`
//  --> crates/cuda-device/src/debug.rs
// note: required by a bound in `cuda_device::debug::address`
//  --> crates/cuda-device/src/debug.rs
//
// error[E0277]: a placeholder with the letter c prints letters and integers of up to 32 bits, got `f32`
//   --> gpu_printf_values.rs:10:27
//    |
// 10 |     gpu_printf!("{:c}\n", b);
//    |                           ^ neither of them
//    |
//    = help: the trait `cuda_device::debug::PrintedLetter` is not implemented for `f32`
//    = note: without a letter it prints what the argument is
//    = help: the following other types implement trait `cuda_device::debug::PrintedLetter`:
//              i16
//              i32
//              i8
//              u16
//              u32
//              u8
// note: required by a bound in `cuda_device::debug::letter`
//   --> crates/cuda-device/src/debug.rs
//    = note: this error originates in the macro `asked_for` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0277]: a `*` in a placeholder takes a width or precision of type `i32` or `u32`, got `f32`
//   --> gpu_printf_values.rs:11:27
//    |
// 11 |     gpu_printf!("{:*}\n", b, a);
//    |                           ^ no such number
//    |
//    = help: the trait `cuda_device::debug::PrintedWidth` is not implemented for `f32`
//    = help: the following other types implement trait `cuda_device::debug::PrintedWidth`:
//              i16
//              i32
//              i8
//              u16
//              u32
//              u8
// note: required by a bound in `cuda_device::debug::width`
//   --> crates/cuda-device/src/debug.rs
//    = note: this error originates in the macro `asked_for` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0277]: a placeholder with the letter e, E, f, g, G, a or A prints floats, got `u32`
//   --> gpu_printf_values.rs:12:43
//    |
// 12 |     gpu_printf!("{:x} {:.*e} {}\n", a, 3, a, 'x');
//    |                                           ^ no float
//    |
//    = help: the trait `cuda_device::debug::PrintedFloat` is not implemented for `u32`
//    = note: without a letter it prints what the argument is
// help: the following other types implement trait `cuda_device::debug::PrintedFloat`
//   --> crates/cuda-device/src/debug.rs
// note: required by a bound in `cuda_device::debug::float`
//   --> crates/cuda-device/src/debug.rs
//    = note: this error originates in the macro `asked_for` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// For more information about this error, try `rustc --explain E0277`.
