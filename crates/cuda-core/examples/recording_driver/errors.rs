//! What results are called.

use std::ffi::{CStr, c_char};

use cuda_core::sys::*;

fn text(error: CUresult) -> Option<(&'static CStr, &'static CStr)> {
    Some(match error {
        1 => (c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
        2 => (c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
        101 => (c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
        201 => (c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
        209 => (c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device"),
        214 => (c"CUDA_ERROR_ECC_UNCORRECTABLE", c"uncorrectable ECC error encountered"),
        218 => (c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
        222 => (c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the provided PTX was compiled with an unsupported toolchain."),
        500 => (c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
        700 => (c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
        701 => (c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
        705 => (c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", c"peer access has not been enabled"),
        708 => (c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", c"primary context already active"),
        719 => (c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
        720 => (c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", c"too many blocks in cooperative launch"),
        801 => (c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
        _ => return None,
    })
}

/// Never counted: a message asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: CUresult, name: *mut *const c_char) -> CUresult {
    let Some((text, _)) = text(error) else { return cudaError_enum_CUDA_ERROR_INVALID_VALUE };
    // SAFETY: the caller has room for an address.
    unsafe { name.write(text.as_ptr()) };
    cudaError_enum_CUDA_SUCCESS
}

/// Never counted: a message asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: CUresult, string: *mut *const c_char) -> CUresult {
    let Some((_, text)) = text(error) else { return cudaError_enum_CUDA_ERROR_INVALID_VALUE };
    // SAFETY: the caller has room for an address.
    unsafe { string.write(text.as_ptr()) };
    cudaError_enum_CUDA_SUCCESS
}
