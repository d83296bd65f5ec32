//! A launch that was checked against its kernel's contract and against the device, once for all of its repetitions.

use std::{fmt, marker::PhantomData};

use super::{KernelLaunchConfig, KernelLaunchContract, LaunchAxis, LaunchConfig, LaunchContractError, LaunchContractSpec, LaunchDimension};
use crate::{CudaContext, CudaFunction, CudaStream, DriverError, sys};

/// What a device allows every launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLaunchLimits {
    pub(crate) max_threads_per_block: u32,
    pub(crate) max_block_dim: (u32, u32, u32),
    pub(crate) max_grid_dim: (u32, u32, u32),
    pub(crate) max_shared_memory_per_block: u32,
}

impl DeviceLaunchLimits {
    /// Threads of a block.
    pub const fn max_threads_per_block(&self) -> u32 {
        self.max_threads_per_block
    }

    /// Threads of a block along x, y and z.
    pub const fn max_block_dim(&self) -> (u32, u32, u32) {
        self.max_block_dim
    }

    /// Blocks of a grid along x, y and z.
    pub const fn max_grid_dim(&self) -> (u32, u32, u32) {
        self.max_grid_dim
    }

    /// Bytes of shared memory of a block, static and dynamic, of a kernel that has not been allowed more.
    pub const fn max_shared_memory_per_block(&self) -> u32 {
        self.max_shared_memory_per_block
    }
}

/// A kernel and a shape of launch that its contract `C` and its device allow. It launches no other kernel: `C` is the kernel's own.
pub struct PreparedLaunch<C: KernelLaunchContract> {
    function: CudaFunction,
    config: LaunchConfig,
    contract: PhantomData<fn() -> C>,
}

impl<C: KernelLaunchContract> Clone for PreparedLaunch<C> {
    fn clone(&self) -> Self {
        Self { function: self.function.clone(), config: self.config, contract: PhantomData }
    }
}

impl<C: KernelLaunchContract> fmt::Debug for PreparedLaunch<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedLaunch").field("function", &self.function).field("config", &self.config).finish()
    }
}

impl<C: KernelLaunchContract> PreparedLaunch<C> {
    /// Checks the shape: against the contract by itself, then against the limits of device and kernel, shared memory, what the device can
    /// do, and last whether the blocks find room.
    ///
    /// # Errors
    ///
    /// The first check that fails, or what the driver reports.
    ///
    /// # Safety
    ///
    /// The function is the kernel that `C` is the contract of.
    #[doc(hidden)]
    pub unsafe fn __prepare(function: CudaFunction, config: C::Config) -> Result<Self, LaunchContractError> {
        let config = config.__raw();
        C::SPEC.check(config)?;
        let check = DeviceCheck { spec: &C::SPEC, function: &function, context: function.context(), config };
        check.shape()?;
        check.shared_memory()?;
        check.capabilities()?;
        check.allow_dynamic_shared_memory()?;
        check.residency()?;
        Ok(Self { function, config, contract: PhantomData })
    }

    /// The kernel.
    pub fn function(&self) -> &CudaFunction {
        &self.function
    }

    /// The shape.
    #[doc(hidden)]
    pub fn __raw_config(&self) -> LaunchConfig {
        self.config
    }

    /// Whether the stream is of the device that the kernel is loaded on.
    ///
    /// # Errors
    ///
    /// `ContextMismatch` where it is of another.
    pub fn validate_stream(&self, stream: &CudaStream) -> Result<(), LaunchContractError> {
        let (function, stream) = (self.function.context(), stream.context());
        if function.cu_device() == stream.cu_device() {
            return Ok(());
        }
        let kernel = C::SPEC.kernel_name();
        Err(LaunchContractError::ContextMismatch { kernel, function_device: function.ordinal(), stream_device: stream.ordinal() })
    }
}

/// The checks that ask the device and the loaded kernel.
struct DeviceCheck<'a> {
    spec: &'a LaunchContractSpec,
    function: &'a CudaFunction,
    context: &'a CudaContext,
    config: LaunchConfig,
}

impl DeviceCheck<'_> {
    fn kernel(&self) -> &'static str {
        self.spec.kernel_name()
    }

    /// The extents, and the threads of a block.
    fn shape(&self) -> Result<(), LaunchContractError> {
        let kernel = self.kernel();
        let limits = self.context.launch_limits()?;
        let LaunchConfig { grid_dim, block_dim, .. } = self.config;
        let shapes = [(LaunchDimension::Grid, grid_dim, limits.max_grid_dim), (LaunchDimension::Block, block_dim, limits.max_block_dim)];
        for (dimension, shape, most) in shapes {
            for ((axis, actual), (_, max)) in LaunchAxis::of(shape).into_iter().zip(LaunchAxis::of(most)) {
                if actual > max {
                    return Err(LaunchContractError::DeviceDimensionExceeded { kernel, dimension, axis, actual, max });
                }
            }
        }
        let (actual, max) = (self.spec.product(LaunchDimension::Block, block_dim)?, limits.max_threads_per_block);
        if actual > u64::from(max) {
            return Err(LaunchContractError::DeviceThreadsPerBlockExceeded { kernel, actual, max });
        }
        let max = self.function.max_threads_per_block()?;
        if actual > u64::from(max) {
            return Err(LaunchContractError::FunctionThreadsPerBlockExceeded { kernel, actual, max });
        }
        Ok(())
    }

    /// What any launch that the contract allows may take, not only this one: the kernel's limit is raised for all of them.
    fn shared_memory(&self) -> Result<(), LaunchContractError> {
        let kernel = self.kernel();
        let (static_bytes, dynamic_bytes) = (self.function.static_shared_memory_bytes()?, self.spec.dynamic_shared_memory().max_bytes());
        let Some(total) = static_bytes.checked_add(dynamic_bytes) else {
            return Err(LaunchContractError::SharedMemoryTotalOverflow { kernel, static_bytes, dynamic_bytes });
        };
        let plain = self.context.launch_limits()?.max_shared_memory_per_block;
        if total <= plain {
            return Ok(());
        }
        let most = self.context.max_opt_in_shared_memory_per_block()?;
        if total <= most {
            return Ok(());
        }
        let (opt_in, total) = (most > plain, total.into());
        Err(LaunchContractError::DeviceSharedMemoryExceeded { kernel, total, max: most.max(plain), opt_in })
    }

    /// What the device can do, and whether the kernel was compiled for this cluster.
    fn capabilities(&self) -> Result<(), LaunchContractError> {
        let kernel = self.kernel();
        if let Some(required) = self.spec.min_compute_capability() {
            let (major, minor) = self.context.compute_capability()?;
            let actual = (major.unsigned_abs(), minor.unsigned_abs());
            if actual < required {
                return Err(LaunchContractError::ComputeCapabilityTooLow { kernel, required, actual });
            }
        }
        if let Some(declared) = self.spec.cluster() {
            if !self.context.supports_cluster_launch()? {
                return Err(LaunchContractError::ClusterLaunchUnsupported { kernel });
            }
            match self.function.required_cluster_dimensions()? {
                None => return Err(LaunchContractError::RequiredClusterDimensionsMissing { kernel, declared }),
                Some(required) if required != declared => {
                    return Err(LaunchContractError::FunctionClusterShapeMismatch { kernel, declared, required });
                }
                Some(_) => {}
            }
        }
        if self.spec.cooperative() && !self.context.supports_cooperative_launch()? {
            return Err(LaunchContractError::CooperativeLaunchUnsupported { kernel });
        }
        Ok(())
    }

    /// Raises the kernel's limit to what the contract allows.
    fn allow_dynamic_shared_memory(&self) -> Result<(), DriverError> {
        let bytes = self.spec.dynamic_shared_memory().max_bytes();
        if bytes > self.function.max_dynamic_shared_memory_bytes()? {
            self.function.allow_dynamic_shared_memory(bytes)?;
        }
        Ok(())
    }

    /// Whether there is room for a cluster, and for all blocks of a cooperative launch.
    fn residency(&self) -> Result<(), LaunchContractError> {
        let kernel = self.kernel();
        let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = self.config;
        let mut capacity = None;
        if let Some(cluster) = self.spec.cluster() {
            let unsupported = |error: DriverError| match error.0 {
                sys::cudaError_enum_CUDA_ERROR_INVALID_CLUSTER_SIZE => LaunchContractError::ClusterShapeUnsupported { kernel, cluster },
                _ => error.into(),
            };
            let blocks = self.spec.product(LaunchDimension::Cluster, cluster)?;
            let max = self.function.max_potential_cluster_size(grid_dim, block_dim, shared_mem_bytes).map_err(unsupported)?;
            if blocks > u64::from(max) {
                return Err(LaunchContractError::ClusterSizeExceeded { kernel, blocks, max });
            }
            let clusters = self.function.max_active_clusters(grid_dim, block_dim, shared_mem_bytes, cluster).map_err(unsupported)?;
            if clusters == 0 {
                return Err(LaunchContractError::ClusterHasNoResidency { kernel, cluster });
            }
            capacity = Some(u64::from(clusters) * blocks);
        }
        if !self.spec.cooperative() {
            return Ok(());
        }
        let resident_capacity = match capacity {
            Some(capacity) => capacity,
            None => {
                let (x, y, z) = block_dim;
                let blocks = self.function.max_active_blocks_per_multiprocessor(x * y * z, shared_mem_bytes)?;
                u64::from(blocks) * u64::from(self.context.multiprocessor_count()?)
            }
        };
        let blocks = self.spec.product(LaunchDimension::Grid, grid_dim)?;
        if blocks > resident_capacity {
            return Err(LaunchContractError::CooperativeGridTooLarge { kernel, blocks, resident_capacity });
        }
        Ok(())
    }
}
