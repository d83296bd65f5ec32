//! What a function that is linked in later takes and is called.

use cuda_device::{device, kernel};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pair(f32, f64);

#[device]
unsafe extern "C" {
    fn takes(pair: Pair);
    fn slice(a: &[f32]);
    #[link_name = "caller"]
    fn kernel_of_that_name();
    #[link_name = "a.b"]
    fn dotted();
}

mod other {
    #[cuda_device::device]
    unsafe extern "C" {
        #[link_name = "dotted_again"]
        pub fn one(x: u32);
        #[link_name = "dotted_again"]
        pub fn two(x: u64);
    }
}

#[kernel]
pub fn caller(pair: Pair) {
    unsafe { takes(pair) };
    unsafe { slice(&[]) };
    unsafe { kernel_of_that_name() };
    unsafe { dotted() };
    unsafe { other::one(1) };
    unsafe { other::two(2) };
}

fn main() {}
// ---- out
// error: an external function takes and returns numbers and pointers, got a `Pair` [OX307]
//   --> external_function.rs:11:8
//    |
// 11 |     fn takes(pair: Pair);
//    |        ^^^^^
//    |
// note: called from `external_function::caller`
//   --> external_function.rs:31:14
//    |
// 31 |     unsafe { takes(pair) };
//    |              ^^^^^^^^^^^
//    = help: pass a pointer to it
//
// error: an external function takes and returns numbers and pointers, got a `&[f32]` [OX307]
//   --> external_function.rs:12:8
//    |
// 12 |     fn slice(a: &[f32]);
//    |        ^^^^^
//    |
// note: called from `external_function::caller`
//   --> external_function.rs:32:14
//    |
// 32 |     unsafe { slice(&[]) };
//    |              ^^^^^^^^^^
//    = help: pass a pointer to it
//
// error: `caller` is declared external, but this crate defines it [OX307]
//   --> external_function.rs:14:8
//    |
// 14 |     fn kernel_of_that_name();
//    |        ^^^^^^^^^^^^^^^^^^^
//    |
// note: called from `external_function::caller`
//   --> external_function.rs:33:14
//    |
// 33 |     unsafe { kernel_of_that_name() };
//    |              ^^^^^^^^^^^^^^^^^^^^^
//    = help: rename one
//
// error: an external function cannot have the name `a.b` [OX307]
//   --> external_function.rs:16:8
//    |
// 16 |     fn dotted();
//    |        ^^^^^^
//    |
// note: called from `external_function::caller`
//   --> external_function.rs:34:14
//    |
// 34 |     unsafe { dotted() };
//    |              ^^^^^^^^
//    = help: use letters, digits, `_` and `$`; names with `__nv_` are libdevice's
//
// error: the external function `dotted_again` is declared in two ways [OX307]
//   --> external_function.rs:25:16
//    |
// 25 |         pub fn two(x: u64);
//    |                ^^^
//    |
// note: called from `external_function::caller`
//   --> external_function.rs:36:14
//    |
// 36 |     unsafe { other::two(2) };
//    |              ^^^^^^^^^^^^^
//    = help: declare it once
