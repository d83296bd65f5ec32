// Groups combine and shuffle what fits a register, in tiles of their own size.

use cuda_device::{
    CuSimd, SharedArray,
    cooperative_groups::{WarpTile, block_reduce, ops::BitOr, ops::Sum, this_thread_block, warp_reduce},
    kernel,
    vector::as_vectors,
};

#[kernel]
pub fn doubles(a: f64) {
    warp_reduce::<f64, Sum, 16>(&this_thread_block().tiled_partition(), a);
}

#[kernel]
pub fn bits_of_a_float(a: f32) {
    warp_reduce::<f32, BitOr, 16>(&this_thread_block().tiled_partition(), a);
}

#[kernel]
pub fn another_tile(a: f32) {
    let tile = this_thread_block().tiled_partition::<8>();
    warp_reduce::<f32, Sum, 16>(&tile, a);
}

#[kernel]
pub fn scratch_of_another_type(a: f32) {
    static mut SCRATCH: SharedArray<u32, 8> = SharedArray::UNINIT;
    block_reduce::<f32, Sum, 8>(&this_thread_block(), a, &raw mut SCRATCH);
}

#[kernel]
pub fn tile_by_hand() {
    let _ = WarpTile::<12>(());
}

#[kernel]
pub fn no_vector(numbers: &[f32]) {
    as_vectors::<[f32; 4]>(numbers);
}

fn bytes(_: CuSimd<u8, 4>) {}

fn main() {}
// ---- out
// error[E0277]: `u8` is not what registers hold
//   --> groups.rs:42:13
//    |
// 42 | fn bytes(_: CuSimd<u8, 4>) {}
//    |             ^^^^^^^^^^^^^ the trait `cuda_device::cusimd::SimdElement` is not implemented for `u8`
//    |
//    = note: they hold `f32`, `f64` and integers of 16, 32 and 64 bits
//    = note: `u8` implements similarly named trait `core::core_arch::simd::SimdElement`, but not `cuda_device::cusimd::SimdElement`
//    = help: the following other types implement trait `cuda_device::cusimd::SimdElement`:
//              f32
//              f64
//              i16
//              i32
//              i64
//              u16
//              u32
//              u64
// note: required by a bound in `CuSimd`
//   --> crates/cuda-device/src/cusimd.rs
//
// error[E0277]: a warp cannot shuffle a `f64`
//   --> groups.rs:12:19
//    |
// 12 |     warp_reduce::<f64, Sum, 16>(&this_thread_block().tiled_partition(), a);
//    |                   ^^^ the trait `WarpShuffle` is not implemented for `f64`
//    |
//    = note: it can `u32`, `i32` and `f32`: convert the value, or combine its parts one by one
// help: the following other types implement trait `WarpShuffle`
//   --> crates/cuda-device/src/cooperative_groups.rs
// note: required by a bound in `warp_reduce`
//   --> crates/cuda-device/src/cooperative_groups.rs
//    = note: this error originates in the macro `shuffled` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0277]: `cuda_device::cooperative_groups::ops::Sum` does not combine values of type `f64`
//   --> groups.rs:12:24
//    |
// 12 |     warp_reduce::<f64, Sum, 16>(&this_thread_block().tiled_partition(), a);
//    |                        ^^^ the trait `ReduceOp<f64>` is not implemented for `cuda_device::cooperative_groups::ops::Sum`
//    |
//    = note: `Sum`, `Min` and `Max` combine `u32`, `i32` and `f32`, `BitAnd`, `BitOr` and `BitXor` combine `u32`; implement `ReduceOp<f64>` for a type of your own
// help: `cuda_device::cooperative_groups::ops::Sum` implements trait `ReduceOp<T>`
//   --> crates/cuda-device/src/cooperative_groups.rs
// note: required by a bound in `warp_reduce`
//   --> crates/cuda-device/src/cooperative_groups.rs
//    = note: this error originates in the macro `operations` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0277]: `cuda_device::cooperative_groups::ops::BitOr` does not combine values of type `f32`
//   --> groups.rs:17:24
//    |
// 17 |     warp_reduce::<f32, BitOr, 16>(&this_thread_block().tiled_partition(), a);
//    |                        ^^^^^ the trait `ReduceOp<f32>` is not implemented for `cuda_device::cooperative_groups::ops::BitOr`
//    |
//    = note: `Sum`, `Min` and `Max` combine `u32`, `i32` and `f32`, `BitAnd`, `BitOr` and `BitXor` combine `u32`; implement `ReduceOp<f32>` for a type of your own
// help: the trait `ReduceOp<f32>` is not implemented for `cuda_device::cooperative_groups::ops::BitOr`
//      but trait `ReduceOp<u32>` is implemented for it
//   --> crates/cuda-device/src/cooperative_groups.rs
//    = help: for that trait implementation, expected `u32`, found `f32`
// note: required by a bound in `warp_reduce`
//   --> crates/cuda-device/src/cooperative_groups.rs
//    = note: this error originates in the macro `operations` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0308]: mismatched types
//   --> groups.rs:23:33
//    |
// 23 |     warp_reduce::<f32, Sum, 16>(&tile, a);
//    |     --------------------------- ^^^^^ expected `16`, found `8`
//    |     |
//    |     arguments to this function are incorrect
//    |
//    = note: expected reference `&WarpTile<16>`
//               found reference `&WarpTile<8>`
// note: function defined here
//   --> crates/cuda-device/src/cooperative_groups.rs
//
// error[E0308]: mismatched types
//   --> groups.rs:29:58
//    |
// 29 |     block_reduce::<f32, Sum, 8>(&this_thread_block(), a, &raw mut SCRATCH);
//    |     ---------------------------                          ^^^^^^^^^^^^^^^^ expected `*mut SharedArray<f32, 8>`, found `*mut SharedArray<u32, 8>`
//    |     |
//    |     arguments to this function are incorrect
//    |
//    = note: expected raw pointer `*mut SharedArray<f32, 8>`
//               found raw pointer `*mut SharedArray<u32, 8>`
// note: function defined here
//   --> crates/cuda-device/src/cooperative_groups.rs
//
// error[E0423]: cannot initialize a tuple struct which contains private fields
//   --> groups.rs:34:13
//    |
// 34 |     let _ = WarpTile::<12>(());
//    |             ^^^^^^^^^^^^^^
//    |
// note: constructor is not visible here due to private fields
//   --> crates/cuda-device/src/cooperative_groups.rs
//
// error[E0277]: `[f32; 4]` is not a vector
//   --> groups.rs:39:18
//    |
// 39 |     as_vectors::<[f32; 4]>(numbers);
//    |                  ^^^^^^^^ the trait `cuda_device::vector::Vector` is not implemented for `[f32; 4]`
//    |
//    = note: vectors are `F32x2`, `F32x4`, `F64x2`, `U32x2`, `U32x4`, `U16x4` and `U16x8`
//    = help: the following other types implement trait `cuda_device::vector::Vector`:
//              F32x2
//              F32x4
//              F64x2
//              U16x4
//              U16x8
//              U32x2
//              U32x4
// note: required by a bound in `as_vectors`
//   --> crates/cuda-device/src/vector.rs
//
// error[E0277]: `[f32; 4]` is not a vector
//   --> groups.rs:39:28
//    |
// 39 |     as_vectors::<[f32; 4]>(numbers);
//    |                            ^^^^^^^ the trait `cuda_device::vector::Vector` is not implemented for `[f32; 4]`
//    |
//    = note: vectors are `F32x2`, `F32x4`, `F64x2`, `U32x2`, `U32x4`, `U16x4` and `U16x8`
//    = help: the following other types implement trait `cuda_device::vector::Vector`:
//              F32x2
//              F32x4
//              F64x2
//              U16x4
//              U16x8
//              U32x2
//              U32x4
//
// Some errors have detailed explanations: E0277, E0308, E0423.
// For more information about an error, try `rustc --explain E0277`.
