//! A driver without a device, for `tests/driver.rs`: device memory is host memory, and every call that changes something is recorded.

#![allow(non_snake_case, clippy::missing_safety_doc, missing_docs)]

use std::{
    cell::Cell,
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr, slice,
    sync::Mutex,
};

use cuda_core::sys;

const SUCCESS: c_uint = 0;
const INVALID_PTX: c_uint = 218;
const NOT_FOUND: c_uint = 500;
const CONTEXT: *mut c_void = ptr::without_provenance_mut(0xc0);
const MODULE: *mut c_void = ptr::without_provenance_mut(0xd0);
const KERNEL: *mut c_void = ptr::without_provenance_mut(0xf0);

static CALLS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static FREE_RESULT: Mutex<c_uint> = Mutex::new(SUCCESS);

thread_local! {
    static CURRENT: Cell<*mut c_void> = const { Cell::new(ptr::null_mut()) };
}

fn record(call: impl Into<String>) -> c_uint {
    CALLS.lock().unwrap().push(call.into());
    SUCCESS
}

/// Moves the calls since the last time into the test's list.
#[unsafe(no_mangle)]
pub extern "C" fn fake_take_calls(calls: &mut Vec<String>) {
    *calls = std::mem::take(&mut CALLS.lock().unwrap());
}

/// What the next `cuMemFree` returns.
#[unsafe(no_mangle)]
pub extern "C" fn fake_fail_free(result: c_uint) {
    *FREE_RESULT.lock().unwrap() = result;
}

/// Defines entry points; a pointer that the real driver writes is one here.
macro_rules! entry_points {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_uint {
            // SAFETY: the test passes what the real driver may be passed.
            #[allow(unused_unsafe)]
            unsafe { $body }
        }
    )*};
}

entry_points! {
    fn cuInit(_flags: c_uint) { SUCCESS }
    fn cuDeviceGetCount(count: *mut c_int) { *count = 1; SUCCESS }
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        if ordinal != 0 { return 101 }
        *device = ordinal;
        SUCCESS
    }
    fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, _device: c_int) { *context = CONTEXT; record("retain") }
    fn cuDevicePrimaryCtxRelease_v2(_device: c_int) { record("release") }
    fn cuCtxGetCurrent(context: *mut *mut c_void) { *context = CURRENT.get(); SUCCESS }
    fn cuCtxSetCurrent(context: *mut c_void) { CURRENT.set(context); SUCCESS }
    fn cuStreamSynchronize(_stream: *mut c_void) { record("synchronize") }
    fn cuGetErrorString(error: c_uint, text: *mut *const c_char) {
        *text = match error {
            700 => c"an illegal memory access was encountered",
            801 => c"operation not supported",
            _ => return 1,
        }.as_ptr();
        SUCCESS
    }
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        *address = Vec::<u8>::with_capacity(bytes).leak().as_mut_ptr() as u64;
        record(format!("allocate {bytes}"))
    }
    fn cuMemFree_v2(_address: u64) {
        record("free");
        std::mem::replace(&mut *FREE_RESULT.lock().unwrap(), SUCCESS)
    }
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const u8, bytes: usize, _stream: *mut c_void) {
        ptr::copy_nonoverlapping(from, to as *mut u8, bytes);
        record(format!("to device {bytes}"))
    }
    fn cuMemcpyDtoHAsync_v2(to: *mut u8, from: u64, bytes: usize, _stream: *mut c_void) {
        ptr::copy_nonoverlapping(from as *const u8, to, bytes);
        record(format!("to host {bytes}"))
    }
    fn cuMemsetD8Async(address: u64, value: u8, bytes: usize, _stream: *mut c_void) {
        ptr::write_bytes(address as *mut u8, value, bytes);
        record(format!("fill {bytes} with {value}"))
    }
    fn cuModuleLoadDataEx(module: *mut *mut c_void, image: *const c_char, options: c_uint, keys: *const c_uint, values: *const *mut c_void) {
        let (keys, values) = (slice::from_raw_parts(keys, options as usize), slice::from_raw_parts(values, options as usize));
        if CStr::from_ptr(image) == c"// good" {
            *module = MODULE;
            return record("load");
        }
        // CU_JIT_ERROR_LOG_BUFFER
        let log = values[keys.iter().position(|&key| key == 5).unwrap()].cast::<u8>();
        let message = c"fake: this is no PTX".to_bytes_with_nul();
        ptr::copy_nonoverlapping(message.as_ptr(), log, message.len());
        INVALID_PTX
    }
    fn cuModuleUnload(_module: *mut c_void) { record("unload") }
    fn cuModuleGetFunction(function: *mut *mut c_void, _module: *mut c_void, name: *const c_char) {
        if CStr::from_ptr(name) != c"kernel" { return NOT_FOUND }
        *function = KERNEL;
        SUCCESS
    }
    fn cuLaunchKernel(
        _kernel: *mut c_void, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, _stream: *mut c_void, parameters: *mut *mut c_void, _extra: *mut *mut c_void
    ) {
        // The test's kernel takes one u32.
        let parameter = *(*parameters).cast::<u32>();
        record(format!("launch {gx},{gy},{gz} {bx},{by},{bz} {shared} ({parameter})"))
    }
    fn cuLaunchKernelEx(config: *const sys::CUlaunchConfig, _kernel: *mut c_void, parameters: *mut *mut c_void, _extra: *mut *mut c_void) {
        let (config, parameter) = (&*config, *(*parameters).cast::<u32>());
        let attributes = slice::from_raw_parts(config.attrs, config.numAttrs as usize).iter().map(|attribute| match attribute.id {
            2 => format!(" cooperative {}", attribute.value.cooperative),
            4 => {
                let cluster = attribute.value.clusterDim;
                format!(" cluster {},{},{}", cluster.x, cluster.y, cluster.z)
            }
            id => format!(" attribute {id}"),
        });
        let attributes: String = attributes.collect();
        record(format!("launch {} {} {}{attributes} ({parameter})", config.gridDimX, config.blockDimY, config.sharedMemBytes))
    }
}
