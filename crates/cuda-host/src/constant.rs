//! How the setters of `#[constant]` statics work. No part of the interface.

use std::{mem::MaybeUninit, sync::Arc};

use cuda_core::{ConstantHandle, CudaModule, CudaStream, DriverError, sys};
use cuda_device::ConstantMemoryValue;

/// Copies `value` to the constant declared at `path`, `krate::module::NAME`: in order with `stream`, or at once. A kernel that reads it
/// meanwhile finds bytes of either value.
///
/// # Errors
///
/// `CUDA_ERROR_NOT_FOUND` where the module has no such constant, `CUDA_ERROR_INVALID_CONTEXT` for a stream of another context, for which nobody
/// waits who unloads the module, and what else the driver reports.
///
/// # Panics
///
/// Where its size on the device is another.
pub fn set<T: ConstantMemoryValue>(
    module: &Arc<CudaModule>,
    stream: Option<&CudaStream>,
    path: &str,
    value: &T,
) -> Result<(), DriverError> {
    if size_of::<T>() == 0 {
        // Nothing is read of it, so it is not there.
        return Ok(());
    }
    let (address, bytes) = module.get_global(&path.replace("::", "$"))?;
    assert_eq!(bytes, size_of::<T>(), "bytes of the constant `{path}` on the device, and of its type here");
    if stream.is_some_and(|stream| stream.context() != module.context()) {
        return Err(DriverError(sys::cudaError_enum_CUDA_ERROR_INVALID_CONTEXT));
    }
    let source = std::ptr::from_ref(value).cast::<MaybeUninit<u8>>();
    // SAFETY: the module has this constant, whose bytes are counted above.
    let constant = unsafe { ConstantHandle::from_raw(address) };
    let Some(stream) = stream else {
        // SAFETY: the constant is the module's, and has as many bytes as the value; what a kernel reads meanwhile is said above.
        return unsafe { constant.write_blocking(module, source.cast(), bytes) };
    };
    let mut staged = Box::new_uninit_slice(bytes);
    // SAFETY: both have as many bytes, of which some may be padding.
    unsafe { staged.as_mut_ptr().copy_from_nonoverlapping(source, bytes) };
    constant.write_async_staged(stream, staged)
}
