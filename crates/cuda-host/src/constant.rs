//! How the setters of `#[constant]` statics work. No part of the interface.

use std::sync::Arc;

use cuda_core::{CudaModule, CudaStream, DriverError, memory};
use cuda_device::ConstantMemoryValue;

/// Copies `value` to the constant declared at `path`, `krate::module::NAME`: in order with `stream`, or at once.
///
/// # Errors
///
/// `CUDA_ERROR_NOT_FOUND` where the module has no such constant, and what else the driver reports.
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
    let source = std::ptr::from_ref(value);
    match stream {
        // SAFETY: the constant holds these bytes; the driver has copied memory that is not pinned when the call returns.
        Some(stream) => unsafe { memory::memcpy_htod_async(address, source, bytes, stream.cu_stream()) },
        // SAFETY: as above.
        None => unsafe { module.copy_bytes_to_device_global_sync(address, source.cast(), bytes) },
    }
}
