//! Shared memory: each block that runs has a range of its own, which ends at a guard page.
//!
//! The blocks of a cluster have adjacent ranges, so that an address determines its block.
//!
//! On a GPU shared memory is at one address in all launches. Here this holds for the first block of a launch, where consecutive launches
//! have one size: the mapping of the first blocks is reused by the next launch.

use std::{
    cell::Cell,
    collections::BTreeMap,
    ptr,
    sync::{Mutex, PoisonError},
};

/// The alignment of a block's shared memory, the largest that tiles for copy engines require.
const ALIGN: usize = 1024;
const PAGE: usize = 4096;
/// Bytes of the guard pages before and behind a block's memory, more than the largest shared memory.
const GUARD: usize = 256 << 10;

/// The value of bytes that were not written: neither a plausible number nor an address.
const UNWRITTEN: u8 = 0xcb;

/// The least number of blocks that a mapping has room for.
const MIN_ROOM: usize = 64;

/// The unused mappings of first blocks, the oldest first, by the bytes of a block's pages.
static UNUSED: Mutex<BTreeMap<usize, Vec<Mapping>>> = Mutex::new(BTreeMap::new());

/// Addresses for the memory of some blocks, with guards between.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mapping {
    /// The number of mappings before it.
    number: usize,
    start: usize,
    /// The number of blocks that it has room for.
    room: usize,
    /// Bytes of a block's pages.
    pages: usize,
    /// The blocks, from the first on, whose pages are accessible.
    accessible: usize,
}

impl Mapping {
    fn new(room: usize, pages: usize) -> Option<Self> {
        static COUNT: Mutex<usize> = Mutex::new(0);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes_for(room, pages), libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let mut count = COUNT.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        Some(Self { number: *count, start: start as usize, room, pages, accessible: 0 })
    }

    /// Makes the memory of so many blocks accessible, for which there is room.
    fn open(mut self, blocks: usize) -> Option<Self> {
        for block in self.accessible..blocks {
            let address = self.start + GUARD + block * (self.pages + GUARD);
            // SAFETY: within the mapping.
            let done = unsafe { libc::mprotect(ptr::with_exposed_provenance_mut(address), self.pages, libc::PROT_READ | libc::PROT_WRITE) };
            if done != 0 {
                return None;
            }
            self.accessible = block + 1;
        }
        Some(self)
    }

    /// The oldest mapping with room for the first blocks of a launch that no other launch uses, or else a new one.
    fn of_first(blocks: usize, pages: usize) -> Option<Self> {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        let mappings = unused.entry(pages).or_default();
        match mappings.iter().position(|mapping| mapping.room >= blocks) {
            Some(position) => Some(mappings.remove(position)),
            None => Self::new(blocks.next_power_of_two().max(MIN_ROOM), pages),
        }
    }

    fn release(self) {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        let mappings = unused.entry(self.pages).or_default();
        mappings.insert(mappings.partition_point(|mapping| mapping < &self), self);
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and no block uses it.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.start), bytes_for(self.room, self.pages)) };
    }
}

/// Bytes of addresses for some blocks.
fn bytes_for(blocks: usize, pages: usize) -> usize {
    blocks * (pages + GUARD) + GUARD
}

/// The shared memory of some blocks.
pub struct Arena {
    mapping: Option<Mapping>,
    /// Whether the mapping is reused for the first blocks of another launch.
    is_first: bool,
    blocks: usize,
    /// From one block's memory to the next one's.
    stride: usize,
    /// Of one block.
    bytes: usize,
    /// Whether all threads of each block have exited.
    pub ended: Vec<Cell<bool>>,
}

impl Arena {
    /// Shared memory of so many bytes for each of some blocks, which may be the first of their launch; `None` where the system has none.
    pub fn new(blocks: usize, bytes: usize, is_first: bool) -> Option<Self> {
        let ended = vec![Cell::new(false); blocks];
        if bytes == 0 {
            return Some(Self { mapping: None, is_first, blocks, stride: 0, bytes, ended });
        }
        let pages = bytes.next_multiple_of(ALIGN).next_multiple_of(PAGE);
        let mapping = if is_first { Mapping::of_first(blocks, pages) } else { Mapping::new(blocks, pages) };
        Some(Self { mapping: Some(mapping?.open(blocks)?), is_first, blocks, stride: pages + GUARD, bytes, ended })
    }

    /// The start of the memory of a block, by its number among these.
    pub fn base(&self, block: usize) -> usize {
        let Some(mapping) = &self.mapping else { return 0 };
        mapping.start + (block + 1) * self.stride - self.bytes.next_multiple_of(ALIGN)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The block whose memory an address is in or next to, and its offset from the start.
    pub fn find(&self, address: usize) -> Option<(usize, isize)> {
        let mapping = self.mapping.as_ref()?;
        let from = address.checked_sub(mapping.start).filter(|&from| from < bytes_for(self.blocks, mapping.pages))?;
        let block = (from.saturating_sub(GUARD / 2) / self.stride).min(self.blocks - 1);
        Some((block, address.wrapping_sub(self.base(block)) as isize))
    }

    /// Resets the memory for other blocks.
    pub fn clear(&mut self) {
        for block in 0..self.blocks {
            self.ended[block].set(false);
            if self.bytes > 0 {
                // SAFETY: the block's part of the mapping, which no block uses.
                unsafe { ptr::write_bytes(ptr::with_exposed_provenance_mut::<u8>(self.base(block)), UNWRITTEN, self.bytes) };
            }
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.is_first
            && let Some(mapping) = self.mapping.take()
        {
            mapping.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_memory_of_their_own() {
        let mut arena = Arena::new(3, 5000, false).unwrap();
        arena.clear();
        for block in 0..3 {
            let base = arena.base(block);
            assert_eq!(base % ALIGN, 0);
            assert_eq!(arena.find(base), Some((block, 0)));
            assert_eq!(arena.find(base + 5000), Some((block, 5000)));
            assert_eq!(arena.find(base - 8), Some((block, -8)));
        }
        assert_eq!(arena.find(arena.base(0) - (1 << 20)), None);
    }

    #[test]
    fn without_bytes_there_is_no_mapping() {
        let arena = Arena::new(2, 0, true).unwrap();
        assert_eq!((arena.base(1), arena.find(16)), (0, None));
    }

    #[test]
    fn the_first_block_of_each_launch_has_one_address() {
        const BYTES: usize = 77 * PAGE + 1;
        let base = |blocks, bytes| Arena::new(blocks, bytes, true).unwrap().base(0);
        let first = base(1, BYTES);
        assert_eq!([base(1, BYTES), base(2, BYTES), base(MIN_ROOM, BYTES), base(1, BYTES)], [first; 4]);
        let (at_once, other) = (Arena::new(1, BYTES, true).unwrap(), Arena::new(1, BYTES, true).unwrap());
        assert!(at_once.base(0) == first && other.base(0) != first);
        drop(at_once);
        drop(other);
        let many = base(MIN_ROOM + 1, BYTES);
        assert_eq!((base(MIN_ROOM + 9, BYTES), base(1, BYTES)), (many, first));
        let mut arena = Arena::new(3, BYTES, true).unwrap();
        arena.clear();
        assert_eq!([arena.find(arena.base(2) + 7), arena.find(arena.base(2) + 5 * arena.stride)], [Some((2, 7)), None]);
    }
}
