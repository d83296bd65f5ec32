// Plain elements that all threads share need `static mut`, and so `unsafe`: two threads may change one at once.

use cuda_device::{SharedArray, kernel, thread};

static FLAGS: SharedArray<bool, 4> = SharedArray::UNINIT;

#[kernel]
pub fn plain_static() {
    static TILE: SharedArray<f32, 256> = SharedArray::UNINIT;
}

#[kernel]
pub fn without_unsafe() {
    static mut TILE: SharedArray<f32, 256> = SharedArray::UNINIT;
    TILE[thread::threadIdx_x() as usize] = 1.0;
}

#[kernel]
pub fn with_values() {
    static mut TILE: SharedArray<f32, 4> = [0.0; 4];
    static mut OTHER: SharedArray<f32, 4> = SharedArray::new();
}

fn main() {}
// ---- out
// error[E0277]: threads would share plain elements of type `bool`, and two may use one at once
//  --> shared_array_static.rs:5:15
//   |
// 5 | static FLAGS: SharedArray<bool, 4> = SharedArray::UNINIT;
//   |               ^^^^^^^^^^^^^^^^^^^^ the trait `SharedAtomic` is not implemented for `bool`
//   |
//   = note: write `static mut`, whose use is `unsafe`; or take an atomic type as elements
//   = help: the following other types implement trait `SharedAtomic`:
//             BlockAtomicF16
//             BlockAtomicF32
//             BlockAtomicF64
//             BlockAtomicI32
//             BlockAtomicI64
//             BlockAtomicU32
//             BlockAtomicU64
//             DeviceAtomicF16
//           and 13 others
//   = note: required for `SharedArray<bool, 4>` to implement `Sync`
//   = note: shared static variables must have a type that implements `Sync`
//
// error[E0277]: threads would share plain elements of type `f32`, and two may use one at once
//  --> shared_array_static.rs:9:18
//   |
// 9 |     static TILE: SharedArray<f32, 256> = SharedArray::UNINIT;
//   |                  ^^^^^^^^^^^^^^^^^^^^^ the trait `SharedAtomic` is not implemented for `f32`
//   |
//   = note: write `static mut`, whose use is `unsafe`; or take an atomic type as elements
//   = help: the following other types implement trait `SharedAtomic`:
//             BlockAtomicF16
//             BlockAtomicF32
//             BlockAtomicF64
//             BlockAtomicI32
//             BlockAtomicI64
//             BlockAtomicU32
//             BlockAtomicU64
//             DeviceAtomicF16
//           and 13 others
//   = note: required for `SharedArray<f32, 256>` to implement `Sync`
//   = note: shared static variables must have a type that implements `Sync`
//
// error[E0308]: mismatched types
//   --> shared_array_static.rs:20:44
//    |
// 20 |     static mut TILE: SharedArray<f32, 4> = [0.0; 4];
//    |                      -------------------   ^^^^^^^^ expected `SharedArray<f32, 4>`, found `[{float}; 4]`
//    |                      |
//    |                      expected because of the type of the static
//    |
//    = note: expected struct `SharedArray<f32, 4>`
//                found array `[{float}; 4]`
//
// error[E0599]: no associated function or constant named `new` found for struct `SharedArray<T, N, ALIGN>` in the current scope
//   --> shared_array_static.rs:21:58
//    |
// 21 |     static mut OTHER: SharedArray<f32, 4> = SharedArray::new();
//    |                                                          ^^^ associated function or constant not found in `SharedArray<_, _, _>`
//
// error[E0133]: use of mutable static is unsafe and requires unsafe block
//   --> shared_array_static.rs:15:5
//    |
// 15 |     TILE[thread::threadIdx_x() as usize] = 1.0;
//    |     ^^^^ use of mutable static
//    |
//    = note: mutable statics can be mutated by multiple threads: aliasing violations or data races will cause undefined behavior
//
// Some errors have detailed explanations: E0133, E0277, E0308, E0599.
// For more information about an error, try `rustc --explain E0133`.
