//! Virtual memory management: physical memory is a file in memory, mapped into reserved addresses.

use std::{
    collections::BTreeMap,
    fs::File,
    os::fd::{AsRawFd, FromRawFd},
    ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    device::GRANULARITY,
    error::{Error, Result},
    memory,
};

/// Physical memory, which lives as long as its handle or a mapping.
pub struct Physical {
    pub device: usize,
    pub bytes: usize,
    file: File,
}

struct Mapping {
    bytes: usize,
    physical: Arc<Physical>,
    handle: usize,
    /// Devices with access.
    access: BTreeMap<usize, Access>,
}

#[derive(Default)]
struct Space {
    last: usize,
    /// Physical memory by handle, and how often the handle is held.
    physical: BTreeMap<usize, (Arc<Physical>, u32)>,
    /// Bytes of reserved addresses.
    reserved: BTreeMap<u64, usize>,
    mappings: BTreeMap<u64, Mapping>,
}

static SPACE: Mutex<Space> = Mutex::new(Space { last: 0, physical: BTreeMap::new(), reserved: BTreeMap::new(), mappings: BTreeMap::new() });

fn space() -> MutexGuard<'static, Space> {
    SPACE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn granular(bytes: usize) -> Result<()> {
    if bytes > 0 && bytes.is_multiple_of(GRANULARITY) { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

/// Creates physical memory and returns its handle.
///
/// # Errors
///
/// `INVALID_VALUE` for a size that is no multiple of the granularity, `OUT_OF_MEMORY`.
pub fn create(device: usize, bytes: usize) -> Result<usize> {
    granular(bytes)?;
    if bytes > memory::amounts(device)?.0 {
        return Err(Error::OUT_OF_MEMORY);
    }
    // SAFETY: the name is a string; the descriptor is new, so it has no other owner.
    let file = unsafe {
        let descriptor = libc::memfd_create(c"oxide-memory".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(Error::OUT_OF_MEMORY);
        }
        File::from_raw_fd(descriptor)
    };
    file.set_len(bytes as u64).map_err(|_| Error::OUT_OF_MEMORY)?;
    let mut space = space();
    space.last += 0x10;
    let handle = space.last;
    space.physical.insert(handle, (Arc::new(Physical { device, bytes, file }), 1));
    Ok(handle)
}

/// Releases a handle; mappings keep the memory alive.
///
/// # Errors
///
/// `INVALID_VALUE` for one that is none.
pub fn release(handle: usize) -> Result<()> {
    let mut space = space();
    let (_, held) = space.physical.get_mut(&handle).ok_or(Error::INVALID_VALUE)?;
    *held -= 1;
    if *held == 0 {
        space.physical.remove(&handle);
    }
    Ok(())
}

/// Physical memory by its handle.
///
/// # Errors
///
/// `INVALID_VALUE` for one that is none.
pub fn physical(handle: usize) -> Result<Arc<Physical>> {
    space().physical.get(&handle).map(|(physical, _)| physical.clone()).ok_or(Error::INVALID_VALUE)
}

/// The handle of the memory that is mapped at an address, retained once more.
///
/// # Errors
///
/// `INVALID_VALUE` where nothing is.
pub fn retain(address: u64) -> Result<usize> {
    let mut space = space();
    let (&start, mapping) = space.mappings.range(..=address).next_back().ok_or(Error::INVALID_VALUE)?;
    if address - start >= mapping.bytes as u64 {
        return Err(Error::INVALID_VALUE);
    }
    let (handle, physical) = (mapping.handle, mapping.physical.clone());
    space.physical.entry(handle).or_insert((physical, 0)).1 += 1;
    Ok(handle)
}

/// Reserves addresses.
///
/// # Errors
///
/// `INVALID_VALUE` for a size that is no multiple of the granularity or an alignment that is no power of two; `OUT_OF_MEMORY`.
pub fn reserve(bytes: usize, alignment: usize) -> Result<u64> {
    granular(bytes)?;
    if alignment != 0 && !alignment.is_power_of_two() {
        return Err(Error::INVALID_VALUE);
    }
    let alignment = alignment.max(GRANULARITY);
    let whole = bytes.checked_add(alignment).ok_or(Error::OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping without access, of which what is before and behind the aligned part is given back.
    let start = unsafe {
        let start = libc::mmap(ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return Err(Error::OUT_OF_MEMORY);
        }
        let before = start.addr().next_multiple_of(alignment) - start.addr();
        if before > 0 {
            libc::munmap(start, before);
        }
        libc::munmap(start.byte_add(before + bytes), whole - before - bytes);
        start.expose_provenance() + before
    };
    space().reserved.insert(start as u64, bytes);
    Ok(start as u64)
}

/// Frees reserved addresses.
///
/// # Errors
///
/// `INVALID_VALUE` for a range that was not reserved so, or in which something is mapped.
pub fn free(address: u64, bytes: usize) -> Result<()> {
    let mut space = space();
    let is_mapped = space.mappings.range(address..address.saturating_add(bytes as u64)).next().is_some();
    if space.reserved.get(&address) != Some(&bytes) || is_mapped {
        return Err(Error::INVALID_VALUE);
    }
    space.reserved.remove(&address);
    // SAFETY: reserved, without anything in it.
    unsafe { libc::munmap(ptr::with_exposed_provenance_mut(address as usize), bytes) };
    Ok(())
}

/// Maps physical memory, without access.
///
/// # Errors
///
/// `INVALID_VALUE` for a range that is not reserved, or that is mapped, or that the memory does not have.
pub fn map(address: u64, bytes: usize, offset: usize, handle: usize) -> Result<()> {
    granular(bytes)?;
    let physical = physical(handle)?;
    let mut space = space();
    let end = address.checked_add(bytes as u64).ok_or(Error::INVALID_VALUE)?;
    let reserved = space.reserved.range(..=address).next_back().is_some_and(|(&start, &bytes)| end <= start + bytes as u64);
    let mapped = space.mappings.range(..end).next_back().is_some_and(|(&start, mapping)| start + mapping.bytes as u64 > address);
    let has = offset.checked_add(bytes).is_some_and(|end| end <= physical.bytes);
    if !reserved || mapped || !has || !offset.is_multiple_of(GRANULARITY) || !address.is_multiple_of(GRANULARITY as u64) {
        return Err(Error::INVALID_VALUE);
    }
    let at = ptr::with_exposed_provenance_mut(address as usize);
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: reserved addresses, in which nothing is mapped.
    let mapped = unsafe { libc::mmap(at, bytes, libc::PROT_NONE, flags, physical.file.as_raw_fd(), offset as libc::off_t) };
    if mapped == libc::MAP_FAILED {
        return Err(Error::OUT_OF_MEMORY);
    }
    memory::register_virtual(address, bytes, physical.device);
    space.mappings.insert(address, Mapping { bytes, physical, handle, access: BTreeMap::new() });
    Ok(())
}

/// The starts of the mappings that a range consists of.
fn mappings_in(space: &Space, address: u64, bytes: usize) -> Result<Vec<u64>> {
    let end = address.checked_add(bytes as u64).filter(|_| bytes > 0).ok_or(Error::INVALID_VALUE)?;
    let mut at = address;
    let mut found = Vec::new();
    while at < end {
        found.push(at);
        at += space.mappings.get(&at).ok_or(Error::INVALID_VALUE)?.bytes as u64;
    }
    if at == end { Ok(found) } else { Err(Error::INVALID_VALUE) }
}

/// Undoes mappings.
///
/// # Errors
///
/// `INVALID_VALUE` for a range that is not one of whole mappings.
pub fn unmap(address: u64, bytes: usize) -> Result<()> {
    let mut space = space();
    for start in mappings_in(&space, address, bytes)? {
        memory::forget_virtual(start);
        if let Some(mapping) = space.mappings.remove(&start) {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
            let at = ptr::with_exposed_provenance_mut(start as usize);
            // SAFETY: the mapping becomes reserved addresses again.
            unsafe { libc::mmap(at, mapping.bytes, libc::PROT_NONE, flags, -1, 0) };
        }
    }
    Ok(())
}

/// What a device may do with mapped memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    None,
    Read,
    ReadWrite,
}

/// Sets the access of devices to whole mappings. The host has the access of the device that has the most.
///
/// # Errors
///
/// `INVALID_VALUE` for a range that is not one of whole mappings.
pub fn set_access(address: u64, bytes: usize, devices: &[(usize, Access)]) -> Result<()> {
    let mut space = space();
    for start in mappings_in(&space, address, bytes)? {
        let Some(mapping) = space.mappings.get_mut(&start) else { continue };
        mapping.access.extend(devices.iter().copied());
        let protection = match mapping.access.values().max() {
            None | Some(Access::None) => libc::PROT_NONE,
            Some(Access::Read) => libc::PROT_READ,
            Some(Access::ReadWrite) => libc::PROT_READ | libc::PROT_WRITE,
        };
        // SAFETY: a mapping of this size.
        if unsafe { libc::mprotect(ptr::with_exposed_provenance_mut(start as usize), mapping.bytes, protection) } != 0 {
            return Err(Error::OUT_OF_MEMORY);
        }
    }
    Ok(())
}

/// The access of a device to mapped memory, or with `None` of the device that has the most; `None` where nothing is mapped.
pub fn access(address: u64, device: Option<usize>) -> Option<Access> {
    let space = space();
    let (&start, mapping) = space.mappings.range(..=address).next_back()?;
    let of_device = |device| mapping.access.get(&device).copied();
    let found = device.map_or_else(|| mapping.access.values().copied().max(), of_device);
    (address - start < mapping.bytes as u64).then_some(found.unwrap_or(Access::None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_physical_memory_at_two_addresses() {
        let handle = create(0, GRANULARITY).unwrap();
        let base = reserve(2 * GRANULARITY, 0).unwrap();
        let second = base + GRANULARITY as u64;
        assert_eq!(map(base, GRANULARITY, GRANULARITY, handle), Err(Error::INVALID_VALUE));
        map(base, GRANULARITY, 0, handle).unwrap();
        map(second, GRANULARITY, 0, handle).unwrap();
        assert_eq!(map(second, GRANULARITY, 0, handle), Err(Error::INVALID_VALUE));
        assert_eq!(access(base, None), Some(Access::None));
        set_access(base, 2 * GRANULARITY, &[(0, Access::ReadWrite)]).unwrap();
        set_access(base, GRANULARITY, &[(1, Access::Read)]).unwrap();
        assert_eq!((access(base, Some(0)), access(base, Some(1))), (Some(Access::ReadWrite), Some(Access::Read)));
        assert_eq!((access(second, Some(1)), access(base - 1, Some(0))), (Some(Access::None), None));
        let at = |address: u64| ptr::with_exposed_provenance_mut::<u32>(address as usize);
        // SAFETY: mapped and accessible.
        unsafe {
            at(base + 8).write(7);
            assert_eq!(at(second + 8).read(), 7);
        }
        release(handle).unwrap();
        assert_eq!(release(handle), Err(Error::INVALID_VALUE));
        assert_eq!(free(base, 2 * GRANULARITY), Err(Error::INVALID_VALUE));
        unmap(base, 2 * GRANULARITY).unwrap();
        assert_eq!(unmap(base, GRANULARITY), Err(Error::INVALID_VALUE));
        free(base, 2 * GRANULARITY).unwrap();
    }

    #[test]
    fn sizes_are_multiples_of_the_granularity() {
        assert_eq!(create(0, 4096), Err(Error::INVALID_VALUE));
        assert_eq!(reserve(0, 0), Err(Error::INVALID_VALUE));
        assert_eq!(reserve(GRANULARITY, 3), Err(Error::INVALID_VALUE));
    }
}
