//! Launching kernels: the shapes of launches, what a kernel requires of them, and the calls that queue them.

mod config;
mod contract;
mod error;
mod prepared;

use std::{ffi::c_void, ptr};

use crate::{
    CudaFunction, CudaStream, DriverError, IntoResult,
    phase::{self, Step},
    sys,
};

pub use config::{KernelLaunchConfig, LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchConfig3D};
pub use contract::{
    BlockRequirement, CoordinateRequirement, DynamicSharedMemoryRequirement, KernelLaunchContract, LaunchAxis, LaunchContractSpec,
    LaunchDimension,
};
pub use error::LaunchContractError;
pub use prepared::{DeviceLaunchLimits, PreparedLaunch};

/// Queues a kernel on the current context (`cuLaunchKernel`). It has read `params` when it returns, and has not run yet.
///
/// `params` points to each kernel parameter in turn; sizes are the kernel's.
///
/// # Errors
///
/// What the driver reports about the launch; a fault of the kernel surfaces at the next synchronisation.
///
/// # Safety
///
/// The handles are alive; `params` fits the kernel in number, types and sizes; what the parameters point to on the device is valid for
/// all that the kernel does with this shape, until it has run.
pub unsafe fn launch_kernel(
    func: sys::CUfunction,
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
    stream: sys::CUstream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let (grid_x, grid_y, grid_z) = grid_dim;
    let (block_x, block_y, block_z) = block_dim;
    let params = params.as_mut_ptr();
    // SAFETY: passed on.
    unsafe {
        sys::cuLaunchKernel(func, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_mem_bytes, stream, params, ptr::null_mut())
    }
    .result()
}

/// [`launch_kernel`] on the stream's context, which becomes current.
///
/// # Errors
///
/// The context's sticky error, or what the driver reports about the launch.
///
/// # Safety
///
/// As for [`launch_kernel`].
pub unsafe fn launch_kernel_on_stream(
    func: &CudaFunction,
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
    stream: &CudaStream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    phase::enter(Step::Launch { kernel: func.name() });
    stream.context().bind_to_thread()?;
    // SAFETY: the handles are those of living owners; the rest is passed on.
    unsafe { launch_kernel(func.cu_function(), grid_dim, block_dim, shared_mem_bytes, stream.cu_stream(), params) }
}

/// [`launch_kernel`] in clusters of `cluster_dim` blocks (`cuLaunchKernelEx`).
///
/// # Errors
///
/// As for [`launch_kernel`].
///
/// # Safety
///
/// As for [`launch_kernel`].
pub unsafe fn launch_kernel_ex(
    func: sys::CUfunction,
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
    cluster_dim: (u32, u32, u32),
    stream: sys::CUstream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes };
    // SAFETY: passed on.
    unsafe { launch_with(func, config, stream, &mut [cluster(cluster_dim)], params) }
}

/// [`launch_kernel`] with all blocks at once (`cuLaunchKernelEx`).
///
/// # Errors
///
/// `CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE` where the device has no room for them all, and as for [`launch_kernel`].
///
/// # Safety
///
/// As for [`launch_kernel`].
pub unsafe fn launch_kernel_cooperative(
    func: sys::CUfunction,
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
    stream: sys::CUstream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes };
    // SAFETY: passed on.
    unsafe { launch_with(func, config, stream, &mut [cooperative()], params) }
}

/// [`launch_kernel_ex`] with all blocks at once.
///
/// # Errors
///
/// As for [`launch_kernel_cooperative`].
///
/// # Safety
///
/// As for [`launch_kernel`].
pub unsafe fn launch_kernel_ex_cooperative(
    func: sys::CUfunction,
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
    cluster_dim: (u32, u32, u32),
    stream: sys::CUstream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes };
    // SAFETY: passed on.
    unsafe { launch_with(func, config, stream, &mut [cluster(cluster_dim), cooperative()], params) }
}

/// [`launch_kernel_ex`] on the stream's context, which becomes current.
///
/// # Errors
///
/// The context's sticky error, or what the driver reports about the launch.
///
/// # Safety
///
/// As for [`launch_kernel`].
pub unsafe fn launch_kernel_ex_on_stream(
    func: &CudaFunction,
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
    cluster_dim: (u32, u32, u32),
    stream: &CudaStream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    phase::enter(Step::Launch { kernel: func.name() });
    stream.context().bind_to_thread()?;
    // SAFETY: the handles are those of living owners; the rest is passed on.
    unsafe { launch_kernel_ex(func.cu_function(), grid_dim, block_dim, shared_mem_bytes, cluster_dim, stream.cu_stream(), params) }
}

/// [`launch_kernel_cooperative`] on the stream's context, which becomes current.
///
/// # Errors
///
/// The context's sticky error, or what the driver reports about the launch.
///
/// # Safety
///
/// As for [`launch_kernel`].
pub unsafe fn launch_kernel_cooperative_on_stream(
    func: &CudaFunction,
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
    stream: &CudaStream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    phase::enter(Step::Launch { kernel: func.name() });
    stream.context().bind_to_thread()?;
    // SAFETY: as above.
    unsafe { launch_kernel_cooperative(func.cu_function(), grid_dim, block_dim, shared_mem_bytes, stream.cu_stream(), params) }
}

/// [`launch_kernel_ex_cooperative`] on the stream's context, which becomes current.
///
/// # Errors
///
/// The context's sticky error, or what the driver reports about the launch.
///
/// # Safety
///
/// As for [`launch_kernel`].
pub unsafe fn launch_kernel_ex_cooperative_on_stream(
    func: &CudaFunction,
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
    cluster_dim: (u32, u32, u32),
    stream: &CudaStream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    phase::enter(Step::Launch { kernel: func.name() });
    stream.context().bind_to_thread()?;
    // SAFETY: as above.
    unsafe {
        launch_kernel_ex_cooperative(func.cu_function(), grid_dim, block_dim, shared_mem_bytes, cluster_dim, stream.cu_stream(), params)
    }
}

/// Queues a kernel with launch attributes.
///
/// # Safety
///
/// As for [`launch_kernel`].
unsafe fn launch_with(
    func: sys::CUfunction,
    config: LaunchConfig,
    stream: sys::CUstream,
    attributes: &mut [sys::CUlaunchAttribute],
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let config = raw_config(config, stream, attributes);
    // SAFETY: the attributes outlive the call; the rest is passed on.
    unsafe { sys::cuLaunchKernelEx(&config, func, params.as_mut_ptr(), ptr::null_mut()) }.result()
}

/// The driver's form of a launch, which points to the attributes.
pub(crate) fn raw_config(config: LaunchConfig, stream: sys::CUstream, attributes: &mut [sys::CUlaunchAttribute]) -> sys::CUlaunchConfig {
    let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = config;
    sys::CUlaunchConfig {
        gridDimX: grid_dim.0,
        gridDimY: grid_dim.1,
        gridDimZ: grid_dim.2,
        blockDimX: block_dim.0,
        blockDimY: block_dim.1,
        blockDimZ: block_dim.2,
        sharedMemBytes: shared_mem_bytes,
        hStream: stream,
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len() as u32,
    }
}

pub(crate) fn cluster((x, y, z): (u32, u32, u32)) -> sys::CUlaunchAttribute {
    let mut value = sys::CUlaunchAttributeValue { pad: [0; 64] };
    value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
    sys::CUlaunchAttribute { id: sys::CUlaunchAttributeID_enum_CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, pad: [0; 4], value }
}

fn cooperative() -> sys::CUlaunchAttribute {
    let mut value = sys::CUlaunchAttributeValue { pad: [0; 64] };
    value.cooperative = 1;
    sys::CUlaunchAttribute { id: sys::CUlaunchAttributeID_enum_CU_LAUNCH_ATTRIBUTE_COOPERATIVE, pad: [0; 4], value }
}
