//! Host memory that does not move, so that the device copies to and from it while the host goes on.

use std::{
    fmt,
    marker::PhantomData,
    ops::{Deref, DerefMut},
    ptr::NonNull,
    slice,
    sync::Arc,
};

use crate::{CudaContext, DeviceCopy, DriverError, device_buffer::allocation_bytes, memory, sys};

/// `len` elements in pinned host memory, freed on drop.
///
/// It reads and writes like a slice. A buffer of no bytes calls no driver function.
pub struct PinnedHostBuffer<T: DeviceCopy> {
    /// Dangling where there are no bytes.
    elements: NonNull<T>,
    len: usize,
    context: Arc<CudaContext>,
    owned: PhantomData<T>,
}

// SAFETY: the buffer owns its elements, as a `Vec` does.
unsafe impl<T: DeviceCopy + Send> Send for PinnedHostBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy + Sync> Sync for PinnedHostBuffer<T> {}

impl<T: DeviceCopy> PinnedHostBuffer<T> {
    /// New memory whose bytes are all zero.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_INVALID_VALUE` where the size in bytes overflows, or for elements aligned to more than 256 bytes; the sticky error,
    /// `CUDA_ERROR_OUT_OF_MEMORY` and whatever else the driver reports.
    pub fn zeroed(ctx: &Arc<CudaContext>, len: usize) -> Result<Self, DriverError> {
        let buffer = Self::uninitialized(ctx, len)?;
        // SAFETY: there is room for `len` elements, and `T: DeviceCopy` makes zero bytes valid ones.
        unsafe { buffer.elements.write_bytes(0, len) };
        Ok(buffer)
    }

    /// New memory with a copy of a slice.
    ///
    /// # Errors
    ///
    /// As for [`PinnedHostBuffer::zeroed`].
    pub fn from_slice(ctx: &Arc<CudaContext>, data: &[T]) -> Result<Self, DriverError> {
        let buffer = Self::uninitialized(ctx, data.len())?;
        // SAFETY: there is room for as many elements, in memory that nobody else has.
        unsafe { buffer.elements.as_ptr().copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        Ok(buffer)
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    pub fn num_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The context that the memory is pinned for.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The first element.
    pub fn as_ptr(&self) -> *const T {
        self.elements.as_ptr()
    }

    /// The first element.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.elements.as_ptr()
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        self
    }

    /// The elements.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }

    /// Memory whose elements are still to be written.
    fn uninitialized(ctx: &Arc<CudaContext>, len: usize) -> Result<Self, DriverError> {
        let elements = match allocation_bytes::<T>(len)? {
            0 => NonNull::dangling(),
            bytes => {
                ctx.bind_to_thread()?;
                // SAFETY: the context is current.
                let address = unsafe { memory::malloc_host(bytes) }?;
                NonNull::new(address.cast()).expect("the driver's allocations are not null")
            }
        };
        Ok(Self { elements, len, context: ctx.clone(), owned: PhantomData })
    }
}

impl<T: DeviceCopy> Deref for PinnedHostBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the constructors have written `len` elements, and allocated them as the driver aligns them or not at all.
        unsafe { slice::from_raw_parts(self.elements.as_ptr(), self.len) }
    }
}

impl<T: DeviceCopy> DerefMut for PinnedHostBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`, and the buffer is borrowed alone.
        unsafe { slice::from_raw_parts_mut(self.elements.as_ptr(), self.len) }
    }
}

impl<T: DeviceCopy> AsRef<[T]> for PinnedHostBuffer<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: DeviceCopy> AsMut<[T]> for PinnedHostBuffer<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: DeviceCopy> fmt::Debug for PinnedHostBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedHostBuffer {{ address: {:p}, len: {} }}", self.elements, self.len)
    }
}

impl<T: DeviceCopy> Drop for PinnedHostBuffer<T> {
    fn drop(&mut self) {
        if self.num_bytes() == 0 {
            return;
        }
        // SAFETY: allocated by `uninitialized`, and freed only here.
        self.context.release(|| unsafe { sys::checked::cuMemFreeHost(self.elements.as_ptr().cast()) });
    }
}
