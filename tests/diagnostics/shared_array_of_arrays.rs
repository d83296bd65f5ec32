// Nor has an array of a generic type memory for what only a static is.

use cuda_device::{SharedArray, kernel, shared_array};

#[kernel]
pub unsafe fn fills(out: *mut u32) {
    let tiles = unsafe { shared_array!(SharedArray<u32, 8>, 2) };
    unsafe { *out = tiles[1][0] }
}

fn main() {}
// ---- out
// error: a `SharedArray` must be a static [OX301]
//  --> shared_array_of_arrays.rs:7:26
//   |
// 7 |     let tiles = unsafe { shared_array!(SharedArray<u32, 8>, 2) };
//   |                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
//   = note: this error originates in the macro `$crate::shared_array` which comes from the expansion of the macro `shared_array` (in Nightly builds, run with -Z macro-backtrace for more info)
