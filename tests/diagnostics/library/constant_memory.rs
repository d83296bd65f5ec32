// A value in constant memory is made of any bytes, since the host sets it byte for byte.

use cuda_device::ConstantMemory;

#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

static FLAG: ConstantMemory<bool> = ConstantMemory::UNINIT;
static POINT: ConstantMemory<Point> = ConstantMemory::UNINIT;
static NAME: ConstantMemory<&str> = ConstantMemory::UNINIT;
static FILLED: ConstantMemory<u32> = 3;

fn main() {}
// ---- out
// error[E0277]: the host cannot set constant memory to a `bool` byte for byte
//   --> constant_memory.rs:11:14
//    |
// 11 | static FLAG: ConstantMemory<bool> = ConstantMemory::UNINIT;
//    |              ^^^^^^^^^^^^^^^^^^^^ not made of any bytes
//    |
//    = help: the trait `ConstantMemoryValue` is not implemented for `bool`
//    = note: numbers, addresses, and arrays and tuples of them are; for a type of your own whose fields are, write `unsafe impl ConstantMemoryValue`
// help: the following other types implement trait `ConstantMemoryValue`
//   --> crates/cuda-device/src/constant.rs
// note: required by a bound in `ConstantMemory`
//   --> crates/cuda-device/src/constant.rs
//
// error[E0277]: the host cannot set constant memory to a `Point` byte for byte
//   --> constant_memory.rs:12:15
//    |
// 12 | static POINT: ConstantMemory<Point> = ConstantMemory::UNINIT;
//    |               ^^^^^^^^^^^^^^^^^^^^^ not made of any bytes
//    |
// help: the trait `ConstantMemoryValue` is not implemented for `Point`
//   --> constant_memory.rs:6:1
//    |
//  6 | struct Point {
//    | ^^^^^^^^^^^^
//    = note: numbers, addresses, and arrays and tuples of them are; for a type of your own whose fields are, write `unsafe impl ConstantMemoryValue`
// help: the following other types implement trait `ConstantMemoryValue`
//   --> crates/cuda-device/src/constant.rs
// note: required by a bound in `ConstantMemory`
//   --> crates/cuda-device/src/constant.rs
//
// error[E0277]: the host cannot set constant memory to a `&'static str` byte for byte
//   --> constant_memory.rs:13:14
//    |
// 13 | static NAME: ConstantMemory<&str> = ConstantMemory::UNINIT;
//    |              ^^^^^^^^^^^^^^^^^^^^ not made of any bytes
//    |
//    = help: the trait `ConstantMemoryValue` is not implemented for `&'static str`
//    = note: numbers, addresses, and arrays and tuples of them are; for a type of your own whose fields are, write `unsafe impl ConstantMemoryValue`
// help: the following other types implement trait `ConstantMemoryValue`
//   --> crates/cuda-device/src/constant.rs
// note: required by a bound in `ConstantMemory`
//   --> crates/cuda-device/src/constant.rs
//
// error[E0308]: mismatched types
//   --> constant_memory.rs:14:38
//    |
// 14 | static FILLED: ConstantMemory<u32> = 3;
//    |                -------------------   ^ expected `ConstantMemory<u32>`, found integer
//    |                |
//    |                expected because of the type of the static
//    |
//    = note: expected struct `ConstantMemory<u32>`
//                 found type `{integer}`
//
// Some errors have detailed explanations: E0277, E0308.
// For more information about an error, try `rustc --explain E0277`.
