//! The binary interface between an image and the device; `src/oxide/export/cpu.py` writes the image's side.
//!
//! An image exports one symbol, `oxide.image`. It finds the thread that it runs as through [`Image::current`], reads special registers
//! and the start of the block's shared memory from its [`Registers`], and calls the device's functions, which it names in its table and
//! whose addresses it gets when it is loaded ([`crate::exec::functions`]).

use std::ffi::{CStr, c_char};

/// The symbol that an image exports.
pub const SYMBOL: &[u8] = b"oxide.image\0";
pub const VERSION: u32 = 5;

/// The table `oxide.image`.
#[repr(C)]
pub struct Image {
    pub version: u32,
    pub kernel_count: u32,
    pub site_count: u32,
    pub global_count: u32,
    pub function_count: u32,
    pub shared_count: u32,
    pub object_count: u32,
    /// What accesses are checked for, see [`crate::exec::check`]; 0 for an image that checks nothing.
    pub checks: u32,
    /// The offset of a block's dynamic shared memory, behind the module's shared variables.
    pub dynamic: u32,
    pub kernels: *const Kernel,
    /// For each call of the device, the name of the function it is in and, after a newline, its purpose and source location.
    pub sites: *const *const c_char,
    pub globals: *const Global,
    pub functions: *const Function,
    pub shared: *const Shared,
    /// All variables outside shared memory, of an image that checks accesses.
    pub objects: *const Global,
    /// The address of the thread-local variable that points to the GPU thread which runs.
    pub current: unsafe extern "C" fn() -> *mut *mut Registers,
}

#[repr(C)]
pub struct Kernel {
    pub name: *const c_char,
    /// Runs the current thread, with parameters from a buffer.
    pub entry: unsafe extern "C" fn(parameters: *const u8),
    pub parameters: *const Parameter,
    /// The operation within reach of the kernel that the device does not support, and where; null for a kernel that can be launched.
    pub refused: *const c_char,
    pub parameter_count: u32,
    /// Bytes of the buffer.
    pub buffer: u32,
    /// Not 0 where the kernel can reach a barrier or another operation that waits for other threads.
    pub synchronizes: u32,
    /// Most threads of a block; 0 for no bound of its own.
    pub max_threads: u32,
    /// Bytes of static shared memory of a block.
    pub shared: u32,
    /// The block's and the cluster's shape that the kernel requires; zeros where it requires none.
    pub block_dim: [u32; 3],
    pub cluster_dim: [u32; 3],
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

/// A function of the device that the image calls: its name, and the variable for its address.
#[repr(C)]
pub struct Function {
    pub name: *const c_char,
    pub address: *mut *const (),
}

/// A variable in shared memory: its offset in a block's and its bytes. Between two there is padding.
#[repr(C)]
pub struct Shared {
    pub name: *const c_char,
    pub offset: u32,
    pub size: u32,
}

/// Calls of the call stack that an image records.
pub const CALLS: usize = 32;

/// The part of a GPU thread that images access at fixed offsets: they read the fields up to `shared`, count in `spins`, and write `depth`
/// and `calls`.
#[repr(C)]
pub struct Registers {
    _reserved: u64,
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub block_dim: [u32; 3],
    pub grid_dim: [u32; 3],
    pub lane: u32,
    /// Accesses that may be polls of a spin loop, since the last that let other threads run.
    pub spins: u32,
    /// The start of the block's shared memory.
    pub shared: *mut u8,
    /// The call stack: how many calls, and their call sites from the outermost on.
    pub depth: u32,
    pub calls: [u32; CALLS],
}

impl Registers {
    /// Those of a thread that is not in a block yet.
    pub fn new() -> Self {
        Self {
            _reserved: 0,
            thread: [0; 3],
            block: [0; 3],
            block_dim: [1; 3],
            grid_dim: [1; 3],
            lane: 0,
            spins: 0,
            shared: std::ptr::null_mut(),
            depth: 0,
            calls: [0; CALLS],
        }
    }

    /// The call sites that the thread is within, from the outermost on.
    pub fn call_stack(&self) -> &[u32] {
        &self.calls[..(self.depth as usize).min(CALLS)]
    }
}

/// A string of an image.
///
/// # Safety
///
/// It is null, or one of a loaded image, which stays loaded while the result is used.
pub unsafe fn text<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: passed on.
    if text.is_null() { None } else { Some(unsafe { CStr::from_ptr(text) }) }
}

const _: () = {
    use std::mem::{offset_of, size_of};
    assert!(size_of::<Kernel>() == 80 && size_of::<Image>() == 96 && size_of::<Shared>() == 16);
    assert!(offset_of!(Registers, thread) == 8 && offset_of!(Registers, block) == 20 && offset_of!(Registers, block_dim) == 32);
    assert!(offset_of!(Registers, grid_dim) == 44 && offset_of!(Registers, lane) == 56);
    assert!(offset_of!(Registers, spins) == 60 && offset_of!(Registers, shared) == 64);
    assert!(offset_of!(Registers, depth) == 72 && offset_of!(Registers, calls) == 76);
};
