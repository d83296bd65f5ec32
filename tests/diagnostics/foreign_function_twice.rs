// A function of the host's libraries that is declared twice, differently, is refused as one that is declared once.

use cuda_device::{DisjointSlice, kernel, thread};
mod a {
    unsafe extern "C" {
        pub fn foo(x: f32) -> f32;
    }
}
mod b {
    unsafe extern "C" {
        pub fn foo(x: f64) -> f64;
    }
}
#[kernel]
pub fn k(mut out: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(o) = out.get_mut(i) {
        *o = unsafe { a::foo(*o) + b::foo(*o as f64) as f32 };
    }
}

fn main() {}
// ---- out
// warning: `foo` redeclared with a different signature
//   --> foreign_function_twice.rs:11:9
//    |
//  6 |         pub fn foo(x: f32) -> f32;
//    |         -------------------------- `foo` previously declared here
// ...
// 11 |         pub fn foo(x: f64) -> f64;
//    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^ this signature doesn't match the previous declaration
//    |
//    = note: expected `unsafe extern "C" fn(f32) -> f32`
//               found `unsafe extern "C" fn(f64) -> f64`
//    = note: `#[warn(clashing_extern_declarations)]` on by default
//
// error: the foreign function `foreign_function_twice::a::foo` has no definition that kernels could call [OX106]
//   --> foreign_function_twice.rs:18:23
//    |
// 18 |         *o = unsafe { a::foo(*o) + b::foo(*o as f64) as f32 };
//    |                       ^^^^^^^^^^
//    |
//    = help: write it in Rust
//
// error: the foreign function `foreign_function_twice::a::foo` has no definition that kernels could call [OX106]
//   --> foreign_function_twice.rs:18:36
//    |
// 18 |         *o = unsafe { a::foo(*o) + b::foo(*o as f64) as f32 };
//    |                                    ^^^^^^^^^^^^^^^^^
//    |
//    = help: write it in Rust
