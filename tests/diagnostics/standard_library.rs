// What needs an operating system is not there.

use cuda_device::kernel;

#[kernel]
pub unsafe fn asks_the_time(out: *mut u64) {
    let start = std::time::Instant::now();
    unsafe { *out = start.elapsed().as_secs() }
}

fn main() {}
// ---- out
// error: `std::time::Instant::now` of the standard library is not available in kernels [OX102]
//  --> standard_library.rs:7:17
//   |
// 7 |     let start = std::time::Instant::now();
//   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: do it on the host and pass the result, or use what `core` offers
//
// error: `std::time::Instant::elapsed` of the standard library is not available in kernels [OX102]
//  --> standard_library.rs:8:21
//   |
// 8 |     unsafe { *out = start.elapsed().as_secs() }
//   |                     ^^^^^^^^^^^^^^^
//   |
//   = help: do it on the host and pass the result, or use what `core` offers
