//! Copies, fills, and single values that streams write or wait for.

use std::{
    ptr,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

use super::{
    error::{Error, Result},
    memory::{self, Kind},
    peer_access,
};

pub type Address = u64;

/// A three-dimensional layout: rows at a pitch, and slices of rows.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Layout {
    pub address: Address,
    pub pitch: usize,
    /// Bytes from one slice to the next.
    pub slice: usize,
}

/// A copy of `extent` bytes, rows and slices.
#[derive(Clone)]
pub struct Transfer {
    pub to: Layout,
    pub from: Layout,
    pub extent: [usize; 3],
    /// The bytes of a copy from pageable memory that runs later.
    pub staged: Option<Vec<u8>>,
    /// Whether the host must wait for it: where it goes to pageable memory.
    pub to_pageable: bool,
}

/// Rows of elements of 1, 2 or 4 bytes, all of one value.
#[derive(Clone, Copy)]
pub struct Fill {
    pub to: Layout,
    pub value: u32,
    pub size: usize,
    pub count: usize,
    pub rows: usize,
}

/// A number of 4 or 8 bytes in memory.
#[derive(Clone, Copy)]
pub struct Value {
    pub address: Address,
    pub value: u64,
    pub is_wide: bool,
}

/// `CU_STREAM_WAIT_VALUE_…`: the relation of the number in memory to the given one.
#[derive(Clone, Copy)]
pub enum Condition {
    AtLeast,
    Equal,
    /// They have a bit in common.
    And,
    /// There is a bit that neither has.
    Nor,
}

impl Value {
    /// Checks that it is in memory that can be accessed, aligned.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE`.
    pub fn check(&self) -> Result<()> {
        let bytes = if self.is_wide { 8 } else { 4 };
        if self.address.is_multiple_of(bytes) { device_memory(self.address, bytes as usize) } else { Err(Error::INVALID_VALUE) }
    }

    pub fn holds(&self, condition: Condition) -> bool {
        let at = ptr::with_exposed_provenance::<u8>(self.address as usize);
        // SAFETY: checked; what others write meanwhile is atomic, too.
        let found = unsafe {
            if self.is_wide {
                (*at.cast::<AtomicU64>()).load(Ordering::Acquire)
            } else {
                (*at.cast::<AtomicU32>()).load(Ordering::Acquire).into()
            }
        };
        let all = if self.is_wide { u64::MAX } else { u32::MAX.into() };
        match condition {
            // Around zero (CUDA driver API reference, CUstreamWaitValue_flags).
            Condition::AtLeast if self.is_wide => found.wrapping_sub(self.value) as i64 >= 0,
            Condition::AtLeast => (found as u32).wrapping_sub(self.value as u32) as i32 >= 0,
            Condition::Equal => found == self.value,
            Condition::And => found & self.value != 0,
            Condition::Nor => !(found | self.value) & all != 0,
        }
    }

    pub fn write(&self) {
        memory::mark_written(self.address, if self.is_wide { 8 } else { 4 });
        let at = ptr::with_exposed_provenance::<u8>(self.address as usize);
        // SAFETY: checked.
        unsafe {
            if self.is_wide {
                (*at.cast::<AtomicU64>()).store(self.value, Ordering::Release);
            } else {
                (*at.cast::<AtomicU32>()).store(self.value as u32, Ordering::Release);
            }
        }
    }
}

impl Layout {
    /// One row.
    pub fn row(address: Address) -> Self {
        Self { address, pitch: 0, slice: 0 }
    }

    fn at(&self, row: usize, slice: usize) -> Address {
        self.address + (row * self.pitch + slice * self.slice) as u64
    }

    /// Checks that all is in memory that can be copied, where it is the driver's.
    fn check(&self, [width, height, depth]: [usize; 3]) -> Result<()> {
        let last = (height - 1).checked_mul(self.pitch).zip((depth - 1).checked_mul(self.slice));
        let bytes = last.and_then(|(rows, slices)| rows.checked_add(slices)?.checked_add(width)).ok_or(Error::INVALID_VALUE)?;
        if self.address == 0 {
            return Err(Error::INVALID_VALUE);
        }
        if memory::find(self.address).is_some() { peer_access::check_range(self.address, bytes) } else { Ok(()) }
    }
}

impl Transfer {
    /// Checks both sides; memory that is not the driver's counts as the host's.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE` for a range that ends outside its allocation.
    pub fn check(&self) -> Result<()> {
        if self.extent.contains(&0) {
            return Ok(());
        }
        self.to.check(self.extent)?;
        if self.staged.is_some() { Ok(()) } else { self.from.check(self.extent) }
    }

    fn rows(&self) -> impl Iterator<Item = (usize, usize)> {
        let [_, height, depth] = self.extent;
        (0..depth).flat_map(move |slice| (0..height).map(move |row| (row, slice)))
    }

    /// Reads pageable memory now; returns whether the host must wait for the copy.
    pub fn detach(&mut self) -> bool {
        if memory::find(self.from.address).is_none() && !self.extent.contains(&0) {
            let mut bytes = Vec::with_capacity(self.extent.iter().product());
            for (row, slice) in self.rows() {
                let from = ptr::with_exposed_provenance::<u8>(self.from.at(row, slice) as usize);
                // SAFETY: the host's memory, which the caller vouches for.
                bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(from, self.extent[0]) });
            }
            self.staged = Some(bytes);
        }
        self.to_pageable
    }

    pub fn run(&self) -> Result<()> {
        self.check()?;
        for (number, (row, slice)) in self.rows().enumerate() {
            let width = self.extent[0];
            let to = self.to.at(row, slice);
            memory::mark_written(to, width);
            let to = ptr::with_exposed_provenance_mut::<u8>(to as usize);
            let from = match &self.staged {
                Some(bytes) => bytes[number * width..].as_ptr(),
                None => ptr::with_exposed_provenance::<u8>(self.from.at(row, slice) as usize),
            };
            // SAFETY: checked for the driver's part, the caller's for the host's.
            unsafe { ptr::copy(from, to, width) };
        }
        Ok(())
    }
}

impl Fill {
    /// Checks the range.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE` where it is not the driver's memory, or not aligned.
    pub fn check(&self) -> Result<()> {
        let width = self.count.checked_mul(self.size).ok_or(Error::INVALID_VALUE)?;
        if width == 0 || self.rows == 0 {
            return Ok(());
        }
        if !self.to.address.is_multiple_of(self.size as u64) || (self.rows > 1 && !self.to.pitch.is_multiple_of(self.size)) {
            return Err(Error::INVALID_VALUE);
        }
        memory::find(self.to.address).ok_or(Error::INVALID_VALUE)?;
        self.to.check([width, self.rows, 1])
    }

    pub fn run(&self) -> Result<()> {
        self.check()?;
        let width = self.count * self.size;
        for row in 0..if width == 0 { 0 } else { self.rows } {
            let address = self.to.at(row, 0);
            memory::mark_written(address, width);
            let to = ptr::with_exposed_provenance_mut::<u8>(address as usize);
            // SAFETY: the range is the driver's, and aligned.
            unsafe {
                match self.size {
                    1 => ptr::write_bytes(to, self.value as u8, width),
                    2 => std::slice::from_raw_parts_mut(to.cast::<u16>(), self.count).fill(self.value as u16),
                    _ => std::slice::from_raw_parts_mut(to.cast::<u32>(), self.count).fill(self.value),
                }
            }
        }
        Ok(())
    }
}

/// What memory an address of a copy must be in.
///
/// # Errors
///
/// `INVALID_VALUE` for memory that is not the driver's.
pub fn device_memory(address: Address, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    match memory::find(address) {
        Some((.., Kind::Device | Kind::Host | Kind::Registered | Kind::Managed | Kind::Virtual | Kind::Global)) => {
            peer_access::check_range(address, bytes)
        }
        None => Err(Error::INVALID_VALUE),
    }
}
