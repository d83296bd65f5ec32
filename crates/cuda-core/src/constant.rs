//! Constant memory: the host's side of a `#[constant]` static.

use std::{
    mem::{self, MaybeUninit},
    sync::Arc,
};

use crate::{CudaModule, CudaStream, DriverError, memory, sys};

/// An address in constant memory, as [`CudaModule::get_global`] finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantHandle {
    address: sys::CUdeviceptr,
}

impl ConstantHandle {
    /// The constant at an address.
    ///
    /// # Safety
    ///
    /// A constant lies there for as long as the handle and its copies are used, and every write fits into it.
    pub const unsafe fn from_raw(dptr: sys::CUdeviceptr) -> Self {
        Self { address: dptr }
    }

    /// Queues a copy to the constant and returns at once.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    ///
    /// # Safety
    ///
    /// `src` and the constant hold `num_bytes`, and `src` is neither changed nor freed until the copy has run.
    pub unsafe fn write_async(&self, stream: &CudaStream, src: *const u8, num_bytes: usize) -> Result<(), DriverError> {
        stream.context().bind_to_thread()?;
        // SAFETY: passed on.
        unsafe { memory::memcpy_htod_async(self.address, src, num_bytes, stream.cu_stream()) }
    }

    /// Queues a copy of bytes that it keeps until the copy has run; where the driver cannot report that, it waits.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn write_async_staged(&self, stream: &CudaStream, bytes: Box<[MaybeUninit<u8>]>) -> Result<(), DriverError> {
        let bytes = Arc::new(bytes);
        // SAFETY: the handle's maker vouches for the constant; the bytes are kept below.
        unsafe { self.write_async(stream, bytes.as_ptr().cast(), bytes.len()) }?;
        let kept = bytes.clone();
        if stream.launch_host_function(move || drop(kept)).is_ok() {
            return Ok(());
        }
        stream.synchronize().inspect_err(|_| {
            // The copy may still read them, and its end is not known.
            mem::forget(bytes);
        })
    }

    /// Copies to the constant and returns when the copy has run.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    ///
    /// # Safety
    ///
    /// The constant is one of `module`; it and `src` hold `num_bytes`, and no kernel reads it meanwhile.
    pub unsafe fn write_blocking(&self, module: &Arc<CudaModule>, src: *const u8, num_bytes: usize) -> Result<(), DriverError> {
        // SAFETY: passed on.
        unsafe { module.copy_bytes_to_device_global_sync(self.address, src, num_bytes) }
    }
}
