//! Device memory: each allocation is a mapping of its own that ends where a page that faults begins.

use std::{
    collections::BTreeMap,
    fs, ptr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use crate::error::{Error, Result};

/// Alignment of an allocation, as CUDA's (CUDA C++ Programming Guide, "Device Memory Accesses").
const ALIGN: usize = 256;
const PAGE: usize = 4096;

/// What memory is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Device,
    /// Host memory that the device may access.
    Host,
    /// A variable of a module, which is no allocation.
    Global,
}

struct Allocation {
    bytes: usize,
    kind: Kind,
    /// Which bytes anyone has written, where no kernel has run since that may have written anything.
    written: Written,
    since: u64,
    /// Address and bytes of the whole mapping.
    mapping: (usize, usize),
}

/// The bytes of an allocation that anyone has written.
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

/// Freed allocations, of which nothing takes the place: where and how many bytes.
static FREED: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());

/// Whether freed memory is kept so, for messages to say of it that it was freed.
pub static KEEP_FREED: AtomicBool = AtomicBool::new(false);

/// Allocations by address.
static MEMORY: Mutex<BTreeMap<u64, Allocation>> = Mutex::new(BTreeMap::new());

fn memory() -> MutexGuard<'static, BTreeMap<u64, Allocation>> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Allocates; the first and the last page of the mapping fault. The bytes are zero, which programs may not rely on.
///
/// # Errors
///
/// `INVALID_VALUE` for no bytes, `OUT_OF_MEMORY`.
pub fn allocate(bytes: usize, kind: Kind) -> Result<u64> {
    if bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let aligned = bytes.checked_next_multiple_of(ALIGN).ok_or(Error::OUT_OF_MEMORY)?;
    let whole = aligned.checked_next_multiple_of(PAGE).and_then(|pages| pages.checked_add(2 * PAGE)).ok_or(Error::OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, of which all but the guard pages is made accessible.
    let start = unsafe {
        let start = libc::mmap(ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return Err(Error::OUT_OF_MEMORY);
        }
        if libc::mprotect(start.byte_add(PAGE), whole - 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            libc::munmap(start, whole);
            return Err(Error::OUT_OF_MEMORY);
        }
        start as usize
    };
    let address = (start + whole - PAGE - aligned) as u64;
    let written = if kind == Kind::Device { Written::Ranges(Vec::new()) } else { Written::All };
    memory().insert(address, Allocation { bytes, kind, written, since: UNKNOWN_WRITES.load(Ordering::Relaxed), mapping: (start, whole) });
    Ok(address)
}

/// A mapping in the place of another, without memory.
const NO_MEMORY: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;

/// Frees an allocation.
///
/// # Errors
///
/// `INVALID_VALUE` for an address that no allocation of this kind begins at.
pub fn free(address: u64, kind: Kind) -> Result<()> {
    let mut memory = memory();
    memory.get(&address).filter(|allocation| allocation.kind == kind).ok_or(Error::INVALID_VALUE)?;
    if let Some(Allocation { bytes, mapping: (start, whole), .. }) = memory.remove(&address) {
        if KEEP_FREED.load(Ordering::Relaxed) {
            FREED.lock().unwrap_or_else(PoisonError::into_inner).insert(address, bytes);
            // SAFETY: mapped by `allocate`, and forgotten; it stays reserved, without its memory.
            unsafe { libc::mmap(ptr::with_exposed_provenance_mut(start), whole, libc::PROT_NONE, NO_MEMORY, -1, 0) };
            return Ok(());
        }
        // SAFETY: mapped by `allocate`, and forgotten.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), whole) };
    }
    Ok(())
}

/// Frees all that programs have allocated, as the end of a context does.
pub fn free_all() {
    let addresses: Vec<(u64, Kind)> = memory().iter().map(|(&address, allocation)| (address, allocation.kind)).collect();
    for (address, kind) in addresses.into_iter().filter(|(_, kind)| *kind != Kind::Global) {
        // Another thread may have freed it meanwhile.
        let _ = free(address, kind);
    }
}

/// Takes note of a module's variable, or with no bytes forgets it.
pub fn register_global(address: u64, bytes: usize) {
    if bytes == 0 {
        memory().remove(&address);
    } else {
        memory().insert(address, Allocation { bytes, kind: Kind::Global, written: Written::All, since: 0, mapping: (0, 0) });
    }
}

/// The allocation that holds an address: its start, its bytes and what it is for.
pub fn find(address: u64) -> Option<(u64, usize, Kind)> {
    let memory = memory();
    let (&start, allocation) = memory.range(..=address).next_back()?;
    (address - start < allocation.bytes as u64).then_some((start, allocation.bytes, allocation.kind))
}

/// Takes note of bytes that the host, or the driver for it, has written.
pub fn mark_written(address: u64, bytes: usize) {
    let mut memory = memory();
    let Some((&start, allocation)) = memory.range_mut(..=address).next_back() else { return };
    let from = (address - start) as usize;
    if from < allocation.bytes {
        let whole = allocation.bytes;
        allocation.written.mark(from, whole.min(from.saturating_add(bytes)), whole);
    }
}

/// Takes note of a kernel that may have written anything.
pub fn mark_all_written() {
    UNKNOWN_WRITES.fetch_add(1, Ordering::Relaxed);
}

/// Takes what is known of an allocation's bytes: a bit for each that was written; `None` where all were.
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

/// Gives it back.
pub fn put_written(start: u64, bits: Vec<u64>) {
    if let Some(allocation) = memory().get_mut(&start) {
        allocation.written = Written::Bits(bits);
    }
}

/// Checks that device memory holds `bytes` from `address` on.
///
/// # Errors
///
/// `INVALID_VALUE` where it does not.
pub fn check(address: u64, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let (start, whole, _) = find(address).ok_or(Error::INVALID_VALUE)?;
    if whole as u64 - (address - start) >= bytes as u64 { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

/// Says where an address that faulted lies.
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

/// Bytes of memory that are free, and all.
///
/// # Errors
///
/// `OPERATING_SYSTEM` where the system does not say.
pub fn amounts() -> Result<(usize, usize)> {
    let text = fs::read_to_string("/proc/meminfo").map_err(|_| Error::OPERATING_SYSTEM)?;
    let amount = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kibibytes| kibibytes << 10)
    };
    Option::zip(amount("MemAvailable"), amount("MemTotal")).ok_or(Error::OPERATING_SYSTEM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_is_freed_once() {
        let address = allocate(100, Kind::Device).unwrap();
        assert_eq!(address % 256, 0);
        assert_eq!(free(address + 1, Kind::Device), Err(Error::INVALID_VALUE));
        assert_eq!(free(address, Kind::Host), Err(Error::INVALID_VALUE));
        assert_eq!(free(address, Kind::Device), Ok(()));
        assert_eq!(free(address, Kind::Device), Err(Error::INVALID_VALUE));
    }

    #[test]
    fn sizes_that_cannot_be() {
        assert_eq!(allocate(0, Kind::Device), Err(Error::INVALID_VALUE));
        assert_eq!(allocate(usize::MAX, Kind::Device), Err(Error::OUT_OF_MEMORY));
        assert_eq!(allocate(1 << 60, Kind::Device), Err(Error::OUT_OF_MEMORY));
    }

    #[test]
    fn ranges_lie_in_one_allocation() {
        let address = allocate(100, Kind::Device).unwrap();
        assert_eq!(check(address, 100), Ok(()));
        assert_eq!(check(address + 99, 1), Ok(()));
        assert_eq!(check(address + 50, 51), Err(Error::INVALID_VALUE));
        assert_eq!(check(address + 100, 1), Err(Error::INVALID_VALUE));
        assert_eq!(check(address + 100, 0), Ok(()));
        assert_eq!(check(16, 1), Err(Error::INVALID_VALUE));
        assert_eq!(describe(address + 256), "156 bytes past the end of an allocation of 100 bytes");
        assert_eq!(describe(8), "a null pointer");
        free(address, Kind::Device).unwrap();
    }
}
