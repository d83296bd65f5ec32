//! Devices, and access from one to another.

use std::ffi::{c_char, c_int, c_uint};

use super::call::{entry_points, passed, store, store_text, string};
use crate::driver::{
    device,
    error::Error,
    handle::Handle,
    memory,
    state::{self, device},
};

/// `CUdevprop`.
#[repr(C)]
pub struct Properties {
    threads: c_int,
    block: [c_int; 3],
    grid: [c_int; 3],
    shared: c_int,
    constant: c_int,
    warp: c_int,
    pitch: c_int,
    registers: c_int,
    clock: c_int,
    texture: c_int,
}

fn attribute(number: c_uint, device: usize) -> c_int {
    device::attribute(number, device).unwrap_or_default()
}

entry_points! {
    fn cuDeviceGetCount(count: *mut c_int) since 2000 { drop(state::driver()?); store(count, device::count() as c_int) }
    fn cuDeviceGet(number: *mut c_int, ordinal: c_int) since 2000 { drop(state::driver()?); device(ordinal)?; store(number, ordinal) }
    fn cuDeviceGetName(name: *mut c_char, length: c_int, number: c_int) since 2000 {
        drop(state::driver()?);
        device(number)?;
        store_text(name, length, device::NAME.as_bytes())
    }
    fn cuDeviceGetUuid(uuid: *mut [u8; 16], number: c_int) since 9020 { drop(state::driver()?); store(uuid, device::uuid(device(number)?)) }
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], number: c_int) since 11040 { passed(cuDeviceGetUuid(uuid, number)) }
    fn cuDeviceTotalMem_v2(bytes: *mut usize, number: c_int) since 3020 { drop(state::driver()?); store(bytes, memory::amounts(device(number)?)?.1) }
    fn cuDeviceGetAttribute(value: *mut c_int, number: c_uint, of: c_int) since 2000 {
        drop(state::driver()?);
        store(value, device::attribute(number, device(of)?).ok_or(Error::INVALID_VALUE)?)
    }
    fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, number: c_int) since 2000 {
        drop(state::driver()?);
        let number = device(number)?;
        store(major, attribute(75, number))?;
        store(minor, attribute(76, number))
    }
    fn cuDeviceGetProperties(properties: *mut Properties, number: c_int) since 2000 {
        drop(state::driver()?);
        let number = device(number)?;
        let [threads, shared, constant, warp, pitch, registers, clock, texture] = [1, 8, 9, 10, 11, 12, 13, 14].map(|it| attribute(it, number));
        let (block, grid) = ([2, 3, 4].map(|it| attribute(it, number)), [5, 6, 7].map(|it| attribute(it, number)));
        store(properties, Properties { threads, block, grid, shared, constant, warp, pitch, registers, clock, texture })
    }
    fn cuDeviceGetPCIBusId(text: *mut c_char, length: c_int, number: c_int) since 4010 {
        drop(state::driver()?);
        let [domain, bus, slot] = device::pci(device(number)?);
        store_text(text, length, format!("{domain:04x}:{bus:02x}:{slot:02x}.0").as_bytes())
    }
    fn cuDeviceGetByPCIBusId(number: *mut c_int, text: *const c_char) since 4010 {
        drop(state::driver()?);
        let text = string(text)?.to_str().map_err(|_| Error::INVALID_VALUE)?;
        let text = text.split_once('.').map_or(text, |(place, _)| place);
        let parts: Option<Vec<c_int>> = text.split(':').map(|part| c_int::from_str_radix(part, 16).ok()).collect();
        // Without a domain it is 0.
        let wanted = match parts.ok_or(Error::INVALID_VALUE)?[..] {
            [domain, bus, slot] => [domain, bus, slot],
            [bus, slot] => [0, bus, slot],
            _ => return Err(Error::INVALID_VALUE),
        };
        let found = (0..device::count()).find(|&device| device::pci(device) == wanted).ok_or(Error::INVALID_DEVICE)?;
        store(number, found as c_int)
    }

    // Devices share one address space: peer access is only a permission.
    fn cuDeviceCanAccessPeer(can: *mut c_int, from: c_int, to: c_int) since 4000 {
        drop(state::driver()?);
        store(can, (device(from)? != device(to)?).into())
    }
    fn cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_uint, from: c_int, to: c_int) since 8000 {
        drop(state::driver()?);
        if device(from)? == device(to)? {
            return Err(Error::INVALID_DEVICE);
        }
        store(value, match attribute {
            // PERFORMANCE_RANK: all are alike
            1 => 0,
            // ACCESS_SUPPORTED, NATIVE_ATOMIC_SUPPORTED
            2 | 3 => 1,
            // CUDA_ARRAY_ACCESS_SUPPORTED, ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED
            4 | 5 => 0,
            _ => return Err(Error::INVALID_VALUE),
        })
    }
    fn cuCtxEnablePeerAccess(peer: Handle, flags: c_uint) since 4000 {
        let mut state = state::context()?;
        let peer = state.check_context(peer)?;
        let other = state.contexts.get(&peer).ok_or(Error::INVALID_CONTEXT)?.device;
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        if other == state.device {
            return Err(Error::INVALID_DEVICE);
        }
        if state.context()?.peers.insert(peer) { Ok(()) } else { Err(Error::PEER_ACCESS_ALREADY_ENABLED) }
    }
    fn cuCtxDisablePeerAccess(peer: Handle) since 4000 {
        let mut state = state::context()?;
        let peer = state.check_context(peer)?;
        if state.context()?.peers.remove(&peer) { Ok(()) } else { Err(Error::PEER_ACCESS_NOT_ENABLED) }
    }
}
