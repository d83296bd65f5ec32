// `#[kernel]` and the attributes beside it are for free functions.

use cuda_device::{cluster_launch, device, kernel, launch_bounds};

struct Kernels;

impl Kernels {
    #[kernel]
    pub fn method(&self) {}
}

#[kernel]
pub struct Structure;

#[kernel]
pub mod module {}

#[device]
pub struct Function;

#[cluster_launch(2)]
pub fn no_kernel() {}

#[launch_bounds(64)]
#[device]
pub fn device_function() {}

#[kernel]
pub const fn constant() {}

#[kernel]
pub fn never() -> ! {
    loop {}
}

#[kernel(f32)]
pub fn entry(a: f32) {}

#[kernel([f32; 2])]
pub fn array<T>(a: T) {}

#[kernel]
#[kernel]
pub fn marked_twice() {}

#[kernel(launch_context = 3)]
pub fn context() {}

fn main() {}
// ---- out
// error: a kernel is not a method: it cannot take `self`
//  --> kernel_attribute.rs:9:19
//   |
// 9 |     pub fn method(&self) {}
//   |                   ^
//
// error: `#[kernel]` is for a function with a body: expected `fn`
//   --> kernel_attribute.rs:13:5
//    |
// 13 | pub struct Structure;
//    |     ^^^^^^
//
// error: `#[kernel]` is for a function with a body: expected `fn`
//   --> kernel_attribute.rs:16:5
//    |
// 16 | pub mod module {}
//    |     ^^^
//
// error: `#[device]` is for a function with a body: expected `fn`
//   --> kernel_attribute.rs:19:5
//    |
// 19 | pub struct Function;
//    |     ^^^^^^
//
// error: `#[cluster_launch]` stands beside `#[kernel]`, on a function
//   --> kernel_attribute.rs:21:18
//    |
// 21 | #[cluster_launch(2)]
//    |                  ^
//
// error: `#[launch_bounds]` stands beside `#[kernel]`, on a function
//   --> kernel_attribute.rs:24:17
//    |
// 24 | #[launch_bounds(64)]
//    |                 ^^
//
// error: a kernel cannot be const
//   --> kernel_attribute.rs:29:5
//    |
// 29 | pub const fn constant() {}
//    |     ^^^^^
//
// error: a kernel returns nothing: it writes results to memory [OX203]
//   --> kernel_attribute.rs:32:19
//    |
// 32 | pub fn never() -> ! {
//    |                   ^
//
// error: types are for a kernel with exactly one type parameter and no constant
//   --> kernel_attribute.rs:36:10
//    |
// 36 | #[kernel(f32)]
//    |          ^^^
//
// error: an entry is named after the last segment of a path: this type needs a name
//   --> kernel_attribute.rs:39:10
//    |
// 39 | #[kernel([f32; 2])]
//    |          ^^^^^^^^
//
// error: a second `#[kernel]`
//   --> kernel_attribute.rs:43:1
//    |
// 43 | #[kernel]
//    | ^^^^^^^^^
//
// error: expected identifier
//   --> kernel_attribute.rs:46:27
//    |
// 46 | #[kernel(launch_context = 3)]
//    |                           ^
