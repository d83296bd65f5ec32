// A function that only a table names is called from whoever uses the table.

use cuda_device::kernel;

#[inline(never)]
fn first(number: u32) -> u32 {
    number + 1
}

fn boxed(number: u32) -> u32 {
    *std::hint::black_box(Box::new(number))
}

static TABLE: [fn(u32) -> u32; 2] = [first, boxed];

#[kernel]
pub unsafe fn calls(which: usize, out: *mut u32) {
    let number = first(which as u32);
    unsafe { *out = TABLE[which](number) }
}

fn main() {}
// ---- out
// error: heap allocation is not available in kernels: `std::boxed::Box::new` allocates [OX101]
//   --> function_table.rs:11:27
//    |
// 11 |     *std::hint::black_box(Box::new(number))
//    |                           ^^^^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `std::boxed::Box::<u32>::new`, `std::boxed::box_new_uninit`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
// note: called from `function_table::calls`
//   --> function_table.rs:19:21
//    |
// 19 |     unsafe { *out = TABLE[which](number) }
//    |                     ^^^^^
//    = help: use an array, a slice parameter or shared memory
