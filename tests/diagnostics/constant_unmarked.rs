// Constant memory that no `#[constant]` gives the host a setter for would stay zero: a static, and one inside a function, an array, a struct,
// behind a reference, as a constant.

use cuda_device::{ConstantMemory, cuda_module};

pub struct Table {
    pub count: u32,
    pub values: ConstantMemory<[f32; 4]>,
}

pub struct Of<T: cuda_device::ConstantMemoryValue>([ConstantMemory<T>; 1]);

#[cuda_module]
mod kernels {
    use super::*;
    use cuda_device::kernel;

    static SCALE: ConstantMemory<u32> = ConstantMemory::UNINIT;
    static ARRAY: [ConstantMemory<u32>; 2] = [ConstantMemory::UNINIT, ConstantMemory::UNINIT];
    static TABLE: Table = Table { count: 4, values: ConstantMemory::UNINIT };
    static GENERIC: Of<u8> = Of([ConstantMemory::UNINIT]);
    static BEHIND: &ConstantMemory<u32> = &SCALE;
    const VALUE: ConstantMemory<u32> = ConstantMemory::UNINIT;

    fn inner() -> u32 {
        static INNER: ConstantMemory<u32> = ConstantMemory::UNINIT;
        INNER.get()
    }

    #[kernel]
    pub unsafe fn alone(out: *mut u32) {
        unsafe { *out = SCALE.get() };
    }

    #[kernel]
    pub unsafe fn array(out: *mut u32) {
        unsafe { *out = ARRAY[1].get() };
    }

    #[kernel]
    pub unsafe fn of_a_struct(out: *mut u32) {
        unsafe { *out = TABLE.count + TABLE.values.get()[0] as u32 };
    }

    #[kernel]
    pub unsafe fn generic(out: *mut u32) {
        unsafe { *out = u32::from(GENERIC.0[0].get()) };
    }

    #[kernel]
    pub unsafe fn behind(out: *mut u32) {
        unsafe { *out = BEHIND.get() };
    }

    #[kernel]
    pub unsafe fn value(out: *mut u32) {
        unsafe { *out = VALUE.get() };
    }

    #[kernel]
    pub unsafe fn nested(out: *mut u32) {
        unsafe { *out = inner() };
    }
}

fn main() {}
// ---- out
// error: `kernels::SCALE` has no `#[constant]`, so the host cannot set it [OX308]
//   --> constant_unmarked.rs:18:5
//    |
// 18 |     static SCALE: ConstantMemory<u32> = ConstantMemory::UNINIT;
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `#[constant] static TABLE: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`
//
// error: a `ConstantMemory` must be a static [OX308]
//   --> constant_unmarked.rs:19:5
//    |
// 19 |     static ARRAY: [ConstantMemory<u32>; 2] = [ConstantMemory::UNINIT, ConstantMemory::UNINIT];
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `#[constant] static TABLE: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`
//
// error: a `ConstantMemory` must be a static [OX308]
//   --> constant_unmarked.rs:21:5
//    |
// 21 |     static GENERIC: Of<u8> = Of([ConstantMemory::UNINIT]);
//    |     ^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `#[constant] static TABLE: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`
//
// error: `kernels::inner::INNER` has no `#[constant]`, so the host cannot set it [OX308]
//   --> constant_unmarked.rs:26:9
//    |
// 26 |         static INNER: ConstantMemory<u32> = ConstantMemory::UNINIT;
//    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `#[constant] static TABLE: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`
//
// error: a `ConstantMemory` must be a static [OX308]
//   --> constant_unmarked.rs:20:5
//    |
// 20 |     static TABLE: Table = Table { count: 4, values: ConstantMemory::UNINIT };
//    |     ^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `#[constant] static TABLE: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`
//
// error: a `ConstantMemory` must be a static [OX308]
//   --> constant_unmarked.rs:57:25
//    |
// 57 |         unsafe { *out = VALUE.get() };
//    |                         ^^^^^
//    |
//    = help: write `#[constant] static TABLE: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`
