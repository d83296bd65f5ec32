// Methods of slices that allocate name those that do not.

use cuda_device::kernel;
#[kernel]
pub unsafe fn a(out: *mut [u32; 8]) {
    unsafe {
        (*out).sort();
    }
}
#[kernel]
pub unsafe fn b(out: *mut [u32; 8]) {
    let out = unsafe { &mut *out };
    out.sort_by_key(|x| !x);
}
#[kernel]
pub unsafe fn c(out: *mut [u32; 8]) {
    let out = unsafe { &mut *out };
    out.sort_by(|x, y| y.cmp(x));
}
#[kernel]
pub unsafe fn d(out: *mut [u32; 8]) {
    let out = unsafe { &mut *out };
    out.sort_by_cached_key(|x| !x);
}
#[kernel]
pub unsafe fn e(out: *mut [u32; 8]) {
    let out = unsafe { &mut *out };
    let v = out.to_vec();
    out[0] = v[1];
}
#[kernel]
pub unsafe fn f(out: *mut [u32; 8]) {
    let out = unsafe { &mut *out };
    let v = out.repeat(2);
    out[0] = v[1];
}
#[kernel]
pub unsafe fn g(out: *mut [u32; 8]) {
    let out = unsafe { &mut *out };
    let v = [&out[..], &out[..]].concat();
    out[0] = v[1];
}
#[kernel]
pub unsafe fn h(out: *mut [u32; 8]) {
    let out = unsafe { &mut *out };
    let v = [&out[..], &out[..]].join(&0);
    out[0] = v[1];
}
#[kernel]
pub unsafe fn i(out: *mut [u32; 8]) {
    let out = unsafe { &mut *out };
    let v = "ab".to_string();
    out[0] = v.len() as u32;
}
fn main() {}
// ---- out
// error: heap allocation is not available in kernels: `std::slice::<impl [T]>::sort` allocates [OX101]
//  --> heap_methods.rs:7:16
//   |
// 7 |         (*out).sort();
//   |                ^^^^^^
//   |
//   = note: inside the library, through `std::slice::stable_sort::<u32, for<'a, 'b> fn(&'a u32, &'b u32) -> bool {<u32 as std::cmp::PartialOrd>::lt}>`, `core::slice::sort::stable::driftsort_main::<u32, for<'a, 'b> fn(&'a u32, &'b u32) -> bool {<u32 as std::cmp::PartialOrd>::lt}, std::vec::Vec<u32>>`, `core::slice::sort::stable::drift::sort::<u32, for<'a, 'b> fn(&'a u32, &'b u32) -> bool {<u32 as std::cmp::PartialOrd>::lt}>`, `core::slice::sort::stable::drift::sqrt_approx`
//   = help: use `sort_unstable`
//
// error: heap allocation is not available in kernels: `std::slice::<impl [u32]>::sort_by_key` allocates [OX101]
//   --> heap_methods.rs:13:5
//    |
// 13 |     out.sort_by_key(|x| !x);
//    |     ^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `std::slice::<impl [u32]>::sort_by_key::<u32, {closure@heap_methods.rs:13:21: 13:24}>`, `std::slice::stable_sort::<u32, {closure@std::slice::<impl [u32]>::sort_by_key<u32, {closure@heap_methods.rs:13:21: 13:24}>::{closure#0}}>`, `core::slice::sort::stable::driftsort_main::<u32, {closure@std::slice::<impl [u32]>::sort_by_key<u32, {closure@heap_methods.rs:13:21: 13:24}>::{closure#0}}, std::vec::Vec<u32>>`, `core::slice::sort::stable::drift::sort::<u32, {closure@std::slice::<impl [u32]>::sort_by_key<u32, {closure@heap_methods.rs:13:21: 13:24}>::{closure#0}}>`, `core::slice::sort::stable::drift::sqrt_approx`
//    = help: use `sort_unstable_by_key`
//
// error: heap allocation is not available in kernels: `std::slice::<impl [u32]>::sort_by` allocates [OX101]
//   --> heap_methods.rs:18:5
//    |
// 18 |     out.sort_by(|x, y| y.cmp(x));
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `std::slice::<impl [u32]>::sort_by::<{closure@heap_methods.rs:18:17: 18:23}>`, `std::slice::stable_sort::<u32, {closure@std::slice::<impl [u32]>::sort_by<{closure@heap_methods.rs:18:17: 18:23}>::{closure#0}}>`, `core::slice::sort::stable::driftsort_main::<u32, {closure@std::slice::<impl [u32]>::sort_by<{closure@heap_methods.rs:18:17: 18:23}>::{closure#0}}, std::vec::Vec<u32>>`, `core::slice::sort::stable::drift::sort::<u32, {closure@std::slice::<impl [u32]>::sort_by<{closure@heap_methods.rs:18:17: 18:23}>::{closure#0}}>`, `core::slice::sort::stable::drift::sqrt_approx`
//    = help: use `sort_unstable_by`
//
// error: heap allocation is not available in kernels: `std::slice::<impl [u32]>::sort_by_cached_key` allocates [OX101]
//   --> heap_methods.rs:23:5
//    |
// 23 |     out.sort_by_cached_key(|x| !x);
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `std::slice::<impl [u32]>::sort_by_cached_key::<u32, {closure@heap_methods.rs:23:28: 23:31}>`, `std::ptr::drop_in_place::<std::vec::Vec<(u32, u32)>>`, `std::ptr::drop_in_place::<alloc::raw_vec::RawVec<(u32, u32)>>`, `<alloc::raw_vec::RawVec<(u32, u32)> as std::ops::Drop>::drop`, `alloc::raw_vec::RawVecInner::deallocate`, `<std::alloc::Global as std::alloc::Allocator>::deallocate`, `alloc::alloc::__rust_dealloc`
//    = help: use `sort_unstable_by_key`
//
// error: heap allocation is not available in kernels: `std::slice::<impl [T]>::to_vec` allocates [OX101]
//   --> heap_methods.rs:28:17
//    |
// 28 |     let v = out.to_vec();
//    |                 ^^^^^^^^
//    |
//    = note: inside the library, through `alloc::raw_vec::RawVecInner::try_allocate_in`, `<std::alloc::Global as std::alloc::Allocator>::allocate_zeroed`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::slice::<impl [u32]>::repeat` allocates [OX101]
//   --> heap_methods.rs:34:13
//    |
// 34 |     let v = out.repeat(2);
//    |             ^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `std::slice::<impl [u32]>::repeat`, `alloc::raw_vec::RawVecInner::with_capacity_in`, `alloc::raw_vec::RawVecInner::try_allocate_in`, `<std::alloc::Global as std::alloc::Allocator>::allocate_zeroed`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::slice::<impl [T]>::concat` allocates [OX101]
//   --> heap_methods.rs:40:34
//    |
// 40 |     let v = [&out[..], &out[..]].concat();
//    |                                  ^^^^^^^^
//    |
//    = note: inside the library, through `<[&[u32]] as std::slice::Concat<u32>>::concat`, `alloc::raw_vec::RawVecInner::with_capacity_in`, `alloc::raw_vec::RawVecInner::try_allocate_in`, `<std::alloc::Global as std::alloc::Allocator>::allocate_zeroed`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::slice::<impl [T]>::join` allocates [OX101]
//   --> heap_methods.rs:46:34
//    |
// 46 |     let v = [&out[..], &out[..]].join(&0);
//    |                                  ^^^^^^^^
//    |
//    = note: inside the library, through `<[&[u32]] as std::slice::Join<&u32>>::join`, `alloc::raw_vec::RawVecInner::with_capacity_in`, `alloc::raw_vec::RawVecInner::try_allocate_in`, `<std::alloc::Global as std::alloc::Allocator>::allocate_zeroed`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `<T as std::string::ToString>::to_string` allocates [OX101]
//   --> heap_methods.rs:52:18
//    |
// 52 |     let v = "ab".to_string();
//    |                  ^^^^^^^^^^^
//    |
//    = note: inside the library, through `alloc::raw_vec::RawVecInner::try_allocate_in`, `<std::alloc::Global as std::alloc::Allocator>::allocate_zeroed`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
