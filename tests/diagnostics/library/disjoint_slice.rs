// A slice lends each thread one element at a time, and is in one place only.

use cuda_device::{DisjointSlice, kernel, thread};

fn share(_: impl Sync) {}

#[kernel]
pub fn two_at_once(mut a: DisjointSlice<u32>) {
    let one = a.get_mut(thread::index_1d());
    let other = a.get_mut(thread::index_1d());
    core::mem::swap(one.unwrap(), other.unwrap());
}

#[kernel]
pub fn cloned(mut a: DisjointSlice<u32>) {
    let mut b = a.clone();
    b.get_mut(thread::index_1d());
}

#[kernel]
pub fn copied(a: DisjointSlice<u32>) {
    let mut b = a;
    let mut c = a;
    b.get_mut(thread::index_1d());
    c.get_mut(thread::index_1d());
}

#[kernel]
pub fn in_two_closures(mut a: DisjointSlice<u32>) {
    let mut set = |value| *a.get_mut(thread::index_1d()).unwrap() = value;
    let mut clear = || *a.get_mut(thread::index_1d()).unwrap() = 0;
    set(1);
    clear();
}

#[kernel]
pub fn by_reference(a: DisjointSlice<u32>) {
    let shared = &a;
    shared.get_mut(thread::index_1d());
}

#[kernel]
pub fn between_threads(a: DisjointSlice<u32>) {
    share(a);
}

#[kernel]
pub fn as_an_array(mut a: DisjointSlice<u32>) {
    a[thread::index_1d().get()] = 1;
}

#[kernel]
pub fn as_a_slice(mut a: DisjointSlice<u32>) {
    for element in a.iter_mut() {
        *element = 1;
    }
}

fn of_a_number(_: DisjointSlice<u32, 16>) {}

fn of_no_space(_: DisjointSlice<u32, u32>) {}

#[kernel]
pub fn unchecked(mut a: DisjointSlice<u32>) {
    *a.get_unchecked_mut(0) = 1;
}

fn main() {}
// ---- out
// error[E0747]: constant provided when a type was expected
//   --> disjoint_slice.rs:59:38
//    |
// 59 | fn of_a_number(_: DisjointSlice<u32, 16>) {}
//    |                                      ^^
//
// error[E0277]: `u32` is not an index space
//   --> disjoint_slice.rs:61:19
//    |
// 61 | fn of_no_space(_: DisjointSlice<u32, u32>) {}
//    |                   ^^^^^^^^^^^^^^^^^^^^^^^ the trait `SpaceLayout` is not implemented for `u32`
//    |
//    = note: a `DisjointSlice` is for `Index1D`, `Index2D<WIDTH>`, `Runtime2DIndex`, `WarpIndex`, or tiles of `cuda_device::view`
// help: the following other types implement trait `SpaceLayout`
//   --> crates/cuda-device/src/view.rs
//   ::: crates/cuda-device/src/disjoint.rs
// note: required by a bound in `DisjointSlice`
//   --> crates/cuda-device/src/disjoint.rs
//
// error[E0599]: no method named `clone` found for struct `DisjointSlice<'a, T, Space>` in the current scope
//   --> disjoint_slice.rs:16:19
//    |
// 16 |     let mut b = a.clone();
//    |                   ^^^^^ method not found in `DisjointSlice<'_, u32>`
//
// error[E0277]: `*mut u32` cannot be shared between threads safely
//   --> disjoint_slice.rs:44:11
//    |
// 44 |     share(a);
//    |     ----- ^ `*mut u32` cannot be shared between threads safely
//    |     |
//    |     required by a bound introduced by this call
//    |
//    = help: within `DisjointSlice<'_, u32>`, the trait `Sync` is not implemented for `*mut u32`
// note: required because it appears within the type `DisjointSlice<'_, u32>`
//   --> crates/cuda-device/src/disjoint.rs
// note: required by a bound in `share`
//   --> disjoint_slice.rs:5:18
//    |
//  5 | fn share(_: impl Sync) {}
//    |                  ^^^^ required by this bound in `share`
//
// error[E0277]: a `DisjointSlice` is not indexed by a number: another thread may have the same
//   --> disjoint_slice.rs:49:5
//    |
// 49 |     a[thread::index_1d().get()] = 1;
//    |     ^ not an index of this thread alone
//    |
//    = help: the trait `disjoint::sealed::Numbered` is not implemented for `DisjointSlice<'_, u32>`
//    = note: write `if let Some(element) = slice.get_mut(thread::index_1d()) { … }`, or `get_unchecked_mut(i)`, which is `unsafe`
//    = note: required for `DisjointSlice<'_, u32>` to implement `Index<usize>`
//
// error[E0599]: no method named `iter_mut` found for struct `DisjointSlice<'a, T, Space>` in the current scope
//   --> disjoint_slice.rs:54:22
//    |
// 54 |     for element in a.iter_mut() {
//    |                      ^^^^^^^^ method not found in `DisjointSlice<'_, u32>`
//
// error[E0499]: cannot borrow `a` as mutable more than once at a time
//   --> disjoint_slice.rs:10:17
//    |
//  9 |     let one = a.get_mut(thread::index_1d());
//    |               - first mutable borrow occurs here
// 10 |     let other = a.get_mut(thread::index_1d());
//    |                 ^ second mutable borrow occurs here
// 11 |     core::mem::swap(one.unwrap(), other.unwrap());
//    |                     --- first borrow later used here
//
// error[E0382]: use of moved value: `a`
//   --> disjoint_slice.rs:23:17
//    |
// 21 | pub fn copied(a: DisjointSlice<u32>) {
//    |               - move occurs because `a` has type `DisjointSlice<'_, u32>`, which does not implement the `Copy` trait
// 22 |     let mut b = a;
//    |                 - value moved here
// 23 |     let mut c = a;
//    |                 ^ value used here after move
//
// error[E0499]: cannot borrow `a` as mutable more than once at a time
//   --> disjoint_slice.rs:31:21
//    |
// 30 |     let mut set = |value| *a.get_mut(thread::index_1d()).unwrap() = value;
//    |                   -------  - first borrow occurs due to use of `a` in closure
//    |                   |
//    |                   first mutable borrow occurs here
// 31 |     let mut clear = || *a.get_mut(thread::index_1d()).unwrap() = 0;
//    |                     ^^  - second borrow occurs due to use of `a` in closure
//    |                     |
//    |                     second mutable borrow occurs here
// 32 |     set(1);
//    |     --- first borrow later used here
//
// error[E0596]: cannot borrow `*shared` as mutable, as it is behind a `&` reference
//   --> disjoint_slice.rs:39:5
//    |
// 39 |     shared.get_mut(thread::index_1d());
//    |     ^^^^^^ `shared` is a `&` reference, so it cannot be borrowed as mutable
//    |
// help: consider changing this to be a mutable reference
//    |
// 38 |     let shared = &mut a;
//    |                   +++
//
// error[E0277]: `u32` is not an index space with one number for an index
//   --> disjoint_slice.rs:61:16
//    |
// 61 | fn of_no_space(_: DisjointSlice<u32, u32>) {}
//    |                ^ the trait `SpaceLayout` is not implemented for `u32`
//    |
//    = note: `Index1D`, `Index2D<WIDTH>` and `WarpIndex` are; of `Runtime2DIndex` there are `row` and `col`, of tiles the views of `cuda_device::view`
// help: the following other types implement trait `SpaceLayout`
//   --> crates/cuda-device/src/view.rs
//   ::: crates/cuda-device/src/disjoint.rs
//
// error[E0133]: call to unsafe function `DisjointSlice::<'a, T, Space>::get_unchecked_mut` is unsafe and requires unsafe block
//   --> disjoint_slice.rs:65:6
//    |
// 65 |     *a.get_unchecked_mut(0) = 1;
//    |      ^^^^^^^^^^^^^^^^^^^^^^ call to unsafe function
//    |
//    = note: consult the function's documentation for information on how to avoid undefined behavior
//
// Some errors have detailed explanations: E0133, E0277, E0382, E0499, E0596, E0599, E0747.
// For more information about an error, try `rustc --explain E0133`.
