// A GPU's threads have no thread-local statics.

use std::cell::Cell;

use cuda_device::kernel;

thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(0) };
}

#[kernel]
pub unsafe fn counts(out: *mut u32) {
    unsafe { *out = COUNT.get() }
}

fn main() {}
// ---- out
// error: the thread-local static `thread_local_static::COUNT` is not available in kernels [OX105]
//   --> thread_local_static.rs:7:1
//    |
//  7 | / thread_local! {
//  8 | |     static COUNT: Cell<u32> = const { Cell::new(0) };
//  9 | | }
//    | |_^
//    |
//    = note: inside the library, through `<{closure@RUST/library/std/src/sys/thread_local/native/mod.rs:71:21: 71:24} as std::ops::FnOnce<(std::option::Option<&mut std::option::Option<std::cell::Cell<u32>>>,)>>::call_once`
// note: called from `thread_local_static::counts`
//   --> thread_local_static.rs:13:27
//    |
// 13 |     unsafe { *out = COUNT.get() }
//    |                           ^^^^^
//    = help: pass the value as an argument
