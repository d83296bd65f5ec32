//! Functions that end a launch, or do nothing.

use super::call::{Functions, fail, functions, wait};
use crate::exec::{failure::Cause, thread::Thread, wait::WaitReason};

pub static FUNCTIONS: Functions = functions![trap, out_of_bounds, refused, breakpoint];

unsafe extern "C" fn trap(thread: *mut Thread, site: u32) {
    // SAFETY: images pass their current thread.
    unsafe { wait(thread, site, WaitReason::Trap) };
}

/// A trap at an index that is out of bounds.
unsafe extern "C" fn out_of_bounds(thread: *mut Thread, site: u32, index: u64, length: u64) {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::OutOfBounds { index, length }) };
}

/// Replaces an operation that the device does not support, in kernels that are refused at their launch.
unsafe extern "C" fn refused(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { fail(thread, site, Cause::NotSupported, "reached an operation that the CPU device does not support".into()) }
}

/// There is no debugger to break into.
unsafe extern "C" fn breakpoint(_thread: *mut Thread, _site: u32) {}
