// A pointer to a trait object carries the host's vtable; a `&str` points into the host's memory.

use cuda_device::kernel;

pub trait Shape {
    fn area(&self) -> f32;
}

type Object = *const dyn Shape;
type Text<'a> = &'a str;

#[kernel]
pub unsafe fn takes_an_object(shape: Object, out: *mut f32) {
    unsafe { *out = (*shape).area() }
}

#[kernel]
pub unsafe fn takes_text(text: Text<'_>, out: *mut usize) {
    unsafe { *out = text.len() }
}

fn main() {}
// ---- out
// error: a kernel parameter of type `*const dyn Shape` cannot be passed from the host [OX202]
//   --> unsized_parameter.rs:13:31
//    |
// 13 | pub unsafe fn takes_an_object(shape: Object, out: *mut f32) {
//    |                               ^^^^^
//    |
//    = help: pass a slice, a raw pointer, or a value that is copied
//
// error: a kernel parameter of type `&str` cannot be passed from the host [OX202]
//   --> unsized_parameter.rs:18:26
//    |
// 18 | pub unsafe fn takes_text(text: Text<'_>, out: *mut usize) {
//    |                          ^^^^
//    |
//    = help: pass a slice, a raw pointer, or a value that is copied
