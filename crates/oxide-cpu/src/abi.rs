//! What an image and the device say to each other; `src/oxide/export/cpu.py` writes the image's side.
//!
//! An image exports one symbol, `oxide.image`. It finds the thread that it runs as through [`Image::current`], reads special registers
//! and the start of the block's shared memory from that [`Thread`], and calls the device's functions, which it names in its table and is
//! given when it is loaded ([`crate::functions`]).

use std::ffi::{CStr, c_char};

use crate::{block::Place, error::Error, fiber::Suspender, meeting::Spin};

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
    /// What accesses are checked for, see [`crate::check`]; 0 for an image that checks nothing.
    pub checks: u32,
    /// Where a block's dynamic shared memory begins, behind the module's shared variables.
    pub dynamic: u32,
    pub kernels: *const Kernel,
    /// For each call that reaches the device, the name of the function it is in and, after a newline, what the call is for and where.
    pub sites: *const *const c_char,
    pub globals: *const Global,
    pub functions: *const Function,
    pub shared: *const Shared,
    /// All variables outside shared memory, of an image that checks accesses.
    pub objects: *const Global,
    /// Where this thread of the system keeps the address of the GPU thread that it runs.
    pub current: unsafe extern "C" fn() -> *mut *mut Thread,
}

#[repr(C)]
pub struct Kernel {
    pub name: *const c_char,
    /// Runs the current thread, with parameters from a buffer.
    pub entry: unsafe extern "C" fn(parameters: *const u8),
    pub parameters: *const Parameter,
    /// What the kernel can reach that has no meaning here, and where; null for a kernel that can be launched.
    pub refused: *const c_char,
    pub parameter_count: u32,
    /// Bytes of the buffer.
    pub buffer: u32,
    /// Not 0 where the kernel can reach a barrier or another meeting of threads.
    pub meets: u32,
    /// Most threads of a block; 0 for no bound of its own.
    pub max_threads: u32,
    /// Bytes of shared memory that a block takes by itself.
    pub shared: u32,
    /// The block's and the cluster's shape that the kernel asks for; zeros where it asks for none.
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

/// A function of the device that the image calls: its name, and where the image keeps its address.
#[repr(C)]
pub struct Function {
    pub name: *const c_char,
    pub address: *mut *const (),
}

/// A variable in shared memory: where it lies in a block's, and its bytes. Between two there is room that belongs to none.
#[repr(C)]
pub struct Shared {
    pub name: *const c_char,
    pub offset: u32,
    pub size: u32,
}

/// Calls of which a message can tell.
pub const CALLS: usize = 32;

/// A GPU thread. The image reads the fields up to `shared` at fixed offsets, counts in `spins`, and keeps `depth` and `calls`.
#[repr(C)]
pub struct Thread {
    /// How the thread's fiber stops; set while it runs.
    pub suspender: *const Suspender,
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub block_dim: [u32; 3],
    pub grid_dim: [u32; 3],
    pub lane: u32,
    /// Accesses that a thread which waits for another's would make.
    pub spins: u32,
    /// The start of the block's shared memory.
    pub shared: *mut u8,
    /// The calls that the thread is in, of those that the image tells of: how many, and where the outer ones stand.
    pub depth: u32,
    pub calls: [u32; CALLS],
    // From here on the device's own.
    /// Where the stack of its fiber begins and ends.
    pub stack: (usize, usize),
    /// The thread's number in its block.
    pub number: u32,
    pub place: *const Place,
    /// What the thread looked at when it last let others run: call, kind, address and value.
    pub looked_at: Option<(u32, Spin, usize, u64)>,
    /// Why the launch ends here.
    pub failure: Option<(Error, String)>,
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
    assert!(offset_of!(Thread, thread) == 8 && offset_of!(Thread, block) == 20 && offset_of!(Thread, block_dim) == 32);
    assert!(offset_of!(Thread, grid_dim) == 44 && offset_of!(Thread, lane) == 56);
    assert!(offset_of!(Thread, spins) == 60 && offset_of!(Thread, shared) == 64);
    assert!(offset_of!(Thread, depth) == 72 && offset_of!(Thread, calls) == 76);
};
