//! Device memory: each allocation is a mapping of its own between guard pages.

use std::{
    collections::BTreeMap,
    ffi::c_uint,
    fs, ptr,
    sync::{
        LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use super::{
    device,
    error::{Error, Result},
};

/// Alignment of an allocation, as CUDA's (CUDA C++ Programming Guide, "Device Memory Accesses").
const ALIGN: usize = 256;
const PAGE: usize = 4096;

/// Bytes of the guard pages before and behind an allocation: an access that misses it by less does not hit another.
const GUARD: usize = 1 << 20;

/// What memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Device,
    /// Host memory that the device may access.
    Host,
    /// Host memory that the program allocated, and registered.
    Registered,
    /// Memory of host and devices.
    Managed,
    /// Physical memory that is mapped into reserved addresses.
    Virtual,
    /// A variable of a module, which is no allocation.
    Global,
}

/// Whose memory it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    pub context: usize,
    pub device: usize,
}

struct Allocation {
    bytes: usize,
    kind: Kind,
    owner: Owner,
    /// The pool that it is from, or 0.
    pool: usize,
    /// A number that no other allocation has.
    id: u64,
    /// The flags of `cuMemHostAlloc`, `cuMemHostRegister` or `cuMemAllocManaged`.
    flags: c_uint,
    /// Whether a stream is going to free it.
    freeing: bool,
    /// The bytes that were written, valid where no kernel has run since that may have written anything.
    written: Written,
    since: u64,
    /// Address and bytes of the whole mapping.
    mapping: (usize, usize),
}

/// The bytes of an allocation that were written.
enum Written {
    All,
    /// From, to.
    Ranges(Vec<(usize, usize)>),
    /// A bit a byte.
    Bits(Vec<u64>),
}

impl Written {
    fn mark(&mut self, from: usize, to: usize, bytes: usize) {
        if from == 0 && to == bytes {
            *self = Self::All;
        }
        match self {
            Self::All => {}
            Self::Ranges(ranges) => match ranges.last_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => ranges.push((from, to)),
            },
            Self::Bits(bits) => (from..to).for_each(|byte| bits[byte / 64] |= 1 << (byte % 64)),
        }
    }
}

/// Launches that may have written anything.
static UNKNOWN_WRITES: AtomicU64 = AtomicU64::new(0);

/// Freed allocations whose addresses stay reserved: address and bytes.
static FREED: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());

impl Allocation {
    /// One of which all bytes may have been written.
    fn new(bytes: usize, kind: Kind, owner: Owner) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            bytes,
            kind,
            owner,
            pool: 0,
            id: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            flags: 0,
            freeing: false,
            written: Written::All,
            since: UNKNOWN_WRITES.load(Ordering::Relaxed),
            mapping: (0, 0),
        }
    }

    /// Whether it counts as the device's memory.
    fn is_on_device(&self) -> bool {
        matches!(self.kind, Kind::Device | Kind::Managed)
    }
}

/// Allocations by address.
static MEMORY: Mutex<BTreeMap<u64, Allocation>> = Mutex::new(BTreeMap::new());

fn memory() -> MutexGuard<'static, BTreeMap<u64, Allocation>> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Allocates, between guard pages. The bytes are zero, which programs may not rely on.
///
/// # Errors
///
/// `INVALID_VALUE` for no bytes, `OUT_OF_MEMORY`.
pub fn allocate(bytes: usize, kind: Kind, owner: Owner, pool: usize, host_flags: c_uint) -> Result<u64> {
    if bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    if bytes > amounts(owner.device)?.0 {
        return Err(Error::OUT_OF_MEMORY);
    }
    let aligned = bytes.checked_next_multiple_of(ALIGN).ok_or(Error::OUT_OF_MEMORY)?;
    let whole = aligned.checked_next_multiple_of(PAGE).and_then(|pages| pages.checked_add(2 * GUARD)).ok_or(Error::OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, of which all but the guard pages is made accessible.
    let start = unsafe {
        let start = libc::mmap(ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return Err(Error::OUT_OF_MEMORY);
        }
        if libc::mprotect(start.byte_add(GUARD), whole - 2 * GUARD, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            libc::munmap(start, whole);
            return Err(Error::OUT_OF_MEMORY);
        }
        start as usize
    };
    let address = (start + whole - GUARD - aligned) as u64;
    let written = if kind == Kind::Device { Written::Ranges(Vec::new()) } else { Written::All };
    add(address, Allocation { pool, flags: host_flags, written, mapping: (start, whole), ..Allocation::new(bytes, kind, owner) });
    Ok(address)
}

fn add(address: u64, allocation: Allocation) {
    if allocation.is_on_device() {
        USED[allocation.owner.device].fetch_add(allocation.bytes, Ordering::Relaxed);
    }
    memory().insert(address, allocation);
}

/// Bytes that are allocated on each device.
static USED: [AtomicUsize; device::MAX] = [const { AtomicUsize::new(0) }; device::MAX];

/// A mapping in the place of another, without memory.
const NO_MEMORY: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;

/// Frees an allocation of one of these kinds.
///
/// # Errors
///
/// `INVALID_VALUE` for an address that no allocation of these kinds begins at, and for one that a stream is going to free.
pub fn free(address: u64, kinds: &[Kind]) -> Result<()> {
    begin_free(address, kinds)?;
    finish_free(address)
}

/// Marks an allocation as one that a stream is going to free.
///
/// # Errors
///
/// As [`free`].
pub fn begin_free(address: u64, kinds: &[Kind]) -> Result<()> {
    let mut memory = memory();
    let allocation = memory.get_mut(&address).filter(|allocation| kinds.contains(&allocation.kind) && !allocation.freeing);
    allocation.ok_or(Error::INVALID_VALUE)?.freeing = true;
    Ok(())
}

/// Frees an allocation.
///
/// # Errors
///
/// `INVALID_VALUE` where it was freed.
pub fn finish_free(address: u64) -> Result<()> {
    let mut memory = memory();
    let allocation = memory.remove(&address).ok_or(Error::INVALID_VALUE)?;
    if allocation.is_on_device() {
        USED[allocation.owner.device].fetch_sub(allocation.bytes, Ordering::Relaxed);
    }
    let (start, whole) = allocation.mapping;
    if whole > 0 && device::CHECKS.load(Ordering::Relaxed) {
        FREED.lock().unwrap_or_else(PoisonError::into_inner).insert(address, allocation.bytes);
        // SAFETY: mapped by `allocate`, and forgotten; it stays reserved, without its memory.
        unsafe { libc::mmap(ptr::with_exposed_provenance_mut(start), whole, libc::PROT_NONE, NO_MEMORY, -1, 0) };
    } else if whole > 0 {
        // SAFETY: mapped by `allocate`, and forgotten.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), whole) };
    }
    Ok(())
}

/// Frees all that a context has allocated, as its end does; memory of pools is the device's.
pub fn free_all(context: usize) {
    let of_context = |allocation: &Allocation| {
        allocation.owner.context == context && allocation.pool == 0 && !matches!(allocation.kind, Kind::Global | Kind::Virtual)
    };
    let addresses: Vec<u64> = memory().iter().filter(|(_, allocation)| of_context(allocation)).map(|(&address, _)| address).collect();
    for address in addresses {
        // Another thread may have freed it meanwhile.
        let _ = finish_free(address);
    }
}

/// Registers a module's variable, or with no bytes removes it.
pub fn register_global(address: u64, bytes: usize, owner: Owner) {
    if bytes == 0 {
        memory().remove(&address);
    } else {
        add(address, Allocation::new(bytes, Kind::Global, owner));
    }
}

/// Registers host memory that the program allocated.
///
/// # Errors
///
/// `INVALID_VALUE` for no bytes, `HOST_MEMORY_ALREADY_REGISTERED` for some that are registered or allocated.
pub fn register_host(address: u64, bytes: usize, owner: Owner, flags: c_uint) -> Result<()> {
    let end = address.checked_add(bytes as u64).filter(|_| address > 0 && bytes > 0).ok_or(Error::INVALID_VALUE)?;
    let mut memory = memory();
    let before = memory.range(..end).next_back();
    if before.is_some_and(|(&start, allocation)| start + allocation.bytes as u64 > address) {
        return Err(Error::HOST_MEMORY_ALREADY_REGISTERED);
    }
    memory.insert(address, Allocation { flags, ..Allocation::new(bytes, Kind::Registered, owner) });
    Ok(())
}

/// Registers mapped physical memory.
pub fn register_virtual(address: u64, bytes: usize, device: usize) {
    add(address, Allocation::new(bytes, Kind::Virtual, Owner { context: 0, device }));
}

/// Removes mapped physical memory.
pub fn forget_virtual(address: u64) {
    memory().remove(&address);
}

/// The properties of an allocation.
#[derive(Clone, Copy)]
pub struct Properties {
    pub start: u64,
    pub bytes: usize,
    pub kind: Kind,
    pub owner: Owner,
    pub pool: usize,
    pub id: u64,
    pub flags: c_uint,
}

/// The allocation that holds an address.
pub fn properties(address: u64) -> Option<Properties> {
    let memory = memory();
    let (&start, it) = memory.range(..=address).next_back()?;
    let properties = Properties { start, bytes: it.bytes, kind: it.kind, owner: it.owner, pool: it.pool, id: it.id, flags: it.flags };
    (address - start < it.bytes as u64).then_some(properties)
}

/// Bytes that are allocated from a pool.
pub fn used_of(pool: usize) -> usize {
    memory().values().filter(|allocation| allocation.pool == pool).map(|allocation| allocation.bytes).sum()
}

/// The allocation that holds an address: its start, its bytes and what it is for.
pub fn find(address: u64) -> Option<(u64, usize, Kind)> {
    let memory = memory();
    let (&start, allocation) = memory.range(..=address).next_back()?;
    (address - start < allocation.bytes as u64).then_some((start, allocation.bytes, allocation.kind))
}

/// Records bytes that the host, or the driver for it, has written.
pub fn mark_written(address: u64, bytes: usize) {
    let mut memory = memory();
    let Some((&start, allocation)) = memory.range_mut(..=address).next_back() else { return };
    let from = (address - start) as usize;
    if from < allocation.bytes {
        let whole = allocation.bytes;
        allocation.written.mark(from, whole.min(from.saturating_add(bytes)), whole);
    }
}

/// Records a kernel that may have written anything.
pub fn mark_all_written() {
    UNKNOWN_WRITES.fetch_add(1, Ordering::Relaxed);
}

/// Takes the record of an allocation's written bytes: a bit for each byte; `None` where all count as written.
pub fn take_written(start: u64) -> Option<Vec<u64>> {
    let mut memory = memory();
    let allocation = memory.get_mut(&start)?;
    if allocation.since < UNKNOWN_WRITES.load(Ordering::Relaxed) {
        allocation.written = Written::All;
    }
    match std::mem::replace(&mut allocation.written, Written::All) {
        Written::All => None,
        Written::Bits(bits) => Some(bits),
        Written::Ranges(ranges) => {
            let mut bits = Written::Bits(vec![0; allocation.bytes.div_ceil(64)]);
            ranges.iter().for_each(|&(from, to)| bits.mark(from, to, usize::MAX));
            if let Written::Bits(bits) = bits { Some(bits) } else { None }
        }
    }
}

/// Puts that record back.
pub fn put_written(start: u64, bits: Vec<u64>) {
    if let Some(allocation) = memory().get_mut(&start) {
        allocation.written = Written::Bits(bits);
    }
}

/// The location of an address, for a message.
pub fn describe(address: u64) -> String {
    let memory = memory();
    let before = memory.range(..=address).next_back();
    let after = memory.range(address..).next();
    let near = |distance: u64| distance <= 1 << 20;
    if address < PAGE as u64 {
        return "a null pointer".into();
    }
    let freed = FREED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((start, bytes)) = freed.range(..=address).next_back().filter(|(start, bytes)| address - **start < **bytes as u64) {
        return format!("byte {} of an allocation of {bytes} bytes that was freed", address - start);
    }
    let past = |start: u64, bytes: usize| (address - start).saturating_sub(bytes as u64);
    if let Some((&start, allocation)) = before.filter(|(start, allocation)| near(past(**start, allocation.bytes))) {
        let past = past(start, allocation.bytes);
        return format!("{past} bytes past the end of an allocation of {} bytes", allocation.bytes);
    }
    if let Some((start, allocation)) = after.filter(|(start, _)| near(**start - address)) {
        return format!("{} bytes before an allocation of {} bytes", start - address, allocation.bytes);
    }
    "which is in no allocation".into()
}

/// Bytes of the system's memory.
static TOTAL: LazyLock<Option<usize>> = LazyLock::new(|| {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kibibytes| kibibytes << 10)
});

/// Bytes of memory that a device has free, and all. Each device has as much as the system.
///
/// # Errors
///
/// `OPERATING_SYSTEM` where the system does not say.
pub fn amounts(device: usize) -> Result<(usize, usize)> {
    let total = TOTAL.ok_or(Error::OPERATING_SYSTEM)?;
    Ok((total.saturating_sub(USED[device].load(Ordering::Relaxed)), total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_is_freed_once() {
        let address = allocate(100, Kind::Device, Owner::default(), 0, 0).unwrap();
        assert_eq!(address % 256, 0);
        assert_eq!(free(address + 1, &[Kind::Device]), Err(Error::INVALID_VALUE));
        assert_eq!(free(address, &[Kind::Host]), Err(Error::INVALID_VALUE));
        assert_eq!(free(address, &[Kind::Device]), Ok(()));
        assert_eq!(free(address, &[Kind::Device]), Err(Error::INVALID_VALUE));
    }

    #[test]
    fn allocations_are_far_apart() {
        let all: Vec<u64> = (0..8).map(|_| allocate(4096, Kind::Device, Owner::default(), 0, 0).unwrap()).collect();
        for (first, second) in all.iter().flat_map(|first| all.iter().map(move |second| (first, second))) {
            assert!(first == second || first.abs_diff(*second) > GUARD as u64);
        }
        all.into_iter().for_each(|address| free(address, &[Kind::Device]).unwrap());
    }

    #[test]
    fn sizes_that_cannot_be() {
        assert_eq!(allocate(0, Kind::Device, Owner::default(), 0, 0), Err(Error::INVALID_VALUE));
        assert_eq!(allocate(usize::MAX, Kind::Device, Owner::default(), 0, 0), Err(Error::OUT_OF_MEMORY));
        assert_eq!(allocate(1 << 60, Kind::Device, Owner::default(), 0, 0), Err(Error::OUT_OF_MEMORY));
    }

    #[test]
    fn addresses_are_described() {
        let address = allocate(100, Kind::Device, Owner::default(), 0, 0).unwrap();
        assert_eq!(describe(address + 256), "156 bytes past the end of an allocation of 100 bytes");
        assert_eq!(describe(8), "a null pointer");
        free(address, &[Kind::Device]).unwrap();
    }
}
