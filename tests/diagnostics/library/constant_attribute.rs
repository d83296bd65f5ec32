// `#[constant]` is for a `ConstantMemory<T>` directly in a `#[cuda_module]`, which adds its setter, and never `mut`.

use cuda_device::{ConstantMemory, constant, cuda_module};

#[constant]
static OUTSIDE: ConstantMemory<u32> = ConstantMemory::UNINIT;

#[cuda_module]
mod kernels {
    use cuda_device::{ConstantMemory, constant, kernel};

    #[constant]
    static mut MUTABLE: ConstantMemory<u32> = ConstantMemory::UNINIT;

    #[constant]
    static PLAIN: u32 = 3;

    #[constant]
    static ARRAY: [ConstantMemory<u32>; 2] = [ConstantMemory::UNINIT, ConstantMemory::UNINIT];

    #[constant(4)]
    static ARGUMENTS: ConstantMemory<u32> = ConstantMemory::UNINIT;

    #[constant]
    const CONSTANT: ConstantMemory<u32> = ConstantMemory::UNINIT;

    mod inner {
        use cuda_device::{ConstantMemory, constant};

        #[constant]
        static INNER: ConstantMemory<u32> = ConstantMemory::UNINIT;
    }

    #[kernel]
    pub fn k() {}
}

fn main() {}
// ---- out
// error: `#[constant]` is for statics directly in a `#[cuda_module]`, whose `LoadedModule` sets them
//  --> constant_attribute.rs:5:1
//   |
// 5 | #[constant]
//   | ^^^^^^^^^^^
//   |
//   = note: this error originates in the attribute macro `constant` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error: kernels only read a constant: leave out `mut`
//   --> constant_attribute.rs:13:12
//    |
// 13 |     static mut MUTABLE: ConstantMemory<u32> = ConstantMemory::UNINIT;
//    |            ^^^
//
// error: a constant is of type `ConstantMemory<T>`
//   --> constant_attribute.rs:16:19
//    |
// 16 |     static PLAIN: u32 = 3;
//    |                   ^^^
//
// error: a constant is of type `ConstantMemory<T>`
//   --> constant_attribute.rs:19:19
//    |
// 19 |     static ARRAY: [ConstantMemory<u32>; 2] = [ConstantMemory::UNINIT, ConstantMemory::UNINIT];
//    |                   ^^^^^^^^^^^^^^^^^^^^^^^^
//
// error: `#[constant]` takes no arguments
//   --> constant_attribute.rs:21:5
//    |
// 21 |     #[constant(4)]
//    |     ^^^^^^^^^^^^^^
//
// error: `#[constant]` is for statics directly in a `#[cuda_module]`, whose `LoadedModule` sets them
//   --> constant_attribute.rs:30:9
//    |
// 30 |         #[constant]
//    |         ^^^^^^^^^^^
//    |
//    = note: this error originates in the attribute macro `constant` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error: `#[constant]` is for statics directly in a `#[cuda_module]`, whose `LoadedModule` sets them
//   --> constant_attribute.rs:24:5
//    |
// 24 |     #[constant]
//    |     ^^^^^^^^^^^
//    |
//    = note: this error originates in the attribute macro `constant` (in Nightly builds, run with -Z macro-backtrace for more info)
