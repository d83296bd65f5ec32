// An index is for slices of its own space and row stride, where no other thread has it.

use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
pub fn another_stride(mut a: DisjointSlice<u32, thread::Index2D<16>>) {
    if let Some(index) = thread::index_2d::<32>() {
        a.get_mut(index);
    }
}

#[kernel]
pub fn line_in_rows(mut a: DisjointSlice<u32, thread::Index2D<16>>) {
    a.get_mut(thread::index_1d());
}

#[kernel]
pub fn warp_in_a_line(mut a: DisjointSlice<u32>) {
    if let Some(index) = thread::warp_index() {
        a.get_mut(index);
    }
}

#[kernel]
pub fn fixed_in_runtime_rows(mut a: DisjointSlice<u32, thread::Runtime2DIndex>) {
    if let Some(index) = thread::index_2d::<32>() {
        a.get_mut(index);
    }
}

#[kernel]
pub fn number_of_two(mut a: DisjointSlice<u32, thread::Runtime2DIndex>) {
    if let Some(index) = thread::index_2d_runtime(&a) {
        let i = index.get();
    }
}

#[kernel]
pub fn indexed_by_warp(mut a: DisjointSlice<u32, thread::WarpIndex>) {
    a.get_mut_indexed();
}

#[kernel]
pub fn option(mut a: DisjointSlice<u32, thread::Index2D<16>>) {
    a.get_mut(thread::index_2d::<16>());
}

fn main() {}
// ---- out
// error[E0308]: mismatched types
//  --> witness_of_another_space.rs:8:19
//   |
// 8 |         a.get_mut(index);
//   |           ------- ^^^^^ expected `16`, found `32`
//   |           |
//   |           arguments to this method are incorrect
//   |
//   = note: expected struct `ThreadIndex<'_, Index2D<16>>`
//              found struct `ThreadIndex<'_, Index2D<32>>`
// note: method defined here
//  --> crates/cuda-device/src/disjoint.rs
//
// error[E0308]: mismatched types
//   --> witness_of_another_space.rs:14:15
//    |
// 14 |     a.get_mut(thread::index_1d());
//    |       ------- ^^^^^^^^^^^^^^^^^^ expected `ThreadIndex<'_, Index2D<16>>`, found `ThreadIndex<'_>`
//    |       |
//    |       arguments to this method are incorrect
//    |
//    = note: expected struct `ThreadIndex<'_, Index2D<16>>`
//               found struct `ThreadIndex<'_, Index1D>`
// note: method defined here
//   --> crates/cuda-device/src/disjoint.rs
//
// error[E0308]: mismatched types
//   --> witness_of_another_space.rs:20:19
//    |
// 20 |         a.get_mut(index);
//    |           ------- ^^^^^ expected `ThreadIndex<'_>`, found `ThreadIndex<'_, WarpIndex>`
//    |           |
//    |           arguments to this method are incorrect
//    |
//    = note: expected struct `ThreadIndex<'_, Index1D>`
//               found struct `ThreadIndex<'_, WarpIndex>`
// note: method defined here
//   --> crates/cuda-device/src/disjoint.rs
//
// error[E0308]: mismatched types
//   --> witness_of_another_space.rs:27:19
//    |
// 27 |         a.get_mut(index);
//    |           ------- ^^^^^ expected `ThreadIndex<'_, Runtime2DIndex>`, found `ThreadIndex<'_, Index2D<32>>`
//    |           |
//    |           arguments to this method are incorrect
//    |
//    = note: expected struct `ThreadIndex<'_, Runtime2DIndex>`
//               found struct `ThreadIndex<'_, Index2D<32>>`
// note: method defined here
//   --> crates/cuda-device/src/disjoint.rs
//
// error[E0277]: `Runtime2DIndex` is not an index space with one number for an index
//   --> witness_of_another_space.rs:34:23
//    |
// 34 |         let i = index.get();
//    |                       ^^^ the trait `FlatIndexSpace` is not implemented for `Runtime2DIndex`
//    |
//    = note: `Index1D`, `Index2D<WIDTH>` and `WarpIndex` are; of `Runtime2DIndex` there are `row` and `col`, of tiles the views of `cuda_device::view`
// help: the following other types implement trait `FlatIndexSpace`
//   --> crates/cuda-device/src/thread.rs
// note: required by a bound in `ThreadIndex::<'_, Space>::get`
//   --> crates/cuda-device/src/thread.rs
//
// error[E0277]: `WarpIndex` is not an index space that every thread can compute its index in
//   --> witness_of_another_space.rs:40:7
//    |
// 40 |     a.get_mut_indexed();
//    |       ^^^^^^^^^^^^^^^ the trait `IndexFormula` is not implemented for `WarpIndex`
//    |
//    = note: `Index1D` and `Index2D<WIDTH>` are; with another, ask for the index first: `slice.get_mut(index)`
// help: the following other types implement trait `IndexFormula`
//   --> crates/cuda-device/src/thread.rs
// note: required by a bound in `DisjointSlice::<'_, T, Space>::get_mut_indexed`
//   --> crates/cuda-device/src/disjoint.rs
//
// error[E0308]: mismatched types
//   --> witness_of_another_space.rs:45:15
//    |
// 45 |     a.get_mut(thread::index_2d::<16>());
//    |       ------- ^^^^^^^^^^^^^^^^^^^^^^^^ expected `ThreadIndex<'_, Index2D<16>>`, found `Option<ThreadIndex<'_, Index2D<16>>>`
//    |       |
//    |       arguments to this method are incorrect
//    |
//    = note: expected struct `ThreadIndex<'_, _>`
//                 found enum `Option<ThreadIndex<'_, _>>`
// note: method defined here
//   --> crates/cuda-device/src/disjoint.rs
// help: consider using `Option::expect` to unwrap the `Option<ThreadIndex<'_, Index2D<16>>>` value, panicking if the value is an `Option::None`
//    |
// 45 |     a.get_mut(thread::index_2d::<16>().expect("REASON"));
//    |                                       +++++++++++++++++
//
// Some errors have detailed explanations: E0277, E0308.
// For more information about an error, try `rustc --explain E0277`.
