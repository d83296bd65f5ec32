//! Memory pools: the source of stream-ordered allocations, and how much of it the process keeps when it is freed.
//!
//! ```no_run
//! use cuda_core::{CudaContext, DeviceBuffer};
//!
//! # fn main() -> Result<(), cuda_core::DriverError> {
//! let ctx = CudaContext::new(0)?;
//! let stream = ctx.new_stream()?;
//! let pool = ctx.new_memory_pool()?;
//! pool.set_release_threshold(64 << 20)?;
//! // SAFETY: all work with the buffer is queued in `stream`.
//! let buffer = unsafe { DeviceBuffer::<f32>::uninitialized_from_pool_async(&pool, &stream, 1024) }?;
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use crate::{CudaContext, DriverError, IntoResult, error, sys};

/// A pool of device memory of a context's device.
///
/// Dropping it leaves what was allocated from it alive: the driver keeps the pool for as long as there is such memory.
#[derive(Debug)]
pub struct CudaMemoryPool {
    pool: sys::CUmemoryPool,
    context: Arc<CudaContext>,
    /// The device's default pool belongs to the driver.
    owned: bool,
}

// SAFETY: the driver locks a pool itself.
unsafe impl Send for CudaMemoryPool {}
// SAFETY: as above.
unsafe impl Sync for CudaMemoryPool {}

impl CudaMemoryPool {
    pub(crate) fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType_enum_CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType_enum_CU_MEM_HANDLE_TYPE_NONE,
            location: location(context),
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        // SAFETY: the properties live as long as the call, and the driver stores a pool; `Drop` destroys it.
        let pool = unsafe { error::output(|pool| sys::checked::cuMemPoolCreate(pool, &properties)) }?;
        Ok(Self { pool, context: context.clone(), owned: true })
    }

    pub(crate) fn default_of(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: the driver stores a pool, which lives as long as the device.
        let pool = unsafe { error::output(|pool| sys::checked::cuDeviceGetDefaultMemPool(pool, context.cu_device())) }?;
        Ok(Self { pool, context: context.clone(), owned: false })
    }

    /// The driver's handle, valid while `self` is.
    pub fn cu_pool(&self) -> sys::CUmemoryPool {
        self.pool
    }

    /// The context that the pool was made for.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// How many freed bytes the pool keeps for later allocations when a stream is waited for; 0 at first.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn release_threshold(&self) -> Result<u64, DriverError> {
        self.attribute(sys::CUmemPool_attribute_enum_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    }

    /// Keeps so many freed bytes for later allocations.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn set_release_threshold(&self, mut bytes: u64) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        let attribute = sys::CUmemPool_attribute_enum_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the pool is alive, and this attribute's value is a u64.
        unsafe { sys::cuMemPoolSetAttribute(self.pool, attribute, (&raw mut bytes).cast()) }.result()
    }

    /// Bytes that the pool has from the device, in use or kept.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn reserved_bytes(&self) -> Result<u64, DriverError> {
        self.attribute(sys::CUmemPool_attribute_enum_CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    }

    /// Bytes allocated from the pool.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn used_bytes(&self) -> Result<u64, DriverError> {
        self.attribute(sys::CUmemPool_attribute_enum_CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
    }

    /// Gives freed memory back to the device, until at most so many bytes are reserved or all that are left are in use.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn trim_to(&self, min_bytes_to_keep: usize) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the pool is alive.
        unsafe { sys::cuMemPoolTrimTo(self.pool, min_bytes_to_keep) }.result()
    }

    /// Lets the device of another context read and write what is allocated from the pool.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports, `CUDA_ERROR_INVALID_DEVICE` where [`crate::peer::can_access_peer`] is false.
    pub fn enable_access(&self, from: &CudaContext) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        let flags = sys::CUmemAccess_flags_enum_CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access = sys::CUmemAccessDesc { location: location(from), flags };
        // SAFETY: the pool is alive, and the one description lives as long as the call.
        unsafe { sys::cuMemPoolSetAccess(self.pool, &access, 1) }.result()
    }

    /// An attribute whose value is a u64.
    fn attribute(&self, attribute: sys::CUmemPool_attribute) -> Result<u64, DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the pool is alive, and the driver stores a u64.
        Ok(unsafe { error::output(|value: *mut u64| sys::checked::cuMemPoolGetAttribute(self.pool, attribute, value.cast())) }?)
    }
}

impl Drop for CudaMemoryPool {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: made by `new`, and destroyed only here.
            self.context.release(|| unsafe { sys::checked::cuMemPoolDestroy(self.pool) });
        }
    }
}

fn location(context: &CudaContext) -> sys::CUmemLocation {
    sys::CUmemLocation { type_: sys::CUmemLocationType_enum_CU_MEM_LOCATION_TYPE_DEVICE, id: context.cu_device() }
}
