// A kernel is a plain function that takes what a launch can pass, by name.

use cuda_device::{DisjointSlice, Uniform, kernel};

#[kernel]
pub async fn asynchronous() {}

#[kernel]
pub extern "C" fn foreign() {}

#[kernel]
pub fn of_something(f: impl Fn(u32) -> u32) {}

#[kernel]
pub fn of_a_pattern((a, b): (u32, u32)) {}

#[kernel]
pub fn of_the_host(a: &u32, b: &mut [u32; 4]) {}

#[kernel]
pub fn of_no_element(a: DisjointSlice, b: Uniform) {}

#[kernel]
pub fn r#match() {}

#[kernel]
pub fn cuda_oxide_kernel() {}

#[kernel(launch_context = a)]
pub fn of_one_name(a: u32) {}

fn main() {}
// ---- out
// error: a kernel cannot be async
//  --> kernel_signature.rs:6:5
//   |
// 6 | pub async fn asynchronous() {}
//   |     ^^^^^
//
// error: a kernel cannot be extern
//  --> kernel_signature.rs:9:5
//   |
// 9 | pub extern "C" fn foreign() {}
//   |     ^^^^^^^^^^
//
// error: `impl Trait` has no name for the launcher: write a type parameter
//   --> kernel_signature.rs:12:24
//    |
// 12 | pub fn of_something(f: impl Fn(u32) -> u32) {}
//    |                        ^^^^
//
// error: a kernel parameter is a plain identifier, not a pattern
//   --> kernel_signature.rs:15:21
//    |
// 15 | pub fn of_a_pattern((a, b): (u32, u32)) {}
//    |                     ^^^^^^
//
// error: a kernel parameter cannot refer to host memory: pass a slice, a raw device pointer or a value [OX201]
//   --> kernel_signature.rs:18:23
//    |
// 18 | pub fn of_the_host(a: &u32, b: &mut [u32; 4]) {}
//    |                       ^
//
// error: a kernel parameter cannot refer to host memory: pass a slice, a raw device pointer or a value [OX201]
//   --> kernel_signature.rs:18:32
//    |
// 18 | pub fn of_the_host(a: &u32, b: &mut [u32; 4]) {}
//    |                                ^
//
// error: `DisjointSlice` without its element type
//   --> kernel_signature.rs:21:25
//    |
// 21 | pub fn of_no_element(a: DisjointSlice, b: Uniform) {}
//    |                         ^^^^^^^^^^^^^
//
// error: `Uniform` without its element type
//   --> kernel_signature.rs:21:43
//    |
// 21 | pub fn of_no_element(a: DisjointSlice, b: Uniform) {}
//    |                                           ^^^^^^^
//
// error: a kernel's name is its name in the PTX, and cannot be a raw identifier
//   --> kernel_signature.rs:24:8
//    |
// 24 | pub fn r#match() {}
//    |        ^^^^^^^
//
// error: names that start with `cuda_oxide_` are reserved
//   --> kernel_signature.rs:27:8
//    |
// 27 | pub fn cuda_oxide_kernel() {}
//    |        ^^^^^^^^^^^^^^^^^
//
// error: the kernel has a parameter `a` already
//   --> kernel_signature.rs:29:27
//    |
// 29 | #[kernel(launch_context = a)]
//    |                           ^
//
// error[E0107]: missing generics for struct `DisjointSlice`
//   --> kernel_signature.rs:21:25
//    |
// 21 | pub fn of_no_element(a: DisjointSlice, b: Uniform) {}
//    |                         ^^^^^^^^^^^^^ expected at least 1 generic argument
//    |
// note: struct defined here, with at least 1 generic parameter: `T`
//   --> crates/cuda-device/src/disjoint.rs
// help: add missing generic argument
//    |
// 21 | pub fn of_no_element(a: DisjointSlice<T>, b: Uniform) {}
//    |                                      +++
//
// error[E0107]: missing generics for struct `Uniform`
//   --> kernel_signature.rs:21:43
//    |
// 21 | pub fn of_no_element(a: DisjointSlice, b: Uniform) {}
//    |                                           ^^^^^^^ expected 1 generic argument
//    |
// note: struct defined here, with 1 generic parameter: `T`
//   --> crates/cuda-device/src/uniform.rs
// help: add missing generic argument
//    |
// 21 | pub fn of_no_element(a: DisjointSlice, b: Uniform<T>) {}
//    |                                                  +++
//
// For more information about this error, try `rustc --explain E0107`.
