//! A kernel of a loaded module: what it takes, and how much of it runs at once.

use std::{ffi::c_int, fmt, ptr, sync::Arc};

use crate::{
    CudaContext, CudaModule, DriverError, IntoResult, LaunchConfig, error,
    failure::{Cause, Failure},
    launch, sys,
};

/// A kernel of a module, which it keeps loaded.
#[derive(Clone)]
pub struct CudaFunction {
    function: sys::CUfunction,
    name: Arc<str>,
    module: Arc<CudaModule>,
    borrows_host_memory: bool,
}

// SAFETY: a handle into a module, which any thread may use.
unsafe impl Send for CudaFunction {}
// SAFETY: as above.
unsafe impl Sync for CudaFunction {}

impl CudaFunction {
    /// A function of `module`.
    pub(crate) fn new(function: sys::CUfunction, name: &str, module: &Arc<CudaModule>, borrows_host_memory: bool) -> Self {
        Self { function, name: name.into(), module: module.clone(), borrows_host_memory }
    }

    /// Refuses a kernel that takes references to host memory, where the device cannot read that.
    pub(crate) fn check_host_references(&self) -> Result<(), DriverError> {
        let attribute = sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
        if !self.borrows_host_memory || self.context().attribute(attribute)? != 0 {
            return Ok(());
        }
        let cause = Cause::HostReference { kernel: self.name.clone() };
        Err(Failure::refusal(sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED, cause).into())
    }

    /// Refuses fewer arguments than the kernel has parameters, whose values the driver would read beyond them. Before CUDA 12.4 a driver
    /// does not know the parameters, and nothing is refused.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_INVALID_VALUE`.
    #[doc(hidden)]
    pub fn __check_argument_count(&self, count: usize) -> Result<(), DriverError> {
        let has_parameter = |index: usize| {
            let mut size = 0;
            // SAFETY: the module keeps the function alive, and the driver stores two sizes.
            unsafe { error::output(|offset| sys::checked::cuFuncGetParamInfo(self.function, index, offset, &mut size)) }.is_ok()
        };
        let Some(expected) = (count..).take_while(|&index| has_parameter(index)).map(|last| last + 1).last() else { return Ok(()) };
        let cause = Cause::ArgumentCount { kernel: self.name.clone(), expected, got: count };
        Err(Failure::refusal(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE, cause).into())
    }

    /// The context that the kernel is loaded in.
    pub fn context(&self) -> &Arc<CudaContext> {
        self.module.context()
    }

    /// The driver's handle.
    ///
    /// # Safety
    ///
    /// It is not used after the last owner of the module is dropped.
    pub unsafe fn cu_function(&self) -> sys::CUfunction {
        self.function
    }

    /// Threads that a block of this kernel may have.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn max_threads_per_block(&self) -> Result<u32, DriverError> {
        self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    }

    /// Bytes of shared memory that a block takes by itself.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn static_shared_memory_bytes(&self) -> Result<u32, DriverError> {
        self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    }

    /// Bytes of dynamic shared memory that a launch may ask for.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn max_dynamic_shared_memory_bytes(&self) -> Result<u32, DriverError> {
        self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    }

    /// Registers that a thread takes.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn num_registers(&self) -> Result<u32, DriverError> {
        self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_NUM_REGS)
    }

    /// Bytes of local memory that a thread takes.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn local_size_bytes(&self) -> Result<u32, DriverError> {
        self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
    }

    /// Bytes of constant memory that the kernel takes.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn const_size_bytes(&self) -> Result<u32, DriverError> {
        self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)
    }

    /// The shape of the clusters that the kernel was compiled for, in blocks along x, y and z; `None` where it was compiled for none.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn required_cluster_dimensions(&self) -> Result<Option<(u32, u32, u32)>, DriverError> {
        let x = self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)?;
        let y = self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT)?;
        let z = self.attribute(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)?;
        // All of them are 0 where the code states none.
        Ok((x != 0).then_some((x, y.max(1), z.max(1))))
    }

    /// Blocks of so many threads, and so many bytes of dynamic shared memory each, that one multiprocessor runs at once.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn max_active_blocks_per_multiprocessor(&self, block_threads: u32, dynamic_shared_memory_bytes: u32) -> Result<u32, DriverError> {
        self.context().bind_to_thread()?;
        let threads = c_int::try_from(block_threads).map_err(|_| DriverError(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE))?;
        let bytes = dynamic_shared_memory_bytes as usize;
        // SAFETY: the driver stores an int.
        let blocks = unsafe {
            error::output(|blocks| sys::checked::cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, self.function, threads, bytes))
        }?;
        count(blocks)
    }

    /// Blocks of the largest cluster that a launch of this shape can have.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn max_potential_cluster_size(
        &self,
        grid_dim: (u32, u32, u32),
        block_dim: (u32, u32, u32),
        dynamic_shared_memory_bytes: u32,
    ) -> Result<u32, DriverError> {
        self.context().bind_to_thread()?;
        let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: dynamic_shared_memory_bytes };
        let config = launch::raw_config(config, ptr::null_mut(), &mut []);
        // SAFETY: the driver stores an int and reads the shape.
        let blocks = unsafe { error::output(|blocks| sys::checked::cuOccupancyMaxPotentialClusterSize(blocks, self.function, &config)) }?;
        count(blocks)
    }

    /// Clusters of this shape that the device runs at once.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_INVALID_CLUSTER_SIZE` for a shape that it never runs, the sticky error, or what else the driver reports.
    pub fn max_active_clusters(
        &self,
        grid_dim: (u32, u32, u32),
        block_dim: (u32, u32, u32),
        dynamic_shared_memory_bytes: u32,
        cluster_dim: (u32, u32, u32),
    ) -> Result<u32, DriverError> {
        self.context().bind_to_thread()?;
        let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: dynamic_shared_memory_bytes };
        let mut attributes = [launch::cluster(cluster_dim)];
        let config = launch::raw_config(config, ptr::null_mut(), &mut attributes);
        // SAFETY: the driver stores an int and reads the shape, whose attributes are alive.
        let clusters = unsafe { error::output(|clusters| sys::checked::cuOccupancyMaxActiveClusters(clusters, self.function, &config)) }?;
        count(clusters)
    }

    /// Lets launches ask for so many bytes of dynamic shared memory.
    pub(crate) fn allow_dynamic_shared_memory(&self, bytes: u32) -> Result<(), DriverError> {
        self.context().bind_to_thread()?;
        let bytes = c_int::try_from(bytes).map_err(|_| DriverError(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE))?;
        let attribute = sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function is alive.
        unsafe { sys::cuFuncSetAttribute(self.function, attribute, bytes) }.result()
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn attribute(&self, attribute: sys::CUfunction_attribute) -> Result<u32, DriverError> {
        self.context().bind_to_thread()?;
        // SAFETY: the driver stores an int.
        let value = unsafe { error::output(|value| sys::checked::cuFuncGetAttribute(value, attribute, self.function)) }?;
        count(value)
    }
}

/// A number that the driver hands out as an int.
fn count(value: c_int) -> Result<u32, DriverError> {
    u32::try_from(value).map_err(|_| DriverError(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE))
}

impl fmt::Debug for CudaFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaFunction({:?})", self.name)
    }
}
