// Nor is there one for a `Vec`, in a function that a kernel calls.

use cuda_device::kernel;

fn numbers(n: usize) -> u32 {
    let numbers = vec![1; n];
    numbers.iter().sum()
}

#[kernel]
pub unsafe fn collects(out: *mut u32, n: usize) {
    unsafe { *out = numbers(n) }
}

fn main() {}
// ---- out
// error: heap allocation is not available in kernels: `std::vec::from_elem` allocates [OX101]
//   --> heap_vec.rs:6:19
//    |
//  6 |     let numbers = vec![1; n];
//    |                   ^^^^^^^^^^
//    |
//    = note: inside the library, through `<u32 as std::vec::spec_from_elem::SpecFromElem>::from_elem::<std::alloc::Global>`, `alloc::raw_vec::RawVecInner::try_allocate_in`, `<std::alloc::Global as std::alloc::Allocator>::allocate_zeroed`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
// note: called from `heap_vec::collects`
//   --> heap_vec.rs:12:21
//    |
// 12 |     unsafe { *out = numbers(n) }
//    |                     ^^^^^^^^^^
//    = help: use an array, a slice parameter or shared memory
