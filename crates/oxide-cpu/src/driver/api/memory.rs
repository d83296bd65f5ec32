//! Memory of devices and of the host, and attributes of pointers.

use std::{
    ffi::{c_int, c_uint, c_ulonglong, c_void},
    ptr,
};

use super::call::{Address, entry_points, list, passed, store, store_if};
use crate::driver::{
    current,
    error::{Error, Result},
    handle::{Handle, handle},
    memory::{self, Kind},
    peer_access, queue, state,
};

/// Pitches are multiples of it, as on GPUs.
const PITCH: usize = 512;

/// Memory that `cuMemFree` frees.
const FREED: [Kind; 2] = [Kind::Device, Kind::Managed];

/// `CU_MEMHOSTALLOC_PORTABLE`, `…_DEVICEMAP`, `…_WRITECOMBINED`.
const HOST_FLAGS: c_uint = 7;
/// `CU_MEMHOSTREGISTER_PORTABLE`, `…_DEVICEMAP`, `…_IOMEMORY`, `…_READ_ONLY`.
const REGISTER_FLAGS: c_uint = 15;

fn allocate(bytes: usize, kind: Kind, flags: c_uint) -> Result<Address> {
    let mut state = state::context()?;
    state.check_no_capture()?;
    memory::allocate(bytes, kind, state.owner(), 0, flags)
}

/// Waits for work that may use memory, and frees it.
fn free(address: Address, kinds: &[Kind]) -> Result<()> {
    let mut state = state::context()?;
    if address == 0 {
        return Ok(());
    }
    state.check_no_capture()?;
    let context =
        memory::properties(address).filter(|it| it.start == address && kinds.contains(&it.kind)).ok_or(Error::INVALID_VALUE)?.owner.context;
    let unfinished = state.unfinished(|_, stream| stream.context == context);
    drop(state);
    queue::wait(&unfinished);
    memory::free(address, kinds)
}

/// Checks ranges of managed memory, for calls that move them and so change nothing.
fn managed(addresses: &[Address], bytes: &[usize], flags: c_ulonglong, stream: Handle) -> Result<()> {
    state::context()?.stream(stream)?;
    if flags != 0 || addresses.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    addresses.iter().zip(bytes).try_for_each(|(&address, &bytes)| {
        memory::properties(address).filter(|it| it.kind == Kind::Managed).ok_or(Error::INVALID_VALUE)?;
        peer_access::check_range(address, bytes)
    })
}

/// Whether kernels of the current context may not access an address (CUDA driver API reference, CU_POINTER_ATTRIBUTE_DEVICE_POINTER).
fn is_out_of_reach(address: Address) -> bool {
    let context = current::context();
    let state = state::internal();
    let device = state.contexts.get(&context).map(|context| context.device);
    let peer_access = device.map(|device| state.peer_access(context, device));
    peer_access.is_some_and(|peer_access| peer_access.refuses(address).is_some())
}

/// Writes an attribute of a pointer, of the type that it has; `INVALID_VALUE` for a pointer without it.
unsafe fn attribute(to: *mut c_void, attribute: c_uint, address: Address) -> Result<()> {
    // CU_POINTER_ATTRIBUTE_…
    const CONTEXT: c_uint = 1;
    const MEMORY_TYPE: c_uint = 2;
    const DEVICE_POINTER: c_uint = 3;
    const HOST_POINTER: c_uint = 4;
    const SYNC_MEMOPS: c_uint = 6;
    const BUFFER_ID: c_uint = 7;
    const IS_MANAGED: c_uint = 8;
    const DEVICE_ORDINAL: c_uint = 9;
    const IS_LEGACY_IPC_CAPABLE: c_uint = 10;
    const RANGE_START: c_uint = 11;
    const RANGE_SIZE: c_uint = 12;
    const MAPPED: c_uint = 13;
    const ALLOWED_HANDLE_TYPES: c_uint = 14;
    const IS_GPU_DIRECT_RDMA_CAPABLE: c_uint = 15;
    const ACCESS_FLAGS: c_uint = 16;
    const MEMPOOL_HANDLE: c_uint = 17;
    const MAPPING_SIZE: c_uint = 18;
    const MAPPING_BASE: c_uint = 19;
    const MEMORY_BLOCK_ID: c_uint = 20;
    if to.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let it = memory::properties(address);
    if attribute == MAPPED {
        // SAFETY: the caller's.
        return unsafe { store(to.cast::<bool>(), it.is_some()) };
    }
    let it = it.ok_or(Error::INVALID_VALUE)?;
    let is_host = matches!(it.kind, Kind::Host | Kind::Registered);
    // SAFETY: the caller's, who has room for the attribute's type.
    unsafe {
        match attribute {
            CONTEXT if it.owner.context == 0 => Err(Error::INVALID_VALUE),
            CONTEXT => store(to.cast(), handle(it.owner.context)),
            MEMORY_TYPE => store(to.cast::<c_uint>(), if is_host { 1 } else { 2 }),
            DEVICE_POINTER if is_out_of_reach(address) => Err(Error::INVALID_VALUE),
            DEVICE_POINTER => store(to.cast(), address),
            HOST_POINTER if !is_host && it.kind != Kind::Managed => Err(Error::INVALID_VALUE),
            HOST_POINTER => store(to.cast(), address),
            SYNC_MEMOPS => store(to.cast::<c_uint>(), 1),
            BUFFER_ID | MEMORY_BLOCK_ID => store(to.cast(), it.id),
            IS_MANAGED => store(to.cast::<c_uint>(), (it.kind == Kind::Managed).into()),
            DEVICE_ORDINAL => store(to.cast(), it.owner.device as c_int),
            IS_LEGACY_IPC_CAPABLE | IS_GPU_DIRECT_RDMA_CAPABLE => store(to.cast(), false),
            RANGE_START | MAPPING_BASE => store(to.cast(), it.start),
            RANGE_SIZE | MAPPING_SIZE => store(to.cast(), it.bytes),
            ALLOWED_HANDLE_TYPES => store(to.cast::<u64>(), 0),
            // CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE
            ACCESS_FLAGS => store(to.cast::<c_uint>(), 3),
            MEMPOOL_HANDLE => store(to.cast(), handle(it.pool)),
            _ => Err(Error::INVALID_VALUE),
        }
    }
}

entry_points! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) since 3020 {
        let device = state::context()?.device;
        let amounts = memory::amounts(device)?;
        store(free, amounts.0)?;
        store(total, amounts.1)
    }
    fn cuMemAlloc_v2(address: *mut Address, bytes: usize) since 3020 {
        if address.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        store(address, allocate(bytes, Kind::Device, 0)?)
    }
    fn cuMemAllocPitch_v2(address: *mut Address, pitch: *mut usize, width: usize, height: usize, element: c_uint) since 3020 {
        if address.is_null() || pitch.is_null() || !matches!(element, 4 | 8 | 16) {
            return Err(Error::INVALID_VALUE);
        }
        let row = width.checked_next_multiple_of(PITCH).ok_or(Error::OUT_OF_MEMORY)?;
        store(address, allocate(row.checked_mul(height).ok_or(Error::OUT_OF_MEMORY)?, Kind::Device, 0)?)?;
        store(pitch, row)
    }
    fn cuMemAllocManaged(address: *mut Address, bytes: usize, flags: c_uint) since 6000 {
        // CU_MEM_ATTACH_GLOBAL, …_HOST
        if address.is_null() || !matches!(flags, 1 | 2) {
            return Err(Error::INVALID_VALUE);
        }
        store(address, allocate(bytes, Kind::Managed, flags)?)
    }
    fn cuMemFree_v2(address: Address) since 3020 { free(address, &FREED) }
    fn cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize) since 3020 { passed(cuMemHostAlloc(address, bytes, 0)) }
    fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint) since 2020 {
        if address.is_null() || flags & !HOST_FLAGS != 0 {
            return Err(Error::INVALID_VALUE);
        }
        store(address, ptr::with_exposed_provenance_mut(allocate(bytes, Kind::Host, flags)? as usize))
    }
    fn cuMemFreeHost(address: *mut c_void) since 2000 {
        if address.is_null() {
            return state::context().and(Err(Error::INVALID_VALUE));
        }
        free(address.addr() as u64, &[Kind::Host])
    }
    fn cuMemHostRegister_v2(address: *mut c_void, bytes: usize, flags: c_uint) since 6050 {
        let owner = state::context()?.owner();
        if flags & !REGISTER_FLAGS != 0 {
            return Err(Error::INVALID_VALUE);
        }
        memory::register_host(address.expose_provenance() as u64, bytes, owner, flags)
    }
    fn cuMemHostUnregister(address: *mut c_void) since 4000 {
        drop(state::context()?);
        let address = address.addr() as u64;
        memory::properties(address).filter(|it| it.kind == Kind::Registered && it.start == address).ok_or(Error::HOST_MEMORY_NOT_REGISTERED)?;
        free(address, &[Kind::Registered])
    }
    fn cuMemHostGetDevicePointer_v2(to: *mut Address, address: *mut c_void, flags: c_uint) since 3020 {
        drop(state::context()?);
        let address = address.addr() as u64;
        let is_host = memory::properties(address).is_some_and(|it| matches!(it.kind, Kind::Host | Kind::Registered | Kind::Managed));
        if flags != 0 || !is_host {
            return Err(Error::INVALID_VALUE);
        }
        store(to, address)
    }
    fn cuMemHostGetFlags(flags: *mut c_uint, address: *mut c_void) since 2030 {
        drop(state::context()?);
        let it = memory::properties(address.addr() as u64).filter(|it| it.kind == Kind::Host).ok_or(Error::INVALID_VALUE)?;
        store(flags, it.flags)
    }
    fn cuMemGetAddressRange_v2(start: *mut Address, bytes: *mut usize, address: Address) since 3020 {
        drop(state::context()?);
        let (found, size, _) = memory::find(address).ok_or(Error::NOT_FOUND)?;
        store_if(start, found);
        store_if(bytes, size);
        Ok(())
    }
    fn cuPointerGetAttribute(to: *mut c_void, number: c_uint, address: Address) since 4000 {
        drop(state::driver()?);
        attribute(to, number, address)
    }
    // What a pointer does not have is 0 (CUDA driver API reference, cuPointerGetAttributes).
    fn cuPointerGetAttributes(count: c_uint, numbers: *const c_uint, places: *const *mut c_void, address: Address) since 7000 {
        const DEVICE_ORDINAL: c_uint = 9;
        drop(state::driver()?);
        let (numbers, places) = (list(numbers, count as usize)?, list(places, count as usize)?);
        for (&number, &place) in numbers.iter().zip(places) {
            if attribute(place, number, address).is_ok() {
                continue;
            }
            match number {
                DEVICE_ORDINAL => store(place.cast::<c_int>(), -2)?,
                2 | 6 | 8 | 16 => store(place.cast::<c_uint>(), 0)?,
                10 | 13 | 15 => store(place.cast::<bool>(), false)?,
                1 | 3 | 4 | 7 | 11 | 12 | 14 | 17..=20 => store(place.cast::<u64>(), 0)?,
                _ => return Err(Error::INVALID_VALUE),
            }
        }
        Ok(())
    }
    // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, the only one that can be set: they are.
    fn cuPointerSetAttribute(value: *const c_void, number: c_uint, address: Address) since 6000 {
        drop(state::driver()?);
        if value.is_null() || number != 6 || memory::find(address).is_none() {
            return Err(Error::INVALID_VALUE);
        }
        Ok(())
    }
    // Managed memory is not moved: advice and prefetches change nothing.
    fn cuMemAdvise_v2(address: Address, bytes: usize, _advice: c_uint, _place: u64) since 12020 {
        drop(state::context()?);
        memory::properties(address).filter(|it| it.kind == Kind::Managed).ok_or(Error::INVALID_VALUE)?;
        peer_access::check_range(address, bytes)
    }
    fn cuMemPrefetchAsync_v2 / cuMemPrefetchAsync_v2_ptsz(address: Address, bytes: usize, _place: u64, flags: c_uint, stream: Handle) since 12020 {
        managed(&[address], &[bytes], flags.into(), stream)
    }
    fn cuMemPrefetchBatchAsync / cuMemPrefetchBatchAsync_ptsz(
        addresses: *const Address, bytes: *const usize, count: usize, _places: *const c_void, _place_numbers: *const usize,
        _place_count: usize, flags: c_ulonglong, stream: Handle,
    ) since 13000 { managed(list(addresses, count)?, list(bytes, count)?, flags, stream) }
    fn cuMemDiscardBatchAsync / cuMemDiscardBatchAsync_ptsz(
        addresses: *const Address, bytes: *const usize, count: usize, flags: c_ulonglong, stream: Handle,
    ) since 13000 { managed(list(addresses, count)?, list(bytes, count)?, flags, stream) }
    fn cuMemDiscardAndPrefetchBatchAsync / cuMemDiscardAndPrefetchBatchAsync_ptsz(
        addresses: *const Address, bytes: *const usize, count: usize, _places: *const c_void, _place_numbers: *const usize,
        _place_count: usize, flags: c_ulonglong, stream: Handle,
    ) since 13000 { managed(list(addresses, count)?, list(bytes, count)?, flags, stream) }
}
