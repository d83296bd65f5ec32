// Only the scope of a kernel or device function makes an index: not a plain function, not a renamed import, not a struct expression.

use cuda_device::{DisjointSlice, ThreadIndex, kernel, thread, thread::index_1d as position};

fn plain() -> usize {
    thread::index_1d().get()
}

fn plain_of_rows(slice: &DisjointSlice<u32, thread::Runtime2DIndex>) -> bool {
    thread::index_2d_runtime(slice).is_some() || thread::index_2d::<16>().is_some()
}

fn plain_indexed(slice: &mut DisjointSlice<u32>) {
    slice.get_mut_indexed();
}

fn by_hand() -> ThreadIndex<'static> {
    ThreadIndex::new(3, 0)
}

#[kernel]
pub fn renamed(mut out: DisjointSlice<u32>) {
    out.get_mut(position());
}

#[kernel]
pub fn in_an_inner_function(mut out: DisjointSlice<u32>) {
    fn inner() -> usize {
        thread::index_1d().get()
    }
    if let Some((element, _)) = out.get_mut_indexed() {
        *element = inner() as u32;
    }
}

#[kernel]
pub fn of_a_number(mut out: DisjointSlice<u32>) {
    out.get_mut(thread::threadIdx_x() as usize);
}

fn main() {}
// ---- out
// error[E0061]: this function takes 1 argument but 0 arguments were supplied
//  --> witness_made_elsewhere.rs:6:5
//   |
// 6 |     thread::index_1d().get()
//   |     ^^^^^^^^^^^^^^^^-- argument #1 is missing
//   |
// note: function defined here
//  --> crates/cuda-device/src/thread.rs
// help: provide the argument
//   |
// 6 |     thread::index_1d(/* mark_the_function_device_or_pass_the_launch_context */).get()
//   |                      +++++++++++++++++++++++++++++++++++++++++++++++++++++++++
//
// error[E0277]: an index function takes the scope of a `#[kernel]` or `#[device]` function, which these attributes add
//   --> witness_made_elsewhere.rs:10:30
//    |
// 10 |     thread::index_2d_runtime(slice).is_some() || thread::index_2d::<16>().is_some()
//    |     ------------------------ ^^^^^ not such a scope
//    |     |
//    |     required by a bound introduced by this call
//    |
//    = help: the trait `LaunchScope<'_>` is not implemented for `&DisjointSlice<'_, u32, Runtime2DIndex>`
//    = note: mark this function `#[device]`, or have it take the index from the kernel
// note: required by a bound in `index_2d_runtime`
//   --> crates/cuda-device/src/thread.rs
//
// error[E0061]: this function takes 2 arguments but 1 argument was supplied
//   --> witness_made_elsewhere.rs:10:5
//    |
// 10 |     thread::index_2d_runtime(slice).is_some() || thread::index_2d::<16>().is_some()
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^------- argument #2 of type `&DisjointSlice<'_, _, Runtime2DIndex>` is missing
//    |
// note: function defined here
//   --> crates/cuda-device/src/thread.rs
// help: provide the argument
//    |
// 10 |     thread::index_2d_runtime(slice, /* slice */).is_some() || thread::index_2d::<16>().is_some()
//    |                                   +++++++++++++
//
// error[E0061]: this function takes 1 argument but 0 arguments were supplied
//   --> witness_made_elsewhere.rs:10:50
//    |
// 10 |     thread::index_2d_runtime(slice).is_some() || thread::index_2d::<16>().is_some()
//    |                                                  ^^^^^^^^^^^^^^^^^^^^^^-- argument #1 is missing
//    |
// note: function defined here
//   --> crates/cuda-device/src/thread.rs
// help: provide the argument
//    |
// 10 |     thread::index_2d_runtime(slice).is_some() || thread::index_2d::<16>(/* mark_the_function_device_or_pass_the_launch_context */).is_some()
//    |                                                                         +++++++++++++++++++++++++++++++++++++++++++++++++++++++++
//
// error[E0061]: this method takes 1 argument but 0 arguments were supplied
//   --> witness_made_elsewhere.rs:14:11
//    |
// 14 |     slice.get_mut_indexed();
//    |           ^^^^^^^^^^^^^^^-- argument #1 is missing
//    |
// note: method defined here
//   --> crates/cuda-device/src/disjoint.rs
// help: provide the argument
//    |
// 14 |     slice.get_mut_indexed(/* mark_the_function_device_or_pass_the_launch_context */);
//    |                           +++++++++++++++++++++++++++++++++++++++++++++++++++++++++
//
// error[E0624]: associated function `new` is private
//   --> witness_made_elsewhere.rs:18:18
//    |
// 18 |     ThreadIndex::new(3, 0)
//    |                  ^^^ private associated function
//    |
//   ::: crates/cuda-device/src/thread.rs
//
// error[E0061]: this function takes 1 argument but 0 arguments were supplied
//   --> witness_made_elsewhere.rs:23:17
//    |
// 23 |     out.get_mut(position());
//    |                 ^^^^^^^^-- argument #1 is missing
//    |
// note: function defined here
//   --> crates/cuda-device/src/thread.rs
// help: provide the argument
//    |
// 23 |     out.get_mut(position(/* mark_the_function_device_or_pass_the_launch_context */));
//    |                          +++++++++++++++++++++++++++++++++++++++++++++++++++++++++
//
// error[E0061]: this function takes 1 argument but 0 arguments were supplied
//   --> witness_made_elsewhere.rs:29:9
//    |
// 29 |         thread::index_1d().get()
//    |         ^^^^^^^^^^^^^^^^-- argument #1 is missing
//    |
// note: function defined here
//   --> crates/cuda-device/src/thread.rs
// help: provide the argument
//    |
// 29 |         thread::index_1d(/* mark_the_function_device_or_pass_the_launch_context */).get()
//    |                          +++++++++++++++++++++++++++++++++++++++++++++++++++++++++
//
// error[E0308]: mismatched types
//   --> witness_made_elsewhere.rs:38:17
//    |
// 38 |     out.get_mut(thread::threadIdx_x() as usize);
//    |         ------- ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `ThreadIndex<'_>`, found `usize`
//    |         |
//    |         arguments to this method are incorrect
//    |
//    = note: expected struct `ThreadIndex<'_>`
//                 found type `usize`
// note: method defined here
//   --> crates/cuda-device/src/disjoint.rs
//
// Some errors have detailed explanations: E0061, E0277, E0308, E0624.
// For more information about an error, try `rustc --explain E0061`.
