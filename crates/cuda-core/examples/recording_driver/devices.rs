//! Devices and their contexts.

use std::ffi::{CString, c_char, c_int, c_uint};

use cuda_core::sys::*;

use crate::{call, state::*};

entry_points! {
    call fn cuInit(_flags: c_uint) { Ok(()) }
    call fn cuDeviceGetCount(count: *mut c_int) { *count = DEVICES as c_int; Ok(()) }
    call fn cuDeviceGet(out: *mut CUdevice, ordinal: c_int) { *out = device(ordinal)? as c_int; Ok(()) }
    call fn cuDeviceGetName(name: *mut c_char, length: c_int, number: CUdevice) {
        let text = CString::new(format!("recorder {}", device(number)?)).unwrap();
        name.copy_from(text.as_ptr(), text.as_bytes_with_nul().len().min(length as usize));
        Ok(())
    }
    call fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, number: CUdevice) {
        device(number)?;
        *value = match attribute {
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
            | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
            | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y => 1024,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z => 64,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => i32::MAX,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z => 65535,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK => SHARED as c_int,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => SHARED_OPT_IN as c_int,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK => REGISTERS as c_int,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => MULTIPROCESSORS,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED
            | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
            | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH => 1,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
            _ => 0,
        };
        Ok(())
    }
    call fn cuDeviceCanAccessPeer(can: *mut c_int, from: CUdevice, to: CUdevice) { *can = c_int::from(device(from)? != device(to)?); Ok(()) }
    call fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, number: CUdevice) {
        let device = device(number)?;
        let mut state = state();
        state.retained[device] += 1;
        *context = handle(device + 1);
        state.record("retain")
    }
    give_back fn cuDevicePrimaryCtxRelease_v2(number: CUdevice) {
        let device = device(number)?;
        let mut state = state();
        match state.retained[device].checked_sub(1) {
            Some(rest) => state.retained[device] = rest,
            None => return state.violation("a context released twice".into(), cudaError_enum_CUDA_ERROR_INVALID_CONTEXT),
        }
        state.record("release")
    }
    call fn cuDevicePrimaryCtxReset_v2(number: CUdevice) { device(number)?; state().record("reset") }
    call fn cuDevicePrimaryCtxGetState(number: CUdevice, flags: *mut c_uint, active: *mut c_int) {
        let (device, state) = (device(number)?, state());
        *flags = state.flags[device];
        *active = c_int::from(state.retained[device] > 0);
        Ok(())
    }
    call fn cuDevicePrimaryCtxSetFlags_v2(number: CUdevice, flags: c_uint) { state().flags[device(number)?] = flags; Ok(()) }
    call fn cuCtxGetCurrent(context: *mut CUcontext) { *context = handle(CURRENT.get()); Ok(()) }
    call fn cuCtxSetCurrent(context: CUcontext) { CURRENT.set(context.addr()); Ok(()) }
    call fn cuCtxGetDevice(number: *mut CUdevice) { *number = state().current()? as c_int; Ok(()) }
    call fn cuCtxSynchronize() {
        let mut state = state();
        let device = state.current()?;
        state.wait(if device == 0 { "synchronize all" } else { "synchronize all of the other device" })
    }
    call fn cuCtxGetLimit(value: *mut usize, limit: CUlimit) {
        let mut state = state();
        state.current()?;
        if limit != CUlimit_enum_CU_LIMIT_STACK_SIZE { return Err(cudaError_enum_CUDA_ERROR_UNSUPPORTED_LIMIT) }
        *value = state.stack;
        Ok(())
    }
    call fn cuCtxSetLimit(limit: CUlimit, value: usize) {
        let mut state = state();
        state.current()?;
        if limit != CUlimit_enum_CU_LIMIT_STACK_SIZE { return Err(cudaError_enum_CUDA_ERROR_UNSUPPORTED_LIMIT) }
        state.stack = value;
        Ok(())
    }
    call fn cuCtxEnablePeerAccess(peer: CUcontext, _flags: c_uint) {
        let mut state = state();
        let pair = (state.current()?, peer.addr() - 1);
        if state.peers.contains(&pair) { return Err(cudaError_enum_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) }
        state.peers.push(pair);
        Ok(())
    }
    call fn cuCtxDisablePeerAccess(peer: CUcontext) {
        let mut state = state();
        let pair = (state.current()?, peer.addr() - 1);
        let index = state.peers.iter().position(|other| *other == pair).ok_or(cudaError_enum_CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)?;
        state.peers.remove(index);
        Ok(())
    }
    call fn cuDriverGetVersion(version: *mut c_int) { *version = 12040; Ok(()) }
}
