//! Virtual memory management.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use super::{
    call::{Address, entry_points, list, store},
    pools::{Access, DEVICE, Location, NO_ACCESS, PINNED, READ, READ_WRITE},
};
use crate::driver::{
    device,
    error::{Error, Result},
    handle::{Handle, handle},
    state, virtual_memory,
};

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Properties {
    kind: c_uint,
    handle_types: c_uint,
    location: Location,
    security: *mut c_void,
    compression: u8,
    rdma: u8,
    usage: u16,
    reserved: [u8; 4],
}

impl Properties {
    /// The device that they name; memory without handles for other processes.
    fn device(&self) -> Result<usize> {
        match (self.kind, self.handle_types) {
            (PINNED, 0) => self.location.device(),
            (PINNED, _) => Err(Error::NOT_SUPPORTED),
            _ => Err(Error::INVALID_VALUE),
        }
    }
}

entry_points! {
    fn cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const Properties, option: c_uint) since 10020 {
        drop(state::driver()?);
        properties.as_ref().filter(|_| option <= 1).ok_or(Error::INVALID_VALUE)?.device()?;
        store(bytes, device::GRANULARITY)
    }
    fn cuMemCreate(to: *mut u64, bytes: usize, properties: *const Properties, flags: c_ulonglong) since 10020 {
        drop(state::driver()?);
        if to.is_null() || flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let device = properties.as_ref().ok_or(Error::INVALID_VALUE)?.device()?;
        store(to, virtual_memory::create(device, bytes)? as u64)
    }
    fn cuMemRelease(of: u64) since 10020 { drop(state::driver()?); virtual_memory::release(of as usize) }
    fn cuMemAddressReserve(to: *mut Address, bytes: usize, alignment: usize, _wanted: Address, flags: c_ulonglong) since 10020 {
        drop(state::driver()?);
        if to.is_null() || flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        store(to, virtual_memory::reserve(bytes, alignment)?)
    }
    fn cuMemAddressFree(address: Address, bytes: usize) since 10020 { drop(state::driver()?); virtual_memory::free(address, bytes) }
    fn cuMemMap(address: Address, bytes: usize, offset: usize, of: u64, flags: c_ulonglong) since 10020 {
        drop(state::driver()?);
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        virtual_memory::map(address, bytes, offset, of as usize)
    }
    fn cuMemUnmap(address: Address, bytes: usize) since 10020 { drop(state::driver()?); virtual_memory::unmap(address, bytes) }
    fn cuMemSetAccess(address: Address, bytes: usize, accesses: *const Access, count: usize) since 10020 {
        drop(state::driver()?);
        let accesses: Result<Vec<_>> = list(accesses, count)?.iter().map(|access| {
            let allowed = match access.flags {
                NO_ACCESS => virtual_memory::Access::None,
                READ => virtual_memory::Access::Read,
                READ_WRITE => virtual_memory::Access::ReadWrite,
                _ => return Err(Error::INVALID_VALUE),
            };
            Ok((access.location.device()?, allowed))
        }).collect();
        virtual_memory::set_access(address, bytes, &accesses?)
    }
    fn cuMemGetAccess(flags: *mut u64, location: *const Location, address: Address) since 10020 {
        drop(state::driver()?);
        let device = location.as_ref().ok_or(Error::INVALID_VALUE)?.device()?;
        store(flags, match virtual_memory::access(address, Some(device)).ok_or(Error::INVALID_VALUE)? {
            virtual_memory::Access::None => NO_ACCESS,
            virtual_memory::Access::Read => READ,
            virtual_memory::Access::ReadWrite => READ_WRITE,
        }.into())
    }
    fn cuMemRetainAllocationHandle(to: *mut Handle, address: *mut c_void) since 11000 {
        drop(state::driver()?);
        if to.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        store(to, handle(virtual_memory::retain(address.addr() as u64)?))
    }
    fn cuMemGetAllocationPropertiesFromHandle(properties: *mut Properties, of: u64) since 10020 {
        drop(state::driver()?);
        let number = virtual_memory::physical(of as usize)?.device as c_int;
        let location = Location { kind: DEVICE, number };
        let security = std::ptr::null_mut();
        store(properties, Properties { kind: PINNED, handle_types: 0, location, security, compression: 0, rdma: 0, usage: 0, reserved: [0; 4] })
    }
}
