// What statics and constants point to is shared memory where it is a static of its own, and no memory where it is a value.

use cuda_device::{ConstantMemory, SharedArray, atomic::BlockAtomicU32, constant, cuda_module};

pub struct Named {
    pub name: &'static str,
    pub value: Option<&'static ConstantMemory<u32>>,
}

pub enum Source {
    Shared(&'static SharedArray<BlockAtomicU32, 4>),
    Table(&'static u32),
    None,
}

#[cuda_module]
mod kernels {
    use super::*;
    use cuda_device::kernel;

    #[constant]
    static VALUE: ConstantMemory<u32> = ConstantMemory::UNINIT;
    static COUNTS: SharedArray<BlockAtomicU32, 4> = SharedArray::UNINIT;
    static NAMED: Named = Named { name: "value", value: Some(&VALUE) };
    static BOTH: [&SharedArray<BlockAtomicU32, 4>; 2] = [&COUNTS, &COUNTS];

    static SOURCES: [Source; 3] = [Source::Table(&7), Source::Shared(&COUNTS), Source::None];
    static WRONG: [Source; 2] = [Source::None, Source::Shared(&SharedArray::UNINIT)];

    static REFERENCE: &SharedArray<BlockAtomicU32, 4> = &SharedArray::UNINIT;
    static TUPLE: (u32, Option<&SharedArray<BlockAtomicU32, 4>>) = (4, Some(&SharedArray::UNINIT));
    static SECOND: [&SharedArray<BlockAtomicU32, 4>; 2] = [&COUNTS, &SharedArray::UNINIT];
    const SLICE: &[&SharedArray<BlockAtomicU32, 4>] = &[&COUNTS, &SharedArray::UNINIT];

    #[kernel]
    pub unsafe fn good(out: *mut u32) {
        unsafe { *out = NAMED.name.len() as u32 + NAMED.value.unwrap().get() + BOTH[1].as_ptr().is_null() as u32 };
    }

    #[kernel]
    pub unsafe fn sources(out: *mut u32, index: usize) {
        unsafe {
            *out = match SOURCES[index] {
                Source::Shared(counts) => counts.as_ptr().is_null() as u32,
                Source::Table(number) => *number,
                Source::None => 0,
            };
        }
    }

    #[kernel]
    pub unsafe fn wrong(out: *mut bool, index: usize) {
        unsafe { *out = matches!(WRONG[index], Source::Shared(_)) };
    }

    #[kernel]
    pub unsafe fn reference(out: *mut bool) {
        unsafe { *out = REFERENCE.as_ptr().is_null() };
    }

    #[kernel]
    pub unsafe fn tuple(out: *mut bool) {
        unsafe { *out = TUPLE.1.unwrap().as_ptr().is_null() };
    }

    #[kernel]
    pub unsafe fn second(out: *mut bool) {
        unsafe { *out = SECOND[1].as_ptr().is_null() };
    }

    #[kernel]
    pub unsafe fn slice(out: *mut bool, index: usize) {
        unsafe { *out = SLICE[index].as_ptr().is_null() };
    }

    #[kernel]
    pub unsafe fn promoted(out: *mut bool) {
        let twice: &&SharedArray<BlockAtomicU32, 4> = &&SharedArray::UNINIT;
        unsafe { *out = twice.as_ptr().is_null() };
    }
}

fn main() {}
// ---- out
// error: a `SharedArray` must be a static [OX301]
//   --> shared_array_pointed.rs:78:55
//    |
// 78 |         let twice: &&SharedArray<BlockAtomicU32, 4> = &&SharedArray::UNINIT;
//    |                                                       ^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
//
// error: a `SharedArray` must be a static [OX301]
//   --> shared_array_pointed.rs:30:5
//    |
// 30 |     static REFERENCE: &SharedArray<BlockAtomicU32, 4> = &SharedArray::UNINIT;
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
//
// error: a `SharedArray` must be a static [OX301]
//   --> shared_array_pointed.rs:32:5
//    |
// 32 |     static SECOND: [&SharedArray<BlockAtomicU32, 4>; 2] = [&COUNTS, &SharedArray::UNINIT];
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
//
// error: a `SharedArray` must be a static [OX301]
//   --> shared_array_pointed.rs:73:25
//    |
// 73 |         unsafe { *out = SLICE[index].as_ptr().is_null() };
//    |                         ^^^^^
//    |
//    = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
//
// error: a `SharedArray` must be a static [OX301]
//   --> shared_array_pointed.rs:31:5
//    |
// 31 |     static TUPLE: (u32, Option<&SharedArray<BlockAtomicU32, 4>>) = (4, Some(&SharedArray::UNINIT));
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
//
// error: a `SharedArray` must be a static [OX301]
//   --> shared_array_pointed.rs:28:5
//    |
// 28 |     static WRONG: [Source; 2] = [Source::None, Source::Shared(&SharedArray::UNINIT)];
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
