//! Memory of one device in the kernels and copies of another.

use std::sync::Arc;

use crate::{
    CudaContext, DriverError, IntoResult, error,
    failure::{Cause, Failure},
    sys,
};

/// Whether the device of `from` can reach memory of the device of `to`.
///
/// # Errors
///
/// What the driver reports.
pub fn can_access_peer(from: &CudaContext, to: &CudaContext) -> Result<bool, DriverError> {
    // SAFETY: the driver stores an int.
    let can = unsafe { error::output(|can| sys::checked::cuDeviceCanAccessPeer(can, from.cu_device(), to.cu_device())) }?;
    Ok(can != 0)
}

/// Lets kernels and copies of `from` use memory of `to`, until it is disabled. Access that is already enabled is not an error.
///
/// # Errors
///
/// The sticky error of `from`, or what the driver reports, `CUDA_ERROR_PEER_ACCESS_UNSUPPORTED` where [`can_access_peer`] is false.
pub fn enable_peer_access(from: &Arc<CudaContext>, to: &Arc<CudaContext>) -> Result<(), DriverError> {
    from.bind_to_thread()?;
    // SAFETY: both contexts are retained, and the first is current; 0 is the only value defined for the flags.
    match unsafe { sys::cuCtxEnablePeerAccess(to.cu_ctx(), 0) } {
        sys::cudaError_enum_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(()),
        code => code.result(),
    }
}

/// Undoes [`enable_peer_access`]. Access that is not enabled is not an error.
///
/// # Errors
///
/// The sticky error of `from`, or what the driver reports.
pub fn disable_peer_access(from: &Arc<CudaContext>, to: &Arc<CudaContext>) -> Result<(), DriverError> {
    from.bind_to_thread()?;
    // SAFETY: both contexts are retained, and the first is current.
    match unsafe { sys::cuCtxDisablePeerAccess(to.cu_ctx()) } {
        sys::cudaError_enum_CUDA_ERROR_PEER_ACCESS_NOT_ENABLED => Ok(()),
        code => code.result(),
    }
}

/// Makes sure that kernels of a context may use the memory at `address`, which another device may have: that access is enabled, or was given to
/// the memory's pool or mapping.
///
/// # Errors
///
/// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` where they may not, the context's sticky error, or what the driver reports.
pub fn expect_access(context: &CudaContext, address: sys::CUdeviceptr) -> Result<(), DriverError> {
    context.bind_to_thread()?;
    let mut reached: sys::CUdeviceptr = 0;
    let attribute = sys::CUpointer_attribute_enum_CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
    // SAFETY: the driver stores the address by which kernels of the current context reach the memory.
    match unsafe { sys::checked::cuPointerGetAttribute((&raw mut reached).cast(), attribute, address) } {
        // The answer where there is none (CUDA driver API reference, cuPointerGetAttribute).
        Err(failure) if failure.code() == sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE => {
            let cause = Cause::NoPeerAccess { device: context.ordinal(), address };
            Err(Failure::refusal(sys::cudaError_enum_CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cause).into())
        }
        answer => Ok(answer?),
    }
}
