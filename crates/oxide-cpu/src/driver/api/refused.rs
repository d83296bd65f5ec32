//! Features of GPUs that this device does not have: their entry points return `NOT_SUPPORTED` and print the reason.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use super::call::{Address, entry_points};
use crate::driver::{
    error::{Error, Result},
    handle::Handle,
    state,
};

/// Refuses, with the reason.
fn refuse(reason: &str) -> Result<()> {
    drop(state::driver()?);
    eprintln!("oxide: the CPU device has no {reason}");
    Err(Error::NOT_SUPPORTED)
}

entry_points! {
    // DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED is 0.
    fn cuMulticastCreate(_handle: *mut u64, _properties: *const c_void) since 12010 { refuse("multicast objects") }
    fn cuMulticastAddDevice(_handle: u64, _device: c_int) since 12010 { refuse("multicast objects") }
    fn cuMulticastBindMem(_handle: u64, _offset: usize, _memory: u64, _from: usize, _bytes: usize, _flags: c_ulonglong) since 12010 { refuse("multicast objects") }
    fn cuMulticastBindAddr(_handle: u64, _offset: usize, _memory: Address, _bytes: usize, _flags: c_ulonglong) since 12010 { refuse("multicast objects") }
    fn cuMulticastUnbind(_handle: u64, _device: c_int, _offset: usize, _bytes: usize) since 12010 { refuse("multicast objects") }
    fn cuMulticastGetGranularity(_bytes: *mut usize, _properties: *const c_void, _option: c_uint) since 12010 { refuse("multicast objects") }

    // DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED is 0, and kernels with such copies are not launched.
    fn cuTensorMapEncodeTiled(
        _map: *mut c_void, _kind: c_uint, _rank: c_uint, _address: *mut c_void, _dim: *const u64, _strides: *const u64, _box: *const u32,
        _steps: *const u32, _interleave: c_uint, _swizzle: c_uint, _promotion: c_uint, _fill: c_uint,
    ) since 12000 { refuse("tensor maps (TMA)") }
    fn cuTensorMapEncodeIm2col(
        _map: *mut c_void, _kind: c_uint, _rank: c_uint, _address: *mut c_void, _dim: *const u64, _strides: *const u64, _lower: *const c_int,
        _upper: *const c_int, _channels: c_uint, _pixels: c_uint, _steps: *const u32, _interleave: c_uint, _swizzle: c_uint,
        _promotion: c_uint, _fill: c_uint,
    ) since 12000 { refuse("tensor maps (TMA)") }
    fn cuTensorMapReplaceAddress(_map: *mut c_void, _address: *mut c_void) since 12000 { refuse("tensor maps (TMA)") }

    // Memory and events are this process's own.
    fn cuIpcGetMemHandle(_handle: *mut c_void, _address: Address) since 4010 { refuse("memory or events for other processes") }
    fn cuIpcCloseMemHandle(_address: Address) since 4010 { refuse("memory or events for other processes") }
    fn cuIpcGetEventHandle(_handle: *mut c_void, _event: Handle) since 4010 { refuse("memory or events for other processes") }
    fn cuMemExportToShareableHandle(_handle: *mut c_void, _of: u64, _kind: c_uint, _flags: c_ulonglong) since 10020 { refuse("memory or events for other processes") }
    fn cuMemImportFromShareableHandle(_handle: *mut u64, _from: *mut c_void, _kind: c_uint) since 10020 { refuse("memory or events for other processes") }
    fn cuMemPoolImportFromShareableHandle(_pool: *mut Handle, _from: *mut c_void, _kind: c_uint, _flags: c_ulonglong) since 11020 { refuse("memory or events for other processes") }
}
