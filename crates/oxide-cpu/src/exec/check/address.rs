//! Where addresses lie, and their names in messages.
//!
//! ```text
//! byte 4 of `k::TILE`
//! 0 bytes past the end of `k::TILE` of 256 bytes of another block
//! byte 16 of an allocation of 4096 bytes
//! ```

use std::{ffi::CStr, ops::Range, slice};

use super::access::Access;
use crate::exec::{
    abi::{Global, Shared},
    launch::{Launch, demangled},
    memory::Allocation,
};

/// Allocations that are looked up last are found at once.
const CACHED: usize = 8;

/// A variable is named for an address up to so many bytes past its end.
const NEAR: u64 = 64;

/// The memory that an address is in.
#[derive(Clone, Copy)]
pub enum Region {
    /// The thread's own stack, or the launch's parameters.
    Local,
    /// Shared memory: the block's slot, and the offset from its start, which may be outside of it.
    Shared {
        slot: usize,
        offset: isize,
    },
    Allocation(Allocation),
    /// A variable of the module, by its number.
    Variable(usize),
    Nowhere,
}

/// An address in its region.
#[derive(Clone, Copy)]
pub struct Location {
    pub address: usize,
    pub region: Region,
    /// The slot of the block that accesses it.
    pub own_slot: usize,
}

impl Location {
    /// The location some bytes further on, of the same region.
    pub fn offset(self, bytes: usize) -> Self {
        let region = match self.region {
            Region::Shared { slot, offset } => Region::Shared { slot, offset: offset + bytes as isize },
            other => other,
        };
        Self { address: self.address + bytes, region, ..self }
    }
}

/// What an address lies in, or next to: its size, and the offset of the address in it.
pub struct Object {
    kind: ObjectKind,
    pub bytes: usize,
    pub offset: isize,
    of_other_block: bool,
}

#[derive(Clone, Copy)]
enum ObjectKind {
    Allocation,
    Variable(usize),
    SharedVariable(usize),
    DynamicShared,
    /// Shared memory in front of all variables.
    Shared,
}

impl Object {
    /// Whether so many bytes from the address on lie in it.
    pub fn holds(&self, bytes: usize) -> bool {
        self.starts_within() && self.bytes - self.offset as usize >= bytes
    }

    /// Whether the address lies in it.
    pub fn starts_within(&self) -> bool {
        !matches!(self.kind, ObjectKind::Shared) && usize::try_from(self.offset).is_ok_and(|offset| offset < self.bytes)
    }
}

/// The memory of a launch.
pub struct Addresses<'a> {
    launch: &'a Launch<'a>,
    variables: &'a [Global],
    shared_variables: &'a [Shared],
    /// The allocations that were looked up last, and the next to replace.
    cache: [Option<Allocation>; CACHED],
    next: usize,
}

impl<'a> Addresses<'a> {
    pub fn new(launch: &'a Launch<'a>) -> Self {
        let image = launch.image;
        // SAFETY: the table says how many there are of each.
        let (variables, shared_variables) = unsafe {
            let variables = slice::from_raw_parts(image.objects, image.object_count as usize);
            (variables, slice::from_raw_parts(image.shared, image.shared_count as usize))
        };
        Self { launch, variables, shared_variables, cache: [None; CACHED], next: 0 }
    }

    /// Where an access goes.
    pub fn locate(&mut self, access: &Access<'_>) -> Location {
        Location { address: access.address, region: self.region(access), own_slot: access.slot }
    }

    fn region(&mut self, access: &Access<'_>) -> Region {
        let address = access.address;
        let parameters = self.launch.parameters.as_ptr_range();
        if (access.stack.0..access.stack.1).contains(&address) || (parameters.start.addr()..parameters.end.addr()).contains(&address) {
            return Region::Local;
        }
        if let Some((slot, offset)) = access.arena.find(address) {
            return Region::Shared { slot, offset };
        }
        let holds = |it: &Allocation| (it.start as usize..it.start as usize + it.bytes).contains(&address);
        if let Some(allocation) = self.cache.iter().copied().flatten().find(holds) {
            return Region::Allocation(allocation);
        }
        if let Some(number) = self.variables.iter().position(|variable| range(variable).contains(&(address as u64))) {
            return Region::Variable(number);
        }
        match self.launch.memory.find(address as u64) {
            None => Region::Nowhere,
            Some(allocation) => {
                self.cache[self.next] = Some(allocation);
                self.next = (self.next + 1) % CACHED;
                Region::Allocation(allocation)
            }
        }
    }

    /// What a location lies in or next to, where that is known.
    pub fn object(&self, location: Location) -> Option<Object> {
        let Location { address, region, own_slot } = location;
        let object = |kind, bytes, offset| Object { kind, bytes, offset, of_other_block: false };
        match region {
            Region::Local => None,
            Region::Shared { slot, offset } => Some(Object { of_other_block: slot != own_slot, ..self.shared_object(offset) }),
            Region::Allocation(Allocation { start, bytes, .. }) => {
                Some(object(ObjectKind::Allocation, bytes, (address - start as usize) as isize))
            }
            Region::Variable(number) => {
                let Global { address: start, size, .. } = self.variables[number];
                Some(object(ObjectKind::Variable(number), size as usize, (address - start as usize) as isize))
            }
            Region::Nowhere => {
                let before = self.variables.iter().enumerate().filter(|(_, variable)| range(variable).end <= address as u64);
                let (number, variable) = before.max_by_key(|(_, variable)| variable.address)?;
                let offset = address as u64 - variable.address;
                let is_near = offset - variable.size < NEAR;
                is_near.then(|| object(ObjectKind::Variable(number), variable.size as usize, offset as isize))
            }
        }
    }

    fn shared_object(&self, offset: isize) -> Object {
        let object = |kind, bytes, offset| Object { kind, bytes, offset, of_other_block: false };
        let dynamic = self.launch.image.dynamic as usize;
        match usize::try_from(offset) {
            Ok(at) if at >= dynamic => {
                object(ObjectKind::DynamicShared, self.launch.shape.dynamic_shared as usize, (at - dynamic) as isize)
            }
            Ok(at) => {
                let before = self.shared_variables.iter().enumerate().filter(|(_, variable)| variable.offset as usize <= at);
                match before.max_by_key(|(_, variable)| variable.offset) {
                    Some((number, variable)) => {
                        let offset = (at - variable.offset as usize) as isize;
                        object(ObjectKind::SharedVariable(number), variable.size as usize, offset)
                    }
                    None => object(ObjectKind::Shared, dynamic, offset),
                }
            }
            Err(_) => object(ObjectKind::Shared, dynamic, offset),
        }
    }

    /// The name of a location: the variable or allocation that it lies in or next to, with the offset.
    pub fn name(&self, location: Location) -> String {
        let Some(Object { kind, bytes, offset, of_other_block }) = self.object(location) else {
            return match location.region {
                Region::Nowhere => self.launch.memory.describe(location.address as u64),
                _ => format!("{:#x}", location.address),
            };
        };
        // SAFETY: the image's names are strings.
        let quoted = |name| format!("`{}`", demangled(unsafe { CStr::from_ptr(name) }));
        let what = match kind {
            ObjectKind::Allocation => format!("an allocation of {bytes} bytes"),
            ObjectKind::Variable(number) => quoted(self.variables[number].name),
            ObjectKind::SharedVariable(number) => quoted(self.shared_variables[number].name),
            ObjectKind::DynamicShared => "dynamic shared memory".into(),
            ObjectKind::Shared => "shared memory".into(),
        };
        let whose = if of_other_block { " of another block" } else { "" };
        match usize::try_from(offset) {
            Err(_) => format!("{} bytes before {what}{whose}", -offset),
            Ok(offset) if matches!(kind, ObjectKind::Shared) => format!("byte {offset} of {what}{whose}, in front of all variables"),
            Ok(offset) if offset < bytes => format!("byte {offset} of {what}{whose}"),
            Ok(offset) if matches!(kind, ObjectKind::Allocation) => format!("{} bytes past the end of {what}", offset - bytes),
            Ok(offset) => format!("{} bytes past the end of {what} of {bytes} bytes{whose}", offset - bytes),
        }
    }
}

/// The addresses of a variable.
fn range(variable: &Global) -> Range<u64> {
    variable.address..variable.address + variable.size
}
