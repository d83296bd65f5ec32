//! Device memory by raw address: one driver call each, on whatever context is current. Sizes are bytes, and nothing is checked.
//!
//! Every function returns what the driver reports. Those whose name ends in `_async` are queued in `stream` and return at once.

use std::ffi::c_void;

use crate::{DriverError, IntoResult, error, failure::Cause, sys};

/// Allocates in stream order (`cuMemAllocAsync`).
///
/// # Errors
///
/// What the driver reports, `CUDA_ERROR_NOT_SUPPORTED` by a driver that has no stream-ordered memory.
///
/// # Safety
///
/// `stream` is alive, and the memory is used only after what is queued before.
pub unsafe fn malloc_async(stream: sys::CUstream, num_bytes: usize) -> Result<sys::CUdeviceptr, DriverError> {
    // SAFETY: the driver stores an address.
    let address = unsafe { error::output(|address| sys::checked::cuMemAllocAsync(address, num_bytes, stream)) };
    Ok(address.map_err(|failure| failure.because(Cause::allocation(num_bytes)))?)
}

/// Frees in stream order (`cuMemFreeAsync`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// `dptr` is an allocation that nothing uses after what is queued before; `stream` is alive.
pub unsafe fn free_async(dptr: sys::CUdeviceptr, stream: sys::CUstream) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuMemFreeAsync(dptr, stream) }.result()
}

/// Allocates (`cuMemAlloc`); the contents are undefined.
///
/// # Errors
///
/// What the driver reports, `CUDA_ERROR_INVALID_VALUE` for no bytes.
///
/// # Safety
///
/// A context is current.
pub unsafe fn malloc_sync(num_bytes: usize) -> Result<sys::CUdeviceptr, DriverError> {
    // SAFETY: the driver stores an address.
    let address = unsafe { error::output(|address| sys::checked::cuMemAlloc_v2(address, num_bytes)) };
    Ok(address.map_err(|failure| failure.because(Cause::allocation(num_bytes)))?)
}

/// Waits for the device and frees (`cuMemFree`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// `dptr` is an allocation of the current context that nothing uses any more.
pub unsafe fn free_sync(dptr: sys::CUdeviceptr) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuMemFree_v2(dptr) }.result()
}

/// Copies from host to device (`cuMemcpyHtoDAsync`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// Both hold `num_bytes`, and `src` is not written or freed until the copy has run.
pub unsafe fn memcpy_htod_async<T>(
    dst: sys::CUdeviceptr,
    src: *const T,
    num_bytes: usize,
    stream: sys::CUstream,
) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuMemcpyHtoDAsync_v2(dst, src.cast(), num_bytes, stream) }.result()
}

/// Copies from host to device and waits (`cuMemcpyHtoD`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// Both hold `num_bytes`.
pub unsafe fn memcpy_htod_sync<T>(dst: sys::CUdeviceptr, src: *const T, num_bytes: usize) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuMemcpyHtoD_v2(dst, src.cast(), num_bytes) }.result()
}

/// Copies from device to host (`cuMemcpyDtoHAsync`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// Both hold `num_bytes`, and `dst` is not touched or freed until the copy has run.
pub unsafe fn memcpy_dtoh_async<T>(dst: *mut T, src: sys::CUdeviceptr, num_bytes: usize, stream: sys::CUstream) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuMemcpyDtoHAsync_v2(dst.cast(), src, num_bytes, stream) }.result()
}

/// Copies within the device (`cuMemcpyDtoDAsync`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// Both hold `num_bytes` until the copy has run.
pub unsafe fn memcpy_dtod_async(
    dst: sys::CUdeviceptr,
    src: sys::CUdeviceptr,
    num_bytes: usize,
    stream: sys::CUstream,
) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuMemcpyDtoDAsync_v2(dst, src, num_bytes, stream) }.result()
}

/// Fills with one byte (`cuMemsetD8Async`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// `dptr` holds `num_bytes` until the fill has run.
pub unsafe fn memset_d8_async(dptr: sys::CUdeviceptr, value: u8, num_bytes: usize, stream: sys::CUstream) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuMemsetD8Async(dptr, value, num_bytes, stream) }.result()
}

/// Allocates pinned host memory (`cuMemAllocHost`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// A context is current.
pub unsafe fn malloc_host(num_bytes: usize) -> Result<*mut c_void, DriverError> {
    // SAFETY: the driver stores an address.
    let address = unsafe { error::output(|address| sys::checked::cuMemAllocHost_v2(address, num_bytes)) };
    Ok(address.map_err(|failure| failure.because(Cause::PinnedAllocation { bytes: num_bytes }))?)
}

/// Frees pinned host memory (`cuMemFreeHost`).
///
/// # Errors
///
/// What the driver reports.
///
/// # Safety
///
/// `ptr` comes from [`malloc_host`], and nothing uses it any more.
pub unsafe fn free_host(ptr: *mut c_void) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuMemFreeHost(ptr) }.result()
}
