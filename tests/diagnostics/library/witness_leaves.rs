// An index is one thread's in one run of a kernel: it is not given to others, kept or handed out.

use std::sync::Mutex;

use cuda_device::{DisjointSlice, ThreadIndex, device, kernel, thread};

static IN_A_STATIC: Mutex<Option<ThreadIndex<'static>>> = Mutex::new(None);

static mut UNCHECKED: Option<ThreadIndex<'static>> = None;

fn to_another_thread(_: impl Send) {}

#[kernel]
pub fn sent() {
    to_another_thread(thread::index_1d());
}

#[kernel]
pub fn kept() {
    let mut kept: Option<ThreadIndex<'static>> = None;
    kept.replace(thread::index_1d());
}

#[kernel]
pub fn kept_in_a_static() {
    unsafe { UNCHECKED = Some(thread::index_1d()) };
}

#[device]
fn returned<'a>() -> ThreadIndex<'a> {
    thread::index_1d()
}

#[device]
fn returned_with_the_element<'a>(slice: &'a mut DisjointSlice<u32>) -> Option<(&'a mut u32, ThreadIndex<'a>)> {
    slice.get_mut_indexed()
}

fn main() {}
// ---- out
// error: a `ThreadIndex` cannot leave the function that computes it: return the number, `get()`, or take the index as an argument
//   --> witness_leaves.rs:30:22
//    |
// 30 | fn returned<'a>() -> ThreadIndex<'a> {
//    |                      ^^^^^^^^^^^^^^^
//
// error: a `ThreadIndex` cannot leave the function that computes it: return the number, `get()`, or take the index as an argument
//   --> witness_leaves.rs:35:93
//    |
// 35 | fn returned_with_the_element<'a>(slice: &'a mut DisjointSlice<u32>) -> Option<(&'a mut u32, ThreadIndex<'a>)> {
//    |                                                                                             ^^^^^^^^^^^^^^^
//
// error[E0277]: `*const Index1D` cannot be sent between threads safely
//  --> witness_leaves.rs:7:21
//   |
// 7 | static IN_A_STATIC: Mutex<Option<ThreadIndex<'static>>> = Mutex::new(None);
//   |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `*const Index1D` cannot be sent between threads safely
//   |
//   = help: within `Option<ThreadIndex<'static>>`, the trait `Send` is not implemented for `*const Index1D`
//   = note: required because it appears within the type `(&'static (), *const Index1D)`
// note: required because it appears within the type `PhantomData<(&'static (), *const Index1D)>`
//  --> RUST/library/core/src/marker.rs
// note: required because it appears within the type `ThreadIndex<'static>`
//  --> crates/cuda-device/src/thread.rs
// note: required because it appears within the type `Option<ThreadIndex<'static>>`
//  --> RUST/library/core/src/option.rs
//   = note: required for `std::sync::Mutex<Option<ThreadIndex<'static>>>` to implement `Sync`
//   = note: shared static variables must have a type that implements `Sync`
//
// error[E0277]: `*const Index1D` cannot be sent between threads safely
//   --> witness_leaves.rs:15:23
//    |
// 15 |     to_another_thread(thread::index_1d());
//    |     ----------------- ^^^^^^^^^^^^^^^^^^ `*const Index1D` cannot be sent between threads safely
//    |     |
//    |     required by a bound introduced by this call
//    |
//    = help: within `ThreadIndex<'_>`, the trait `Send` is not implemented for `*const Index1D`
//    = note: required because it appears within the type `(&(), *const Index1D)`
// note: required because it appears within the type `PhantomData<(&(), *const Index1D)>`
//   --> RUST/library/core/src/marker.rs
// note: required because it appears within the type `ThreadIndex<'_>`
//   --> crates/cuda-device/src/thread.rs
// note: required by a bound in `to_another_thread`
//   --> witness_leaves.rs:11:30
//    |
// 11 | fn to_another_thread(_: impl Send) {}
//    |                              ^^^^ required by this bound in `to_another_thread`
//
// error[E0716]: temporary value dropped while borrowed
//   --> witness_leaves.rs:18:1
//    |
// 18 | #[kernel]
//    | ^^^^^^^^-
//    | |       |
//    | |       temporary value is freed at the end of this statement
//    | creates a temporary value which is freed while still in use
// 19 | pub fn kept() {
// 20 |     let mut kept: Option<ThreadIndex<'static>> = None;
//    |                   ---------------------------- type annotation requires that borrow lasts for `'static`
//    |
// note: requirement that the value outlives `'static` introduced here
//   --> crates/cuda-device/src/thread.rs
//    = note: this error originates in the attribute macro `kernel` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0716]: temporary value dropped while borrowed
//   --> witness_leaves.rs:24:1
//    |
// 24 | #[kernel]
//    | ^^^^^^^^-
//    | |       |
//    | |       temporary value is freed at the end of this statement
//    | creates a temporary value which is freed while still in use
// 25 | pub fn kept_in_a_static() {
// 26 |     unsafe { UNCHECKED = Some(thread::index_1d()) };
//    |              ------------------------------------ assignment requires that borrow lasts for `'static`
//    |
// note: requirement that the value outlives `'static` introduced here
//   --> crates/cuda-device/src/thread.rs
//    = note: this error originates in the attribute macro `kernel` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error[E0515]: cannot return value referencing temporary value
//   --> witness_leaves.rs:31:5
//    |
// 29 | #[device]
//    | --------- temporary value created here
// 30 | fn returned<'a>() -> ThreadIndex<'a> {
// 31 |     thread::index_1d()
//    |     ^^^^^^^^^^^^^^^^^^ returns a value referencing data owned by the current function
//
// error[E0515]: cannot return value referencing temporary value
//   --> witness_leaves.rs:36:5
//    |
// 34 | #[device]
//    | --------- temporary value created here
// 35 | fn returned_with_the_element<'a>(slice: &'a mut DisjointSlice<u32>) -> Option<(&'a mut u32, ThreadIndex<'a>)> {
// 36 |     slice.get_mut_indexed()
//    |     ^^^^^^^^^^^^^^^^^^^^^^^ returns a value referencing data owned by the current function
//
// Some errors have detailed explanations: E0277, E0515, E0716.
// For more information about an error, try `rustc --explain E0277`.
