// A closure behind `dyn FnOnce` is called by value, and its size is known only at run time.

use cuda_device::kernel;

#[kernel]
pub unsafe fn calls(closure: *mut u32, out: *mut u32) {
    let number = unsafe { *closure };
    let mut closure = move || number;
    let object: *mut dyn FnOnce() -> u32 = &raw mut closure;
    unsafe { *out = Box::from_raw(object)() }
}

fn main() {}
// ---- out
// error: calling a method of an unsized value is not available in kernels [OX113]
//   --> unsized_value.rs:10:21
//    |
// 10 |     unsafe { *out = Box::from_raw(object)() }
//    |                     ^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `<std::boxed::Box<dyn std::ops::FnOnce() -> u32> as std::ops::FnOnce<()>>::call_once`
//    = help: call it through a reference
