//! What an image and the device say to each other; `src/oxide/export/cpu.py` writes the image's side.
//!
//! An image exports one symbol, `oxide.image`. It finds the thread that it runs as through [`Image::current`], reads special registers
//! from that [`Thread`], and calls the device's functions, which it names in its table and is given when it is loaded
//! ([`crate::functions`]).

use std::ffi::c_char;

use crate::fiber::Suspender;

/// The symbol that an image exports.
pub const SYMBOL: &[u8] = b"oxide.image\0";
pub const VERSION: u32 = 2;

/// The table `oxide.image`.
#[repr(C)]
pub struct Image {
    pub version: u32,
    pub kernel_count: u32,
    pub site_count: u32,
    pub global_count: u32,
    pub function_count: u32,
    pub kernels: *const Kernel,
    /// For each call that reaches the device, the name of the function it is in and, after a newline, what the call is for and where.
    pub sites: *const *const c_char,
    pub globals: *const Global,
    pub functions: *const Function,
    /// Where this thread of the system keeps the address of the GPU thread that it runs.
    pub current: unsafe extern "C" fn() -> *mut *mut Thread,
}

#[repr(C)]
pub struct Kernel {
    pub name: *const c_char,
    /// Runs the current thread, with parameters from a buffer.
    pub entry: unsafe extern "C" fn(parameters: *const u8),
    pub parameters: *const Parameter,
    pub parameter_count: u32,
    /// Bytes of the buffer.
    pub buffer: u32,
    /// Not 0 where the kernel can reach a barrier or another meeting of threads.
    pub meets: u32,
    /// Most threads of a block; 0 for no bound of its own.
    pub max_threads: u32,
    /// Bytes of shared memory that a block takes by itself.
    pub shared: u32,
}

/// Where a parameter lies in the buffer, in bytes.
#[repr(C)]
pub struct Parameter {
    pub offset: u32,
    pub size: u32,
}

/// A variable that the host may look up by name.
#[repr(C)]
pub struct Global {
    pub name: *const c_char,
    pub address: u64,
    pub size: u64,
}

/// A function of the device that the image calls: its name, and where the image keeps its address.
#[repr(C)]
pub struct Function {
    pub name: *const c_char,
    pub address: *mut *const (),
}

/// A GPU thread. The image reads the fields up to `lane` at fixed offsets.
#[repr(C)]
pub struct Thread {
    /// How the thread's fiber stops; set while it runs.
    pub suspender: *const Suspender,
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub block_dim: [u32; 3],
    pub grid_dim: [u32; 3],
    pub lane: u32,
}

const _: () = {
    use std::mem::{offset_of, size_of};
    assert!(size_of::<Kernel>() == 48 && size_of::<Image>() == 64);
    assert!(offset_of!(Thread, thread) == 8 && offset_of!(Thread, block) == 20 && offset_of!(Thread, block_dim) == 32);
    assert!(offset_of!(Thread, grid_dim) == 44 && offset_of!(Thread, lane) == 56);
};
