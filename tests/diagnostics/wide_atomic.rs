// No GPU accesses more than 64 bits in one piece with these operations.

#![feature(core_intrinsics)]
#![allow(internal_features)]

use std::intrinsics::{AtomicOrdering, atomic_load};

use cuda_device::kernel;

#[kernel]
pub unsafe fn reads(counter: *const u128, out: *mut u128) {
    unsafe { *out = atomic_load::<u128, { AtomicOrdering::Relaxed }>(counter) }
}

fn main() {}
// ---- out
// error: the intrinsic `atomic_load` of a `u128` is not supported in kernels [OX112]
//   --> wide_atomic.rs:12:21
//    |
// 12 |     unsafe { *out = atomic_load::<u128, { AtomicOrdering::Relaxed }>(counter) }
//    |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: at most 64 bits are accessed at once
