//! Memory of devices and of the host, and pools.

use std::{ffi::c_void, ptr};

use cuda_core::sys::*;

use crate::{call, state::*};

entry_points! {
    call fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let mut state = state();
        let device = state.current()?;
        (*free, *total) = (MEMORY - state.used(device), MEMORY);
        Ok(())
    }
    call fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize) { *address = state().allocate(bytes, false)?; Ok(()) }
    call fn cuMemAllocAsync(address: *mut CUdeviceptr, bytes: usize, stream: CUstream) {
        let mut state = state();
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        *address = state.allocate(bytes, true)?;
        Ok(())
    }
    call fn cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream) {
        let mut state = state();
        state.get(pool.addr(), "pool")?;
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        *address = state.allocate(bytes, true)?;
        Ok(())
    }
    give_back fn cuMemFree_v2(address: CUdeviceptr) {
        let mut state = state();
        state.give_back(address as usize, "memory")?;
        state.record("free")
    }
    give_back fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) {
        let mut state = state();
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        let Data::Memory { ordered, .. } = state.give_back(address as usize, "memory")?.data else { unreachable!() };
        state.record(if ordered { "free in order" } else { "free in order what was not allocated so" })
    }
    call fn cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize) {
        let mut state = state();
        let device = state.current()?;
        *address = ptr::with_exposed_provenance_mut(state.add(device, Data::Pinned(vec![0xcd; bytes].into())));
        state.record(format!("pin {bytes}"))
    }
    give_back fn cuMemFreeHost(address: *mut c_void) {
        let mut state = state();
        state.give_back(address.addr(), "pinned memory")?;
        state.record("unpin")
    }
    call fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, bytes: usize) {
        state().run(&Work::ToDevice { to, from: from.expose_provenance(), bytes })
    }
    call fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream) {
        state().queue(stream, Work::ToDevice { to, from: from.expose_provenance(), bytes })
    }
    call fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        state().queue(stream, Work::ToHost { to: to.expose_provenance(), from, bytes })
    }
    call fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        state().queue(stream, Work::Within { to, from, bytes })
    }
    call fn cuMemsetD8Async(to: CUdeviceptr, value: u8, bytes: usize, stream: CUstream) {
        state().queue(stream, Work::Fill { to, value, bytes })
    }
    call fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, address: CUdeviceptr) {
        assert_eq!(attribute, CUpointer_attribute_enum_CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
        let mut state = state();
        let device = state.current()?;
        let (owner, _) = state.range(address, 1)?;
        if owner != device && !state.peers.contains(&(device, owner)) { return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE) }
        data.cast::<CUdeviceptr>().write(address);
        Ok(())
    }
    call fn cuMemPoolCreate(pool: *mut CUmemoryPool, properties: *const CUmemPoolProps) {
        let mut state = state();
        state.current()?;
        let device = device((*properties).location.id)?;
        *pool = handle(state.add(device, Data::Pool { threshold: 0 }));
        state.record("create pool")
    }
    give_back fn cuMemPoolDestroy(pool: CUmemoryPool) {
        let mut state = state();
        state.give_back(pool.addr(), "pool")?;
        state.record("destroy pool")
    }
    call fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void) {
        assert_eq!(attribute, CUmemPool_attribute_enum_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
        state().get(pool.addr(), "pool")?.data = Data::Pool { threshold: value.cast::<u64>().read() };
        Ok(())
    }
    call fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void) {
        let mut state = state();
        let device = state.current()?;
        let Data::Pool { threshold } = state.get(pool.addr(), "pool")?.data else { unreachable!() };
        let bytes = match attribute {
            CUmemPool_attribute_enum_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => threshold,
            _ => state.used(device) as u64,
        };
        value.cast::<u64>().write(bytes);
        Ok(())
    }
    call fn cuMemPoolTrimTo(pool: CUmemoryPool, bytes: usize) {
        let mut state = state();
        state.get(pool.addr(), "pool")?;
        state.record(format!("trim to {bytes}"))
    }
}
