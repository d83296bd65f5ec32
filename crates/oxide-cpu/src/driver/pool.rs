//! Memory pools: they count what is allocated; nothing is cached, so that a pool reserves what is used.

use std::collections::{BTreeMap, BTreeSet};

use super::memory;

pub struct Pool {
    pub device: usize,
    /// Whether it is a device's own, which is not destroyed.
    pub is_default: bool,
    /// Devices that may access its memory.
    pub access: BTreeSet<usize>,
    /// Most bytes that may be allocated; 0 for no bound.
    pub max_bytes: usize,
    /// Attributes that programs set, by their numbers.
    pub settings: BTreeMap<u32, u64>,
    /// Most bytes that were allocated at a time.
    pub high_water: usize,
}

/// `CU_MEMPOOL_ATTR_…`.
pub mod attribute {
    pub const RESERVED_MEM_CURRENT: u32 = 5;
    pub const RESERVED_MEM_HIGH: u32 = 6;
    pub const USED_MEM_CURRENT: u32 = 7;
    pub const USED_MEM_HIGH: u32 = 8;
}

impl Pool {
    pub fn new(device: usize, is_default: bool) -> Self {
        // REUSE_FOLLOW_EVENT_DEPENDENCIES, REUSE_ALLOW_OPPORTUNISTIC, REUSE_ALLOW_INTERNAL_DEPENDENCIES; RELEASE_THRESHOLD
        let settings = BTreeMap::from([(1, 1), (2, 1), (3, 1), (4, 0)]);
        Self { device, is_default, access: BTreeSet::from([device]), max_bytes: 0, settings, high_water: 0 }
    }

    /// An attribute; `None` for an unknown number.
    pub fn attribute(&self, number: usize, attribute: u32) -> Option<u64> {
        match attribute {
            attribute::RESERVED_MEM_CURRENT | attribute::USED_MEM_CURRENT => Some(memory::used_of(number) as u64),
            attribute::RESERVED_MEM_HIGH | attribute::USED_MEM_HIGH => Some(self.high_water as u64),
            other => self.settings.get(&other).copied(),
        }
    }
}
