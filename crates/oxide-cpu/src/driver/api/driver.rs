//! Initialization, version, errors, entry points by name, profiling.

use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    ptr,
};

use super::call::{entry_points, store};
use crate::driver::{
    device,
    error::{self, Error},
    state,
};

entry_points! {
    fn cuInit(flags: c_uint) since 2000 {
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        state::initialise();
        Ok(())
    }
    fn cuDriverGetVersion(version: *mut c_int) since 2020 { store(version, device::DRIVER_VERSION) }
    fn cuGetErrorName(code: c_uint, text: *mut *const c_char) since 6000 {
        let found = error::describe(code);
        store(text, found.map_or(ptr::null(), |(name, _)| name.as_ptr()))?;
        found.map(|_| ()).ok_or(Error::INVALID_VALUE)
    }
    fn cuGetErrorString(code: c_uint, text: *mut *const c_char) since 6000 {
        let found = error::describe(code);
        store(text, found.map_or(ptr::null(), |(_, description)| description.as_ptr()))?;
        found.map(|_| ()).ok_or(Error::INVALID_VALUE)
    }
    // Tables between NVIDIA's own libraries.
    fn cuGetExportTable(table: *mut *const c_void, _id: *const [u8; 16]) since 3000 { store(table, ptr::null())?; Err(Error::NOT_FOUND) }
    fn cuProfilerStart() since 4000 { state::context().map(drop) }
    fn cuProfilerStop() since 4000 { state::context().map(drop) }
}

/// Writes the message of the last launch of this thread that failed, or else of a kernel of the current context that no call waited for, as
/// UTF-8 without a terminator, truncated to fit. Returns its whole length in bytes; 0 for other errors, and for that of another launch in the
/// context. A launch's own is returned once. libcuda has no such function: its users look at stderr.
///
/// # Safety
///
/// The buffer has `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn oxide_last_fault(text: *mut u8, room: usize) -> usize {
    let fault = state::last_fault();
    // SAFETY: the caller's.
    unsafe { ptr::copy_nonoverlapping(fault.as_ptr(), text, fault.len().min(room)) };
    fault.len()
}
