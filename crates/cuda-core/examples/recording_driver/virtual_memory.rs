//! Virtual memory and multicast objects.

use cuda_core::sys::*;

use crate::{call, state::*};

entry_points! {
    call fn cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const CUmemAllocationProp, _option: CUmemAllocationGranularity_flags) {
        device((*properties).location.id)?;
        *bytes = GRANULARITY;
        Ok(())
    }
    call fn cuMemCreate(out: *mut CUmemGenericAllocationHandle, size: usize, properties: *const CUmemAllocationProp, _flags: u64) {
        let device = device((*properties).location.id)?;
        if size == 0 || !size.is_multiple_of(GRANULARITY) { return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE) }
        if size > MEMORY { return Err(cudaError_enum_CUDA_ERROR_OUT_OF_MEMORY) }
        *out = state().add(device, Data::Physical) as u64;
        Ok(())
    }
    give_back fn cuMemRelease(number: CUmemGenericAllocationHandle) {
        let mut state = state();
        let multicast = matches!(state.objects.get(&(number as usize)), Some(Object { data: Data::Multicast, .. }));
        state.give_back_anywhere(number as usize, if multicast { "multicast object" } else { "physical memory" })
    }
    call fn cuMemAddressReserve(base: *mut CUdeviceptr, size: usize, _alignment: usize, _address: CUdeviceptr, _flags: u64) {
        let mut state = state();
        // Ranges do not overlap.
        state.last_handle = (state.last_handle + size).next_multiple_of(GRANULARITY);
        *base = state.add(0, Data::Range) as u64;
        state.last_handle += size;
        Ok(())
    }
    give_back fn cuMemAddressFree(base: CUdeviceptr, size: usize) {
        let mut state = state();
        let end = base as usize + size;
        let mapped = state.objects.range(base as usize + 1..end + 1).any(|(_, object)| object.alive && matches!(object.data, Data::Mapping(_)));
        if mapped { state.violations.push("a range freed with a mapping in it".into()) }
        state.give_back_anywhere(base as usize, "range")
    }
    call fn cuMemMap(va: CUdeviceptr, size: usize, _offset: usize, _physical: CUmemGenericAllocationHandle, _flags: u64) {
        // One above the address: the range may begin there.
        state().objects.insert(va as usize + 1, Object { device: 0, alive: true, data: Data::Mapping(size) });
        Ok(())
    }
    give_back fn cuMemUnmap(va: CUdeviceptr, _size: usize) { state().give_back_anywhere(va as usize + 1, "mapping") }
    call fn cuMemSetAccess(va: CUdeviceptr, size: usize, _access: *const CUmemAccessDesc, count: usize) {
        let mut state = state();
        let mapped = matches!(state.objects.get(&(va as usize + 1)), Some(Object { alive: true, data: Data::Mapping(bytes), .. }) if *bytes == size);
        if !mapped { return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE) }
        state.record(format!("access for {count}"))
    }
    call fn cuMulticastCreate(out: *mut CUmemGenericAllocationHandle, properties: *const CUmulticastObjectProp) {
        if (*properties).numDevices == 0 { return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE) }
        *out = state().add(0, Data::Multicast) as u64;
        Ok(())
    }
    call fn cuMulticastGetGranularity(bytes: *mut usize, _properties: *const CUmulticastObjectProp, _option: CUmulticastGranularity_flags) {
        *bytes = GRANULARITY;
        Ok(())
    }
    call fn cuMulticastAddDevice(_multicast: CUmemGenericAllocationHandle, number: CUdevice) { device(number).map(|_| ()) }
    call fn cuMulticastBindMem(
        multicast: CUmemGenericAllocationHandle, offset: usize, _physical: CUmemGenericAllocationHandle, _from: usize, size: usize, _flags: u64
    ) {
        state().objects.insert(multicast as usize + 1 + offset, Object { device: 0, alive: true, data: Data::Mapping(size) });
        Ok(())
    }
    give_back fn cuMulticastUnbind(multicast: CUmemGenericAllocationHandle, number: CUdevice, offset: usize, _size: usize) {
        device(number)?;
        let mut state = state();
        if !state.objects.get(&(multicast as usize)).is_some_and(|object| object.alive) {
            state.violations.push("unbound from a multicast object that is gone".into());
        }
        state.give_back_anywhere(multicast as usize + 1 + offset, "mapping")
    }
}
