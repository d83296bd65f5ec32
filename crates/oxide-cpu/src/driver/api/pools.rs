//! Stream-ordered memory and the pools that it is from.

use std::{
    ffi::{c_int, c_uint, c_void},
    ptr,
};

use super::call::{Address, entry_points, list, passed, store};
use crate::driver::{
    capture::enqueue,
    error::{Error, Result},
    handle::{Handle, handle},
    memory::{self, Kind, Owner},
    pool::{Pool, attribute},
    state::{self, device},
    work::Work,
};

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    pub kind: c_uint,
    pub number: c_int,
}

/// `CU_MEM_LOCATION_TYPE_DEVICE`.
pub const DEVICE: c_uint = 1;

impl Location {
    /// The device that it names.
    ///
    /// # Errors
    ///
    /// `INVALID_DEVICE`, `NOT_SUPPORTED` for another place.
    pub fn device(self) -> Result<usize> {
        if self.kind == DEVICE { device(self.number) } else { Err(Error::NOT_SUPPORTED) }
    }
}

/// `CUmemPoolProps`.
#[repr(C)]
pub struct Properties {
    kind: c_uint,
    handle_types: c_uint,
    location: Location,
    security: *const c_void,
    max_bytes: usize,
    usage: u16,
    reserved: [u8; 54],
}

/// `CUmemAccessDesc`.
#[repr(C)]
pub struct Access {
    pub location: Location,
    pub flags: c_uint,
}

/// `CU_MEM_ACCESS_FLAGS_PROT_…`.
pub const NO_ACCESS: c_uint = 0;
pub const READ: c_uint = 1;
pub const READ_WRITE: c_uint = 3;

/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
pub const PINNED: c_uint = 1;

/// Allocates in the order of a stream, which here is at once; from the pool of the stream's device where none is named.
fn allocate(bytes: usize, pool: Option<usize>, stream: Handle) -> Result<Address> {
    let mut state = state::context()?;
    let number = state.stream(stream)?;
    if state.streams[&number].capture.is_some() {
        eprintln!("oxide: the CPU device does not capture allocations: allocate before the capture begins");
        state.check_not_capturing(number)?;
    }
    let context = state.streams[&number].context;
    let device = state.contexts.get(&context).ok_or(Error::CONTEXT_IS_DESTROYED)?.device;
    let number = pool.unwrap_or_else(|| state.pools_of(device).1);
    let pool = state.pools.get(&number).ok_or(Error::INVALID_VALUE)?;
    let used = memory::used_of(number).saturating_add(bytes);
    if pool.max_bytes > 0 && used > pool.max_bytes {
        return Err(Error::OUT_OF_MEMORY);
    }
    let address = memory::allocate(bytes, Kind::Device, Owner { context, device: pool.device }, number, 0)?;
    state.pools.entry(number).and_modify(|pool| pool.high_water = pool.high_water.max(used));
    Ok(address)
}

/// A pool by its handle.
fn pool<T>(pool: Handle, what: impl FnOnce(&mut Pool) -> Result<T>) -> Result<T> {
    what(state::driver()?.pools.get_mut(&pool.addr()).ok_or(Error::INVALID_VALUE)?)
}

entry_points! {
    fn cuMemAllocAsync / cuMemAllocAsync_ptsz(address: *mut Address, bytes: usize, stream: Handle) since 11020 {
        if address.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        store(address, allocate(bytes, None, stream)?)
    }
    fn cuMemAllocFromPoolAsync / cuMemAllocFromPoolAsync_ptsz(address: *mut Address, bytes: usize, pool: Handle, stream: Handle) since 11020 {
        if address.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        store(address, allocate(bytes, Some(pool.addr()), stream)?)
    }
    fn cuMemFreeAsync / cuMemFreeAsync_ptsz(address: Address, stream: Handle) since 11020 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        if address == 0 {
            return Ok(());
        }
        if state.streams[&number].capture.is_some() {
            eprintln!("oxide: the CPU device does not capture that memory is freed: free it after the capture has ended");
            state.check_not_capturing(number)?;
        }
        memory::begin_free(address, &[Kind::Device])?;
        enqueue(state, number, Work::Free(address), Vec::new()).map(drop)
    }

    fn cuMemPoolCreate(to: *mut Handle, properties: *const Properties) since 11020 {
        let mut state = state::driver()?;
        let properties = properties.as_ref().filter(|it| it.kind == PINNED).ok_or(Error::INVALID_VALUE)?;
        // Memory of pools has no handles for other processes.
        if properties.handle_types != 0 {
            return Err(Error::NOT_SUPPORTED);
        }
        let device = properties.location.device()?;
        let number = state.handle();
        store(to, handle(number))?;
        state.pools.insert(number, Pool { max_bytes: properties.max_bytes, ..Pool::new(device, false) });
        Ok(())
    }
    // Its allocations live until they are freed.
    fn cuMemPoolDestroy(to: Handle) since 11020 {
        let mut state = state::driver()?;
        let pool = state.pools.get(&to.addr()).ok_or(Error::INVALID_VALUE)?;
        if pool.is_default {
            return Err(Error::INVALID_VALUE);
        }
        let device = pool.device;
        state.pools.remove(&to.addr());
        let (default, current) = state.pools_of(device);
        if current == to.addr() {
            state.device_pools.insert(device, (default, default));
        }
        Ok(())
    }
    fn cuMemPoolTrimTo(of: Handle, _kept: usize) since 11020 { pool(of, |_| Ok(())) }
    fn cuMemPoolGetAttribute(of: Handle, number: c_uint, value: *mut c_void) since 11020 {
        let found = pool(of, |pool| pool.attribute(of.addr(), number).ok_or(Error::INVALID_VALUE))?;
        // CU_MEMPOOL_ATTR_REUSE_…
        if number <= 3 { store(value.cast(), found as c_int) } else { store(value.cast(), found) }
    }
    fn cuMemPoolSetAttribute(of: Handle, number: c_uint, value: *const c_void) since 11020 {
        if value.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        pool(of, |pool| {
            let value = if number <= 3 { u64::from(*value.cast::<c_uint>()) } else { *value.cast::<u64>() };
            match number {
                1..=4 => _ = pool.settings.insert(number, value),
                // Watermarks can be set back.
                attribute::RESERVED_MEM_HIGH | attribute::USED_MEM_HIGH if value == 0 => pool.high_water = memory::used_of(of.addr()),
                _ => return Err(Error::INVALID_VALUE),
            }
            Ok(())
        })
    }
    fn cuMemPoolSetAccess(of: Handle, accesses: *const Access, count: usize) since 11020 {
        let accesses = list(accesses, count)?;
        pool(of, |pool| {
            for access in accesses {
                let device = access.location.device()?;
                match access.flags {
                    READ_WRITE => _ = pool.access.insert(device),
                    // It keeps that of its own device.
                    NO_ACCESS if device != pool.device => _ = pool.access.remove(&device),
                    _ => return Err(Error::INVALID_VALUE),
                }
            }
            Ok(())
        })
    }
    fn cuMemPoolGetAccess(flags: *mut c_uint, of: Handle, location: *const Location) since 11020 {
        let device = location.as_ref().ok_or(Error::INVALID_VALUE)?.device()?;
        let has = pool(of, |pool| Ok(pool.access.contains(&device)))?;
        store(flags, if has { READ_WRITE } else { NO_ACCESS })
    }
    fn cuDeviceGetDefaultMemPool(to: *mut Handle, number: c_int) since 11020 {
        let mut state = state::driver()?;
        let device = device(number)?;
        store(to, handle(state.pools_of(device).0))
    }
    fn cuDeviceGetMemPool(to: *mut Handle, number: c_int) since 11020 {
        let mut state = state::driver()?;
        let device = device(number)?;
        store(to, handle(state.pools_of(device).1))
    }
    fn cuDeviceSetMemPool(number: c_int, to: Handle) since 11020 {
        let mut state = state::driver()?;
        let device = device(number)?;
        if state.pools.get(&to.addr()).ok_or(Error::INVALID_VALUE)?.device != device {
            return Err(Error::INVALID_DEVICE);
        }
        let default = state.pools_of(device).0;
        state.device_pools.insert(device, (default, to.addr()));
        Ok(())
    }
    fn cuMemGetDefaultMemPool(to: *mut Handle, location: *const Location, kind: c_uint) since 13000 {
        let mut state = state::driver()?;
        let device = location.as_ref().filter(|_| kind == PINNED).ok_or(Error::INVALID_VALUE)?.device()?;
        store(to, handle(state.pools_of(device).0))
    }
    fn cuMemGetMemPool(to: *mut Handle, location: *const Location, kind: c_uint) since 13000 {
        let mut state = state::driver()?;
        let device = location.as_ref().filter(|_| kind == PINNED).ok_or(Error::INVALID_VALUE)?.device()?;
        store(to, handle(state.pools_of(device).1))
    }
    fn cuMemSetMemPool(location: *const Location, kind: c_uint, to: Handle) since 13000 {
        let number = location.as_ref().filter(|it| kind == PINNED && it.kind == DEVICE).ok_or(Error::INVALID_VALUE)?.number;
        passed(cuDeviceSetMemPool(number, to))
    }
    fn cuMemPoolExportToShareableHandle(to: *mut c_void, of: Handle, _kind: c_uint, _flags: u64) since 11020 {
        store(to.cast(), ptr::null_mut::<c_void>())?;
        pool(of, |_| Err(Error::NOT_SUPPORTED))
    }
}
