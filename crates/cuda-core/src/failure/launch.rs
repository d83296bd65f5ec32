//! Launches that failed: the kernel, the shape, and each limit of the device or the kernel that the shape exceeds.

use std::{ffi::c_int, fmt, sync::Arc};

use thiserror::Error;

use crate::{LaunchConfig, error, module, sys};

/// A kernel and the shape that it is launched with.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// `None` where only the handle is known.
    pub(crate) kernel: Option<Arc<str>>,
    pub(crate) function: FunctionHandle,
    pub(crate) config: LaunchConfig,
    pub(crate) cluster: Option<(u32, u32, u32)>,
    pub(crate) cooperative: bool,
}

/// A function's handle in a record that another thread may print. It is used only by the call that made the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionHandle(pub(crate) sys::CUfunction);

// SAFETY: the handle is a number for the driver, which locks what it names itself.
unsafe impl Send for FunctionHandle {}
// SAFETY: as above.
unsafe impl Sync for FunctionHandle {}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = self.config;
        match &self.kernel {
            Some(kernel) => write!(f, "`{kernel}`")?,
            None => write!(f, "a kernel")?,
        }
        write!(f, " with grid {grid_dim:?}, block {block_dim:?}, {shared_mem_bytes} bytes of dynamic shared memory")?;
        self.cluster.iter().try_for_each(|cluster| write!(f, ", clusters of {cluster:?}"))?;
        f.write_str(if self.cooperative { ", cooperative" } else { "" })
    }
}

/// A launch that the driver refused.
#[derive(Debug)]
pub(crate) struct RefusedLaunch {
    launch: Launch,
    violations: Vec<Violation>,
}

impl fmt::Display for RefusedLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.launch)?;
        self.violations.iter().try_for_each(|violation| write!(f, "; {violation}"))
    }
}

/// A limit that a launch exceeds.
#[derive(Debug, Error)]
enum Violation {
    #[error("got {got} {quantity}, the {owner} allows {limit}")]
    Limit { quantity: &'static str, got: u64, owner: &'static str, limit: u64 },
    #[error("got {needed} registers ({each} a thread × {threads} threads), a block has at most {limit}")]
    Registers { needed: u64, each: u64, threads: u64, limit: u64 },
    #[error(
        "got {got} bytes of dynamic shared memory, which CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES raises up to {most}; the kernel \
         allows {limit}"
    )]
    SharedMemoryOfKernel { got: u64, most: u64, limit: u64 },
    #[error(
        "got {got} bytes of dynamic shared memory, the device has {most} beside {fixed} of the kernel's own; the kernel allows {limit}"
    )]
    SharedMemoryOfDevice { got: u64, most: u64, fixed: u64, limit: u64 },
    #[error(
        "got {got} blocks in a cluster, a kernel without CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED allows {PORTABLE_CLUSTER_SIZE}"
    )]
    ClusterSize { got: u64 },
    #[error("clusters of {cluster:?} do not divide grid {grid:?}")]
    ClusterShape { cluster: (u32, u32, u32), grid: (u32, u32, u32) },
    #[error("a grid and a block are at least 1 along each axis: launch nothing where there is nothing to do")]
    Empty,
    #[error("got {blocks} blocks, the device runs {resident} of this kernel at once")]
    Cooperative { blocks: u64, resident: u64 },
}

/// Blocks of a cluster that every device with clusters takes (CUDA C++ Programming Guide, "Thread Block Clusters").
const PORTABLE_CLUSTER_SIZE: u64 = 8;

impl Launch {
    /// This launch as refused with `code`. Where the code is about the shape, the driver is asked for the limits; after other errors the
    /// function may no longer exist.
    pub(crate) fn refused(mut self, code: sys::CUresult) -> RefusedLaunch {
        if !matches!(
            code,
            sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE
                | sys::cudaError_enum_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                | sys::cudaError_enum_CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
                | sys::cudaError_enum_CUDA_ERROR_INVALID_CLUSTER_SIZE
                | sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED
        ) {
            return RefusedLaunch { launch: self, violations: Vec::new() };
        }
        if self.kernel.is_none() {
            self.kernel = module::function_name(self.function.0).map(Arc::from);
        }
        let violations = self.violations();
        RefusedLaunch { launch: self, violations }
    }

    fn violations(&self) -> Vec<Violation> {
        let LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes } = self.config;
        let device = device_attribute;
        let kernel = |attribute| function_attribute(self.function.0, attribute);
        let threads = product(block);
        let threads_of_device = device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        let threads_of_kernel = kernel(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        let limits = [
            ("threads in a block", threads, "device", threads_of_device),
            ("threads along x", block.0.into(), "device", device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)),
            ("threads along y", block.1.into(), "device", device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)),
            ("threads along z", block.2.into(), "device", device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)),
            ("blocks along x", grid.0.into(), "device", device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)),
            ("blocks along y", grid.1.into(), "device", device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)),
            ("blocks along z", grid.2.into(), "device", device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)),
            ("threads in a block", threads, "kernel", threads_of_kernel.filter(|_| threads_of_kernel < threads_of_device)),
        ];
        let exceeded = limits.into_iter().filter_map(|(quantity, got, owner, limit)| {
            let limit = limit.filter(|&limit| got > limit)?;
            Some(Violation::Limit { quantity, got, owner, limit })
        });
        exceeded
            .chain(self.registers(threads))
            .chain(self.shared_memory(shared_mem_bytes.into()))
            .chain(self.cluster.into_iter().flat_map(|cluster| clusters(cluster, grid)))
            .chain(self.blocks(threads, product(grid)))
            .collect()
    }

    fn registers(&self, threads: u64) -> Option<Violation> {
        let each = function_attribute(self.function.0, sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        let limit = device_attribute(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?;
        // A warp's registers are allocated together, in units of 8 a thread.
        let needed = each.next_multiple_of(8).saturating_mul(threads.div_ceil(32).saturating_mul(32));
        (needed > limit).then_some(Violation::Registers { needed, each, threads, limit })
    }

    fn shared_memory(&self, got: u64) -> Option<Violation> {
        let kernel = |attribute| function_attribute(self.function.0, attribute);
        let fixed = kernel(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES).unwrap_or_default();
        let limit = kernel(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?;
        let of_device = device_attribute(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let most = of_device.saturating_sub(fixed);
        (got > limit).then_some(if got <= most {
            Violation::SharedMemoryOfKernel { got, most, limit }
        } else {
            Violation::SharedMemoryOfDevice { got, most, fixed, limit }
        })
    }

    fn blocks(&self, threads: u64, blocks: u64) -> Option<Violation> {
        if threads == 0 || blocks == 0 {
            return Some(Violation::Empty);
        }
        let resident = self.cooperative.then(|| self.resident_blocks()).flatten()?;
        (blocks > resident).then_some(Violation::Cooperative { blocks, resident })
    }

    /// Blocks of this shape that the device runs at once.
    fn resident_blocks(&self) -> Option<u64> {
        let threads = c_int::try_from(product(self.config.block_dim)).ok()?;
        let shared = self.config.shared_mem_bytes as usize;
        // SAFETY: the caller of the launch vouches for the function, and the driver stores an int.
        let blocks = unsafe {
            error::output(|blocks| sys::checked::cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, self.function.0, threads, shared))
        };
        let multiprocessors = device_attribute(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Some(u64::try_from(blocks.ok()?).ok()? * multiprocessors)
    }
}

fn clusters(cluster: (u32, u32, u32), grid: (u32, u32, u32)) -> impl Iterator<Item = Violation> {
    let got = product(cluster);
    let divides = |grid: u32, cluster: u32| cluster != 0 && grid.is_multiple_of(cluster);
    let whole = divides(grid.0, cluster.0) && divides(grid.1, cluster.1) && divides(grid.2, cluster.2);
    let size = (got > PORTABLE_CLUSTER_SIZE).then_some(Violation::ClusterSize { got });
    size.into_iter().chain((!whole).then_some(Violation::ClusterShape { cluster, grid }))
}

/// An attribute of the current context's device.
fn device_attribute(attribute: sys::CUdevice_attribute) -> Option<u64> {
    // SAFETY: the driver stores a device.
    let device = unsafe { error::output(|device| sys::checked::cuCtxGetDevice(device)) }.ok()?;
    // SAFETY: the driver stores an int.
    let value = unsafe { error::output(|value| sys::checked::cuDeviceGetAttribute(value, attribute, device)) }.ok()?;
    u64::try_from(value).ok()
}

fn function_attribute(function: sys::CUfunction, attribute: sys::CUfunction_attribute) -> Option<u64> {
    // SAFETY: the caller of the launch vouches for the function, and the driver stores an int.
    let value = unsafe { error::output(|value| sys::checked::cuFuncGetAttribute(value, attribute, function)) }.ok()?;
    u64::try_from(value).ok()
}

fn product((x, y, z): (u32, u32, u32)) -> u64 {
    u64::from(x).saturating_mul(y.into()).saturating_mul(z.into())
}
