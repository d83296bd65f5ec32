//! Memory of one device in the kernels and copies of another.

use std::sync::Arc;

use crate::{CudaContext, DriverError, IntoResult, error, sys};

/// Whether the device of `from` can reach memory of the device of `to`.
///
/// # Errors
///
/// What the driver reports.
pub fn can_access_peer(from: &CudaContext, to: &CudaContext) -> Result<bool, DriverError> {
    // SAFETY: the driver stores an int.
    let can = unsafe { error::output(|can| sys::cuDeviceCanAccessPeer(can, from.cu_device(), to.cu_device())) }?;
    Ok(can != 0)
}

/// Lets kernels and copies of `from` use memory of `to`, until it is disabled. That it is enabled already is no error.
///
/// # Errors
///
/// The sticky error of `from`, or what the driver reports, `CUDA_ERROR_PEER_ACCESS_UNSUPPORTED` where [`can_access_peer`] says no.
pub fn enable_peer_access(from: &Arc<CudaContext>, to: &Arc<CudaContext>) -> Result<(), DriverError> {
    from.bind_to_thread()?;
    // SAFETY: both contexts are retained, and the first is current; 0 is the only value defined for the flags.
    match unsafe { sys::cuCtxEnablePeerAccess(to.cu_ctx(), 0) } {
        sys::cudaError_enum_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(()),
        code => code.result(),
    }
}

/// Undoes [`enable_peer_access`]. That it is not enabled is no error.
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
