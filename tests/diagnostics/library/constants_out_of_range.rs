// What is known at compile time is checked then: sizes, places, lanes and numbers of events.

use cuda_device::{
    DynamicSharedArray, Float2, cache, cooperative_groups::this_thread_block, debug, kernel,
    swizzle::Swizzle,
    view::{LocalIndex32, StaticView32},
};

#[kernel]
pub unsafe fn constants(numbers: &[u32], triples: *const [u8; 3]) {
    this_thread_block().tiled_partition::<12>();
    this_thread_block().tiled_partition::<64>();
    debug::prof_trigger::<16>();
    let _ = unsafe { cache::ldg(triples) };
    LocalIndex32::<4>::constant::<4>();
    if let Some(view) = StaticView32::<u32, 4>::from_slice(numbers) {
        view.at_const::<5>().read();
    }
    let _ = StaticView32::<u32, 0>::from_slice(numbers);
    Swizzle::<3, 0, 2>::apply(1);
    let _ = Float2::new([1.0, 2.0]).get::<2>();
    DynamicSharedArray::<u32, 24>::get();
}

fn main() {}
// ---- out
// error[E0080]: evaluation panicked: the bits that change would overlap those they are changed by
//  --> crates/cuda-device/src/swizzle.rs
//
// note: erroneous constant encountered
//  --> crates/cuda-device/src/swizzle.rs
//
// error[E0080]: evaluation panicked: a tile has 1, 2, 4, 8, 16 or 32 lanes
//  --> crates/cuda-device/src/cooperative_groups.rs
//
// note: that is a check of `cuda_device::cooperative_groups::ThreadBlock::tiled_partition::<12>`, which is called here
//   --> constants_out_of_range.rs:11:25
//    |
// 11 |     this_thread_block().tiled_partition::<12>();
//    |                         ^^^^^^^^^^^^^^^^^^^^^^^
//
// error[E0080]: evaluation panicked: a tile has 1, 2, 4, 8, 16 or 32 lanes
//  --> crates/cuda-device/src/cooperative_groups.rs
//
// note: that is a check of `cuda_device::cooperative_groups::ThreadBlock::tiled_partition::<64>`, which is called here
//   --> constants_out_of_range.rs:12:25
//    |
// 12 |     this_thread_block().tiled_partition::<64>();
//    |                         ^^^^^^^^^^^^^^^^^^^^^^^
//
// error[E0080]: evaluation panicked: events are numbered 0 to 15
//  --> crates/cuda-device/src/debug.rs
//
// note: that is a check of `cuda_device::debug::prof_trigger::<16>`, which is called here
//   --> constants_out_of_range.rs:13:5
//    |
// 13 |     debug::prof_trigger::<16>();
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//
// error[E0080]: evaluation panicked: there is no such index
//  --> crates/cuda-device/src/view.rs
//
// note: that is a check of `cuda_device::LocalIndex32::<4>::constant::<4>`, which is called here
//   --> constants_out_of_range.rs:15:5
//    |
// 15 |     LocalIndex32::<4>::constant::<4>();
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//
// error[E0080]: evaluation panicked: there is no such index
//  --> crates/cuda-device/src/view.rs
//
// note: that is a check of `cuda_device::LocalIndex32::<4>::constant::<5>`, which is called here
//   --> constants_out_of_range.rs:17:14
//    |
// 17 |         view.at_const::<5>().read();
//    |              ^^^^^^^^^^^^^^^
//
// error[E0080]: evaluation panicked: an extent is not 0 and fits 32 bits
//  --> crates/cuda-device/src/view/runs.rs
//
// note: that is a check of `cuda_device::StaticView32::<'_, u32, 0>::from_slice`, which is called here
//   --> constants_out_of_range.rs:19:13
//    |
// 19 |     let _ = StaticView32::<u32, 0>::from_slice(numbers);
//    |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//
// note: that is a check of `cuda_device::swizzle::Swizzle::<3, 0, 2>::apply`, which is called here
//   --> constants_out_of_range.rs:20:5
//    |
// 20 |     Swizzle::<3, 0, 2>::apply(1);
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//
// note: erroneous constant encountered
//  --> crates/cuda-device/src/swizzle.rs
//
// error[E0080]: evaluation panicked: there is no such lane
//  --> crates/cuda-device/src/cusimd.rs
//
// note: that is a check of `cuda_device::CuSimd::<f32, 2>::get::<2>`, which is called here
//   --> constants_out_of_range.rs:21:37
//    |
// 21 |     let _ = Float2::new([1.0, 2.0]).get::<2>();
//    |                                     ^^^^^^^^^^
//
// error[E0080]: evaluation panicked: an alignment is a power of two
//  --> crates/cuda-device/src/shared.rs
//
// note: erroneous constant encountered
//  --> crates/cuda-device/src/shared.rs
//
// note: that is a check of `cuda_device::DynamicSharedArray::<u32, 24>::get_raw`, which is called here
//   --> constants_out_of_range.rs:22:5
//    |
// 22 |     DynamicSharedArray::<u32, 24>::get();
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//
// error[E0080]: evaluation panicked: a value of 2, 4, 8 or 16 bytes, aligned to its size
//  --> crates/cuda-device/src/cache.rs
//   = note: this error originates in the macro `loads` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// note: that is a check of `cuda_device::cache::ldg::<[u8; 3]>`, which is called here
//   --> constants_out_of_range.rs:14:22
//    |
// 14 |     let _ = unsafe { cache::ldg(triples) };
//    |                      ^^^^^^^^^^^^^^^^^^^
//
// For more information about this error, try `rustc --explain E0080`.
