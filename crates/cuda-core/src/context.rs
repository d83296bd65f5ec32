//! The primary context of a device.

use std::{
    collections::BTreeMap,
    ffi::{CStr, c_int},
    ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
};

use crate::{
    CudaEvent, CudaMemoryPool, CudaModule, CudaStream, DeviceLaunchLimits, DriverError, IntoResult, error,
    failure::{Cause, Failure},
    phase::{self, Step},
    sticky_error::StickyError,
    sys,
};

/// A device's primary context, retained until the last owner drops it.
#[derive(Debug)]
pub struct CudaContext {
    device: sys::CUdevice,
    context: sys::CUcontext,
    ordinal: usize,
    /// What a `Drop` could not return.
    sticky_error: StickyError,
    /// Streams made by [`CudaContext::new_stream`] that are alive.
    pub(crate) live_streams: AtomicUsize,
}

// SAFETY: the driver locks a context itself; any thread may make it current.
unsafe impl Send for CudaContext {}
// SAFETY: as above; the other fields are atomic or never written.
unsafe impl Sync for CudaContext {}

impl PartialEq for CudaContext {
    fn eq(&self, other: &Self) -> bool {
        (self.device, self.context, self.ordinal) == (other.device, other.context, other.ordinal)
    }
}

impl Eq for CudaContext {}

impl CudaContext {
    /// Retains the primary context of the device numbered `ordinal` and makes it current on the calling thread.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_NO_DEVICE` where there is no driver, whose text names what is missing; `CUDA_ERROR_INVALID_DEVICE` for an
    /// ordinal that no device has; and what the driver reports.
    pub fn new(ordinal: usize) -> Result<Arc<Self>, DriverError> {
        phase::enter(Step::Initialize { device: ordinal });
        Ok(Self::retained(ordinal)?)
    }

    fn retained(ordinal: usize) -> Result<Arc<Self>, Failure> {
        let number = c_int::try_from(ordinal)
            .map_err(|_| Failure::refusal(sys::cudaError_enum_CUDA_ERROR_INVALID_DEVICE, Cause::Device { ordinal, count: None }))?;
        // SAFETY: 0 is the defined value.
        unsafe { sys::checked::cuInit(0) }?;
        // SAFETY: the driver stores a device.
        let device = unsafe { error::output(|device| sys::checked::cuDeviceGet(device, number)) }
            .map_err(|failure| failure.because(Cause::Device { ordinal, count: device_count() }))?;
        let mut owners = owners();
        // SAFETY: the driver stores a context; `Drop` gives it back.
        let context = unsafe { error::output(|context| sys::checked::cuDevicePrimaryCtxRetain(context, device)) }?;
        *owners.entry(device).or_default() += 1;
        drop(owners);
        let this = Arc::new(Self { device, context, ordinal, sticky_error: StickyError::none(), live_streams: AtomicUsize::new(0) });
        // The thread may have this handle from a context that is gone.
        // SAFETY: the context is retained.
        unsafe { sys::checked::cuCtxSetCurrent(context) }?;
        Ok(this)
    }

    /// Destroys the device's primary context, whatever else in the process holds it, and all that is in it. The next [`CudaContext::new`]
    /// begins afresh.
    ///
    /// Where only this crate uses the device, dropping the last owner does the same. Other libraries lose what they have in the context.
    /// The CPU device is whole again after a kernel's fault; libcuda then makes no context in this process any more, on any device.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE` where something of the context is alive, a buffer or a stream, or another `CudaContext` of the
    /// device, and what the driver reports.
    pub fn reset(self: Arc<Self>) -> Result<(), DriverError> {
        let active = |cause| Failure::refusal(sys::cudaError_enum_CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, cause);
        let ordinal = self.ordinal;
        let this = Arc::try_unwrap(self).map_err(|this| active(Cause::ContextInUse { ordinal, owners: Arc::strong_count(&this) - 1 }))?;
        let owners = owners();
        match owners.get(&this.device) {
            // No owner comes while the lock is held.
            // SAFETY: nothing of the context is alive here; what others have there is documented to be lost.
            Some(1) => unsafe { sys::cuDevicePrimaryCtxReset_v2(this.device) }.result()?,
            _ => return Err(active(Cause::OtherContext { ordinal }).into()),
        }
        drop(owners);
        Ok(())
    }

    /// The device's number, counted from 0.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The driver's handle of the device.
    pub fn cu_device(&self) -> sys::CUdevice {
        self.device
    }

    /// The driver's handle of the context, valid while `self` is.
    pub fn cu_ctx(&self) -> sys::CUcontext {
        self.context
    }

    /// Makes this context current on the calling thread.
    ///
    /// # Errors
    ///
    /// The sticky error (see [`CudaContext::check_err`]), or what the driver reports.
    pub fn bind_to_thread(&self) -> Result<(), DriverError> {
        self.check_err()?;
        Ok(self.make_current()?)
    }

    /// Makes this context current, whatever the sticky error: a `Drop` must neither report nor clear it.
    pub(crate) fn make_current(&self) -> Result<(), Failure> {
        // SAFETY: the driver stores a context, null for none.
        let current = unsafe { error::output(|context| sys::checked::cuCtxGetCurrent(context)) };
        if current.is_ok_and(|current| current == self.context) {
            return Ok(());
        }
        // SAFETY: the context is retained.
        unsafe { sys::checked::cuCtxSetCurrent(self.context) }
    }

    /// Frees something of this context, from a `Drop`: a failure becomes the sticky error. Where the context cannot be made current, the
    /// driver has freed all that was in it.
    pub(crate) fn release(&self, free: impl FnOnce() -> Result<(), Failure>) {
        if let Err(failure) = self.make_current().and_then(|()| free()) {
            self.sticky_error.store(failure);
        }
    }

    /// Waits for all work of a device, whatever its sticky error; another context is current then.
    pub(crate) fn wait_for_device(ordinal: usize) -> Result<(), Failure> {
        let _retained = Self::retained(ordinal)?;
        // SAFETY: the context is current.
        unsafe { sys::checked::cuCtxSynchronize() }
    }

    /// Waits for all work of the context.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports, a fault of an earlier kernel included.
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.bind_to_thread()?;
        // SAFETY: this context is current.
        unsafe { sys::cuCtxSynchronize() }.result()
    }

    /// Bytes of the device's memory that are free, and how many there are. Other processes take and free them too.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn memory_info(&self) -> Result<(usize, usize), DriverError> {
        self.bind_to_thread()?;
        let mut total = 0;
        // SAFETY: this context is current, and the driver stores two sizes.
        let free = unsafe { error::output(|free| sys::checked::cuMemGetInfo_v2(free, &mut total)) }?;
        Ok((free, total))
    }

    /// Bytes of stack that each thread of a kernel has whose needs the compiler could not know: one with recursion, or with calls
    /// through pointers that might recurse.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn stack_size(&self) -> Result<usize, DriverError> {
        self.limit(sys::CUlimit_enum_CU_LIMIT_STACK_SIZE)
    }

    /// Gives each thread at least so many bytes of stack. The driver may round it or refuse; it holds for the whole primary context, and
    /// takes memory for every thread that the device can run at once.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn set_stack_size(&self, bytes: usize) -> Result<(), DriverError> {
        self.set_limit(sys::CUlimit_enum_CU_LIMIT_STACK_SIZE, bytes)
    }

    /// A limit of the context: `CU_LIMIT_STACK_SIZE`, `CU_LIMIT_PRINTF_FIFO_SIZE`, `CU_LIMIT_MALLOC_HEAP_SIZE` and others.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports, `CUDA_ERROR_UNSUPPORTED_LIMIT` for one that the device does not have.
    pub fn limit(&self, limit: sys::CUlimit) -> Result<usize, DriverError> {
        self.bind_to_thread()?;
        // SAFETY: this context is current, and the driver stores a size.
        Ok(unsafe { error::output(|value| sys::checked::cuCtxGetLimit(value, limit)) }?)
    }

    /// Sets a limit of the context. The driver may round the value; it holds for the whole primary context.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports, `CUDA_ERROR_UNSUPPORTED_LIMIT` for one that the device does not have.
    pub fn set_limit(&self, limit: sys::CUlimit, value: usize) -> Result<(), DriverError> {
        self.bind_to_thread()?;
        // SAFETY: this context is current.
        unsafe { sys::cuCtxSetLimit(limit, value) }.result()
    }

    /// Sets how this process's threads wait for the device. It holds for the whole primary context.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn set_sync_policy(&self, policy: SyncPolicy) -> Result<(), DriverError> {
        let flags = self.flags()? & !SCHEDULE_MASK | policy.flags();
        // SAFETY: the flags are those of the context, but for how threads wait.
        unsafe { sys::cuDevicePrimaryCtxSetFlags_v2(self.device, flags) }.result()
    }

    /// How this process's threads wait for the device; `None` for a way that has no name here.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn sync_policy(&self) -> Result<Option<SyncPolicy>, DriverError> {
        let schedule = self.flags()? & SCHEDULE_MASK;
        let policies = [SyncPolicy::Auto, SyncPolicy::Spin, SyncPolicy::Yield, SyncPolicy::BlockingSync];
        Ok(policies.into_iter().find(|policy| policy.flags() == schedule))
    }

    fn flags(&self) -> Result<sys::CUctx_flags, DriverError> {
        let mut active = 0;
        // SAFETY: the driver stores the flags, and whether there is a context.
        Ok(unsafe { error::output(|flags| sys::checked::cuDevicePrimaryCtxGetState(self.device, flags, &mut active)) }?)
    }

    /// The legacy default stream.
    pub fn default_stream(self: &Arc<Self>) -> Arc<CudaStream> {
        CudaStream::legacy_default(self)
    }

    /// A new stream, which is not ordered against the default one.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn new_stream(self: &Arc<Self>) -> Result<Arc<CudaStream>, DriverError> {
        CudaStream::non_blocking(self)
    }

    /// A new event; without flags it carries no timing.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn new_event(self: &Arc<Self>, flags: Option<sys::CUevent_flags>) -> Result<CudaEvent, DriverError> {
        CudaEvent::new(self, flags)
    }

    /// A new pool of the device's memory, for buffers in the order of streams.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn new_memory_pool(self: &Arc<Self>) -> Result<Arc<CudaMemoryPool>, DriverError> {
        CudaMemoryPool::new(self).map(Arc::new)
    }

    /// The device's default pool, for stream-ordered buffers without a pool of their own.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn default_memory_pool(self: &Arc<Self>) -> Result<Arc<CudaMemoryPool>, DriverError> {
        CudaMemoryPool::default_of(self).map(Arc::new)
    }

    /// Loads a module from the text of its PTX. The text of an error has the image's contents and the driver's log.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    ///
    /// # Panics
    ///
    /// If the text has a NUL in it.
    pub fn load_module_from_ptx_src(self: &Arc<Self>, ptx_src: &str) -> Result<Arc<CudaModule>, DriverError> {
        assert!(!ptx_src.contains('\0'), "PTX with a NUL in it");
        self.load_module_from_image(ptx_src.as_bytes())
    }

    /// Loads a module from PTX, a cubin or a fat binary. The text of an error has the image's contents and the driver's log.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn load_module_from_image(self: &Arc<Self>, image: &[u8]) -> Result<Arc<CudaModule>, DriverError> {
        phase::enter(Step::Load { module: "memory" });
        CudaModule::from_image(self, image, "an image in memory")
    }

    /// Loads a module from a file of PTX, a cubin or a fat binary; a relative path starts at the working directory. Where that
    /// fails, the text of the error has the reason that the file cannot be read, or its contents and the driver's log.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports, `CUDA_ERROR_FILE_NOT_FOUND` for a missing file.
    pub fn load_module_from_file(self: &Arc<Self>, filename: &str) -> Result<Arc<CudaModule>, DriverError> {
        phase::enter(Step::Load { module: filename });
        CudaModule::from_file(self, filename)
    }

    /// The device's name, as its maker writes it.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn device_name(&self) -> Result<String, DriverError> {
        let mut name = [0u8; 256];
        // SAFETY: the driver writes at most as many bytes as it is told, the last one a NUL.
        unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, self.device) }.result()?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// The device's compute capability, major and minor.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn compute_capability(&self) -> Result<(i32, i32), DriverError> {
        let major = self.attribute(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = self.attribute(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok((major, minor))
    }

    /// Whether the device can run all blocks of a launch at once.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn supports_cooperative_launch(&self) -> Result<bool, DriverError> {
        Ok(self.attribute(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0)
    }

    /// Whether the device can launch blocks in clusters.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn supports_cluster_launch(&self) -> Result<bool, DriverError> {
        Ok(self.attribute(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)? != 0)
    }

    /// What the device allows every launch.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn launch_limits(&self) -> Result<DeviceLaunchLimits, DriverError> {
        Ok(DeviceLaunchLimits {
            max_threads_per_block: self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_block_dim: (
                self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ),
            max_grid_dim: (
                self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ),
            max_shared_memory_per_block: self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        })
    }

    /// Bytes of shared memory of a block, static and dynamic, of a kernel that is allowed the most.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn max_opt_in_shared_memory_per_block(&self) -> Result<u32, DriverError> {
        self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    }

    /// Multiprocessors of the device.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn multiprocessor_count(&self) -> Result<u32, DriverError> {
        self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    }

    /// Threads that one multiprocessor runs at once.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn max_threads_per_multiprocessor(&self) -> Result<u32, DriverError> {
        self.count(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
    }

    /// An attribute that counts something.
    fn count(&self, attribute: sys::CUdevice_attribute) -> Result<u32, DriverError> {
        u32::try_from(self.attribute(attribute)?).map_err(|_| DriverError(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE))
    }

    pub(crate) fn attribute(&self, attribute: sys::CUdevice_attribute) -> Result<c_int, DriverError> {
        // SAFETY: the driver stores an int.
        Ok(unsafe { error::output(|value| sys::checked::cuDeviceGetAttribute(value, attribute, self.device)) }?)
    }

    /// Reads and clears the sticky error: the last one from a place that could not return it, such as a `Drop`.
    ///
    /// # Errors
    ///
    /// That error.
    pub fn check_err(&self) -> Result<(), DriverError> {
        self.sticky_error.take().map_or(Ok(()), |failure| Err(failure.deferred().into()))
    }

    /// Keeps an error for the next call that binds this context.
    pub fn record_err<T>(&self, result: Result<T, DriverError>) {
        if let Err(error) = result {
            self.sticky_error.store(Failure::of_error(error));
        }
    }
}

impl Drop for CudaContext {
    fn drop(&mut self) {
        debug_assert_ne!(self.context, ptr::null_mut());
        let mut owners = owners();
        if let Some(owners) = owners.get_mut(&self.device) {
            *owners -= 1;
        }
        // The context is gone, and with it the place for an error.
        // SAFETY: retained once in `new`; nothing that uses it outlives the last `Arc`.
        let _ = unsafe { sys::checked::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// How many `CudaContext`s hold each device's primary context.
fn owners() -> MutexGuard<'static, BTreeMap<sys::CUdevice, usize>> {
    static OWNERS: Mutex<BTreeMap<sys::CUdevice, usize>> = Mutex::new(BTreeMap::new());
    OWNERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn device_count() -> Option<c_int> {
    // SAFETY: the driver stores an int.
    unsafe { error::output(|count| sys::checked::cuDeviceGetCount(count)) }.ok()
}

/// How a thread waits for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncPolicy {
    /// The driver's choice.
    Auto,
    /// It polls.
    Spin,
    /// It polls, and yields to other threads in between.
    Yield,
    /// It blocks.
    BlockingSync,
}

/// The bits of a context's flags for how threads wait (`CU_CTX_SCHED_MASK`).
const SCHEDULE_MASK: sys::CUctx_flags = sys::CUctx_flags_enum_CU_CTX_SCHED_MASK;

impl SyncPolicy {
    fn flags(self) -> sys::CUctx_flags {
        match self {
            Self::Auto => sys::CUctx_flags_enum_CU_CTX_SCHED_AUTO,
            Self::Spin => sys::CUctx_flags_enum_CU_CTX_SCHED_SPIN,
            Self::Yield => sys::CUctx_flags_enum_CU_CTX_SCHED_YIELD,
            Self::BlockingSync => sys::CUctx_flags_enum_CU_CTX_SCHED_BLOCKING_SYNC,
        }
    }
}
