//! Shared memory: for each block that runs a piece of its own, which ends where a page that faults begins.
//!
//! The blocks of a cluster have their pieces side by side, so an address in one says which block it belongs to.

use std::{cell::Cell, ptr};

/// What a block's shared memory is aligned to, the most that tiles for copy engines ask for.
const ALIGN: usize = 1024;
const PAGE: usize = 4096;
/// Bytes before and behind a block's memory that fault, more than shared memory can be large.
const GUARD: usize = 256 << 10;

/// The bytes that shared memory holds before a block writes to it: no useful number, and no address.
const UNWRITTEN: u8 = 0xcb;

/// The shared memory of some blocks.
pub struct Arena {
    /// Address and bytes of the whole mapping.
    mapping: (usize, usize),
    blocks: usize,
    /// From one block's memory to the next one's.
    stride: usize,
    /// Of one block.
    bytes: usize,
    /// Whether all threads of each block have exited.
    pub ended: Vec<Cell<bool>>,
}

impl Arena {
    /// Shared memory of so many bytes for each of some blocks; `None` where the system has none.
    pub fn new(blocks: usize, bytes: usize) -> Option<Self> {
        let ended = vec![Cell::new(false); blocks];
        if bytes == 0 {
            return Some(Self { mapping: (0, 0), blocks, stride: 0, bytes, ended });
        }
        let pages = bytes.next_multiple_of(ALIGN).next_multiple_of(PAGE);
        let stride = pages + GUARD;
        let whole = blocks * stride + GUARD;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, of which all but the guard pages is made accessible.
        let start = unsafe { libc::mmap(ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let arena = Self { mapping: (start as usize, whole), blocks, stride, bytes, ended };
        for block in 0..blocks {
            // SAFETY: within the mapping.
            let done = unsafe { libc::mprotect(start.byte_add(GUARD + block * stride), pages, libc::PROT_READ | libc::PROT_WRITE) };
            if done != 0 {
                return None;
            }
        }
        Some(arena)
    }

    /// Where the memory of a block begins, by its number among these.
    pub fn base(&self, block: usize) -> usize {
        if self.bytes == 0 {
            return 0;
        }
        self.mapping.0 + (block + 1) * self.stride - self.bytes.next_multiple_of(ALIGN)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The block whose memory an address is in or next to, and the bytes from its start.
    pub fn find(&self, address: usize) -> Option<(usize, isize)> {
        let from = address.checked_sub(self.mapping.0).filter(|&from| from < self.mapping.1)?;
        let block = (from.saturating_sub(GUARD / 2) / self.stride).min(self.blocks - 1);
        Some((block, address.wrapping_sub(self.base(block)) as isize))
    }

    /// Forgets what blocks have written.
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
        if self.mapping.1 > 0 {
            // SAFETY: mapped by `new`.
            unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.mapping.0), self.mapping.1) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_memory_of_their_own() {
        let mut arena = Arena::new(3, 5000).unwrap();
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
    fn no_bytes_need_no_memory() {
        let arena = Arena::new(2, 0).unwrap();
        assert_eq!((arena.base(1), arena.find(16)), (0, None));
    }
}
