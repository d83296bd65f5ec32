// A type's id is known to the host only.

use std::any::Any;

use cuda_device::kernel;

#[inline(never)]
fn is_number(value: &dyn Any) -> bool {
    value.is::<u32>()
}

#[kernel]
pub unsafe fn looks(out: *mut bool, a: u32) {
    unsafe { *out = is_number(&a) }
}

fn main() {}
// ---- out
// error: the `TypeId` of `u32` is not available in kernels [OX109]
//   --> type_id.rs:14:31
//    |
// 14 |     unsafe { *out = is_number(&a) }
//    |                               ^^
//    |
//    = note: inside the library, through `<u32 as std::any::Any>::type_id`
//    = help: tell types apart by an enum of your own
//
// error: the `TypeId` of `u32` is not available in kernels [OX109]
//   --> type_id.rs:14:21
//    |
// 14 |     unsafe { *out = is_number(&a) }
//    |                     ^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `type_id::is_number`
//    = help: tell types apart by an enum of your own
