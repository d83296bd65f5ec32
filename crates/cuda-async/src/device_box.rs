//! Device memory that is freed without waiting.

use std::{fmt, marker::PhantomData, sync::Arc};

use cuda_core::{CudaContext, CudaStream, DriverError, memory, sys::CUdeviceptr};

use crate::{device_context, device_operation::Executing, error::DeviceError, reclaim};

/// Memory of a device. It is freed in the order of the device's deallocator stream, which comes after the stream that uses the memory only
/// where the box is dropped while an operation is being queued there, or after it was waited for.
pub struct DeviceBox<T: Send + ?Sized> {
    dptr: CUdeviceptr,
    len: usize,
    device_id: usize,
    _owns: PhantomData<T>,
}

// SAFETY: on the host nothing but the address is read through a shared reference.
unsafe impl<T: Send + ?Sized> Sync for DeviceBox<T> {}

impl<T: Send + ?Sized> fmt::Debug for DeviceBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBox({:#x}, {} elements, device {})", self.dptr, self.len, self.device_id)
    }
}

impl<T: Send> DeviceBox<[T]> {
    /// Takes over `len` elements at `dptr`; a null address is never freed.
    ///
    /// # Safety
    ///
    /// `dptr` comes from `cuMemAllocAsync` or `cuMemAlloc` on this device, holds `len` elements, and nothing else frees it. Whoever drops the box
    /// has waited for all work that uses it, or drops it while a later operation is being queued on that stream.
    pub unsafe fn from_raw_parts(dptr: CUdeviceptr, len: usize, device_id: usize) -> Self {
        Self { dptr, len, device_id, _owns: PhantomData }
    }

    /// The elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address of the first element.
    pub fn cu_deviceptr(&self) -> CUdeviceptr {
        self.dptr
    }

    /// The number of the device that the memory is on.
    pub fn device_id(&self) -> usize {
        self.device_id
    }

    /// The address, as an argument of a kernel.
    pub fn device_pointer(&self) -> DevicePointer<T> {
        DevicePointer { dptr: self.dptr, _points_to: PhantomData }
    }
}

impl<T: Send + ?Sized> Drop for DeviceBox<T> {
    fn drop(&mut self) {
        if self.dptr == 0 {
            return;
        }
        // SAFETY: the memory is freed after the streams that an operation is being queued on, and what was dropped in flight; of others, the
        // owner has vouched.
        let freed = unsafe { device_context::with_deallocator_stream(self.device_id, |stream| free(self.dptr, stream)) };
        // A thread that is ending has no streams of its own any more.
        let freed = freed.or_else(|_| Ok::<_, DeviceError>(free(self.dptr, &CudaContext::new(self.device_id)?.default_stream())));
        if let Err(error) = freed.and_then(|freed| Ok(freed?)) {
            eprintln!("oxide: cannot free device memory at {:#x}: {error}", self.dptr);
        }
    }
}

/// Frees on `stream`, after all that this thread is queueing operations on and all that was dropped in flight. An error that the context
/// keeps for the next call is no reason to leave the memory.
fn free(dptr: CUdeviceptr, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
    reclaim::undisturbed(stream.context(), || {
        for user in Executing::streams() {
            stream.join(&user)?;
        }
        reclaim::wait_on(stream)?;
        stream.context().bind_to_thread()?;
        // SAFETY: the box owns the memory, and the stream is alive.
        unsafe { memory::free_async(dptr, stream.cu_stream()) }
    })
}

/// An address in device memory, as an argument of a kernel.
pub struct DevicePointer<T> {
    /// The address.
    pub dptr: CUdeviceptr,
    _points_to: PhantomData<fn() -> T>,
}

impl<T> DevicePointer<T> {
    /// The address.
    pub fn cu_deviceptr(&self) -> CUdeviceptr {
        self.dptr
    }
}

impl<T> Clone for DevicePointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DevicePointer<T> {}

impl<T> fmt::Debug for DevicePointer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DevicePointer({:#x})", self.dptr)
    }
}
