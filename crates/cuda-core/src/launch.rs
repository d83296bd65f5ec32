//! Launching kernels: the shapes of launches, what a kernel requires of them, and the calls that queue them.

mod config;
mod contract;
mod error;
mod prepared;

use std::{ffi::c_void, ptr};

use crate::{
    CudaFunction, CudaStream, DriverError,
    failure::{self, Cause, FunctionHandle, Launch},
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
    let launch = launch_of(func, (grid_dim, block_dim, shared_mem_bytes), None, false);
    // SAFETY: passed on.
    unsafe { queue(launch, stream, params) }
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
    // SAFETY: passed on.
    unsafe { queue_on_stream(func, (grid_dim, block_dim, shared_mem_bytes), None, false, stream, params) }
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
    let launch = launch_of(func, (grid_dim, block_dim, shared_mem_bytes), Some(cluster_dim), false);
    // SAFETY: passed on.
    unsafe { queue(launch, stream, params) }
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
    let launch = launch_of(func, (grid_dim, block_dim, shared_mem_bytes), None, true);
    // SAFETY: passed on.
    unsafe { queue(launch, stream, params) }
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
    let launch = launch_of(func, (grid_dim, block_dim, shared_mem_bytes), Some(cluster_dim), true);
    // SAFETY: passed on.
    unsafe { queue(launch, stream, params) }
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
    // SAFETY: passed on.
    unsafe { queue_on_stream(func, (grid_dim, block_dim, shared_mem_bytes), Some(cluster_dim), false, stream, params) }
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
    // SAFETY: passed on.
    unsafe { queue_on_stream(func, (grid_dim, block_dim, shared_mem_bytes), None, true, stream, params) }
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
    // SAFETY: passed on.
    unsafe { queue_on_stream(func, (grid_dim, block_dim, shared_mem_bytes), Some(cluster_dim), true, stream, params) }
}

/// Grid, block and bytes of dynamic shared memory.
type Shape = ((u32, u32, u32), (u32, u32, u32), u32);

/// [`queue`] on the stream's context, which becomes current.
///
/// # Safety
///
/// As for [`launch_kernel`].
unsafe fn queue_on_stream(
    func: &CudaFunction,
    shape: Shape,
    cluster_dim: Option<(u32, u32, u32)>,
    cooperative: bool,
    stream: &CudaStream,
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    phase::enter(Step::Launch { kernel: func.name() });
    stream.context().bind_to_thread()?;
    func.check_host_references()?;
    // SAFETY: the handle is that of a living owner.
    let launch = launch_of(unsafe { func.cu_function() }, shape, cluster_dim, cooperative);
    // SAFETY: as above; the rest is passed on.
    unsafe { queue(Launch { kernel: Some(func.name().clone()), ..launch }, stream.cu_stream(), params) }
}

/// A launch of which only the function's handle is known.
fn launch_of(function: sys::CUfunction, shape: Shape, cluster: Option<(u32, u32, u32)>, cooperative: bool) -> Launch {
    let (grid_dim, block_dim, shared_mem_bytes) = shape;
    Launch {
        kernel: None,
        function: FunctionHandle(function),
        config: LaunchConfig { grid_dim, block_dim, shared_mem_bytes },
        cluster,
        cooperative,
    }
}

/// Queues a kernel, with launch attributes where the launch has any.
///
/// # Safety
///
/// As for [`launch_kernel`].
unsafe fn queue(launch: Launch, stream: sys::CUstream, params: &mut [*mut c_void]) -> Result<(), DriverError> {
    let LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: shared } = launch.config;
    let (function, params) = (launch.function.0, params.as_mut_ptr());
    let mut attributes: Vec<_> = launch.cluster.map(cluster).into_iter().chain(launch.cooperative.then(cooperative)).collect();
    let queued = if attributes.is_empty() {
        // SAFETY: passed on.
        unsafe {
            sys::checked::cuLaunchKernel(
                function,
                grid.0,
                grid.1,
                grid.2,
                block.0,
                block.1,
                block.2,
                shared,
                stream,
                params,
                ptr::null_mut(),
            )
        }
    } else {
        let config = raw_config(launch.config, stream, &mut attributes);
        // SAFETY: the attributes outlive the call; the rest is passed on.
        unsafe { sys::checked::cuLaunchKernelEx(&config, function, params, ptr::null_mut()) }
    };
    match queued {
        Ok(()) => failure::launched(launch),
        Err(failure) => {
            let cause = Cause::Launch(launch.refused(failure.code()));
            return Err(failure.because(cause).into());
        }
    }
    Ok(())
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
