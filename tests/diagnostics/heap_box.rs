// There is no heap: a `Box` is refused at the user's line, not inside `alloc`.

use cuda_device::kernel;

#[kernel]
pub unsafe fn boxes(out: *mut u32, a: u32) {
    let boxed = Box::new(a);
    unsafe { *out = *boxed }
}

fn main() {}
// ---- out
// error: heap allocation is not available in kernels: `std::boxed::Box::new` allocates [OX101]
//  --> heap_box.rs:7:17
//   |
// 7 |     let boxed = Box::new(a);
//   |                 ^^^^^^^^^^^
//   |
//   = note: inside the library, through `std::boxed::Box::<u32>::new`, `std::boxed::box_new_uninit`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//   = help: use an array, a slice parameter or shared memory
