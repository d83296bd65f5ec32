//! Checks that memory was written before it is read (`--check init`): shared memory, and device memory from its allocation on.

use std::collections::hash_map::Entry;

use super::{
    access::Access,
    address::{Location, Region},
    checker::{Checker, Context},
    findings::Key,
};
use crate::exec::{call_sites::FastMap, failure::Failure, memory::Memory, shared_memory::Arena};

/// Accesses of more bytes are copies, which include the padding between fields.
const LARGEST_SCALAR: usize = 16;

pub struct Init<'a> {
    memory: &'a dyn Memory,
    /// A bit for each byte that was written: of each block's shared memory, by its start, and of allocations; `None` for those of which all
    /// bytes were.
    shared: FastMap<usize, Vec<u64>>,
    allocations: FastMap<u64, Option<Vec<u64>>>,
}

impl<'a> Init<'a> {
    pub fn new(memory: &'a dyn Memory) -> Self {
        Self { memory, shared: FastMap::default(), allocations: FastMap::default() }
    }

    /// The bits of what a location is in, and its first byte's number; `None` where writes are not recorded.
    fn bits(&mut self, arena: &Arena, region: Region, address: usize) -> Option<(&mut Vec<u64>, usize)> {
        match region {
            Region::Shared { slot, offset } => {
                let offset = usize::try_from(offset).ok()?;
                Some((self.shared.get_mut(&arena.base(slot))?, offset))
            }
            Region::Allocation(allocation) if allocation.records_writes => {
                let bits = match self.allocations.entry(allocation.start) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(free) => free.insert(self.memory.take_written(allocation.start)),
                };
                Some((bits.as_mut()?, address - allocation.start as usize))
            }
            _ => None,
        }
    }
}

impl Checker for Init<'_> {
    fn begin_block(&mut self, _block: u32, arena: &Arena, slot: usize) {
        self.shared.insert(arena.base(slot), vec![0; arena.bytes().div_ceil(64)]);
    }

    fn access(&mut self, context: &mut Context<'_>, access: &Access<'_>, location: Location) -> Result<(), Failure> {
        let Some((bits, first)) = self.bits(access.arena, location.region, access.address) else { return Ok(()) };
        let range = first..(first + access.bytes).min(bits.len() * 64);
        let is_unwritten = |byte: usize| bits[byte / 64] >> (byte % 64) & 1 == 0;
        let is_uninitialised = access.flags.reads()
            && if access.bytes > LARGEST_SCALAR { range.clone().all(is_unwritten) } else { range.clone().any(is_unwritten) };
        if access.flags.writes() || is_uninitialised {
            // What is reported counts as written, so that it is reported once.
            range.for_each(|byte| bits[byte / 64] |= 1 << (byte % 64));
        }
        if is_uninitialised {
            let site = context.site(access);
            if context.findings.is_new(Key::Uninitialised(site)) {
                let (prefix, site) = (context.thread_prefix(access.thread), context.launch.site(site));
                let name = context.addresses.name(location);
                context.findings.add(format!("{prefix} reads uninitialised memory: {} bytes at {name}, in {site}", access.bytes));
            }
        }
        Ok(())
    }

    fn end_launch(&mut self, _context: &mut Context<'_>, _completed: bool) {
        for (start, bits) in self.allocations.drain() {
            if let Some(bits) = bits {
                self.memory.put_written(start, bits);
            }
        }
    }
}
