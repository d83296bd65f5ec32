// 32-bit indices are for launches that a contract says enough about.

use cuda_device::{kernel, launch_contract, thread};

#[kernel(launch_context = launch)]
pub fn without_a_contract() {
    thread::index_1d_u32(launch);
}

#[kernel(launch_context = launch)]
#[launch_contract(domain = 1, block = (128, 1, 1))]
pub fn without_coordinates() {
    thread::index_1d_u32(launch);
}

#[kernel(launch_context = launch)]
#[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
pub fn rows_of_a_line() {
    thread::coord_2d_u32(launch);
}

#[kernel(launch_context = launch)]
#[launch_contract(domain = 2, coordinates = u32, block = (16, 16, 1))]
pub fn line_of_rows() {
    thread::index_1d_u32(launch);
}

#[kernel]
#[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
pub fn without_a_name() {
    thread::index_1d_u32();
}

fn main() {}
// ---- out
// error[E0277]: this kernel's launches are not known to be along x with coordinates of 32 bits
//  --> launch_context.rs:7:26
//   |
// 7 |     thread::index_1d_u32(launch);
//   |     -------------------- ^^^^^^ not the scope of such a launch
//   |     |
//   |     required by a bound introduced by this call
//   |
//   = note: beside `#[kernel(launch_context = …)]`, write `#[launch_contract(domain = 1, coordinates = u32, block = (x, 1, 1))]`
// help: the trait `LineScope32<'_>` is not implemented for `LaunchContextRef<'_, UnknownDomain, NativeCoordinates>`
//     but it is implemented for `LaunchContextRef<'_, Domain1D, U32Coordinates>`
//  --> crates/cuda-device/src/thread.rs
//   = help: for that trait implementation, expected `Domain1D`, found `UnknownDomain`
// note: required by a bound in `index_1d_u32`
//  --> crates/cuda-device/src/thread.rs
//
// error[E0277]: this kernel's launches are not known to be along x with coordinates of 32 bits
//   --> launch_context.rs:13:26
//    |
// 13 |     thread::index_1d_u32(launch);
//    |     -------------------- ^^^^^^ not the scope of such a launch
//    |     |
//    |     required by a bound introduced by this call
//    |
//    = note: beside `#[kernel(launch_context = …)]`, write `#[launch_contract(domain = 1, coordinates = u32, block = (x, 1, 1))]`
// help: the trait `LineScope32<'_>` is not implemented for `LaunchContextRef<'_, _, NativeCoordinates>`
//      but it is implemented for `LaunchContextRef<'_, _, U32Coordinates>`
//   --> crates/cuda-device/src/thread.rs
//    = help: for that trait implementation, expected `U32Coordinates`, found `NativeCoordinates`
// note: required by a bound in `index_1d_u32`
//   --> crates/cuda-device/src/thread.rs
//
// error[E0277]: this kernel's launches are not known to be along x and y with coordinates of 32 bits
//   --> launch_context.rs:19:26
//    |
// 19 |     thread::coord_2d_u32(launch);
//    |     -------------------- ^^^^^^ not the scope of such a launch
//    |     |
//    |     required by a bound introduced by this call
//    |
//    = note: beside `#[kernel(launch_context = …)]`, write `#[launch_contract(domain = 2, coordinates = u32, block = (x, y, 1))]`
// help: the trait `PlaneScope32<'_>` is not implemented for `LaunchContextRef<'_, Domain1D, _>`
//      but it is implemented for `LaunchContextRef<'_, Domain2D, _>`
//   --> crates/cuda-device/src/thread.rs
//    = help: for that trait implementation, expected `Domain2D`, found `Domain1D`
// note: required by a bound in `coord_2d_u32`
//   --> crates/cuda-device/src/thread.rs
//
// error[E0277]: this kernel's launches are not known to be along x with coordinates of 32 bits
//   --> launch_context.rs:25:26
//    |
// 25 |     thread::index_1d_u32(launch);
//    |     -------------------- ^^^^^^ not the scope of such a launch
//    |     |
//    |     required by a bound introduced by this call
//    |
//    = note: beside `#[kernel(launch_context = …)]`, write `#[launch_contract(domain = 1, coordinates = u32, block = (x, 1, 1))]`
// help: the trait `LineScope32<'_>` is not implemented for `LaunchContextRef<'_, Domain2D, _>`
//      but it is implemented for `LaunchContextRef<'_, Domain1D, _>`
//   --> crates/cuda-device/src/thread.rs
//    = help: for that trait implementation, expected `Domain1D`, found `Domain2D`
// note: required by a bound in `index_1d_u32`
//   --> crates/cuda-device/src/thread.rs
//
// error[E0061]: this function takes 1 argument but 0 arguments were supplied
//   --> launch_context.rs:31:5
//    |
// 31 |     thread::index_1d_u32();
//    |     ^^^^^^^^^^^^^^^^^^^^-- argument #1 is missing
//    |
// note: function defined here
//   --> crates/cuda-device/src/thread.rs
// help: provide the argument
//    |
// 31 |     thread::index_1d_u32(/* launch_context */);
//    |                          ++++++++++++++++++++
//
// Some errors have detailed explanations: E0061, E0277.
// For more information about an error, try `rustc --explain E0061`.
