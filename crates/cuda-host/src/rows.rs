//! Buffers as rows whose width a launch says.

use cuda_core::DeviceBuffer;

use crate::HasLength;

/// A buffer and the width of its rows, for a kernel's `DisjointSlice<T, Runtime2DIndex>` or `DisjointSlice<T, RuntimeRowMajorTiles<…>>`.
///
/// The last row may be shorter; a width of 0 leaves every thread without an element.
pub struct RowWidth<'a, T> {
    buffer: &'a mut DeviceBuffer<T>,
    width: u32,
}

impl<'a, T> RowWidth<'a, T> {
    /// The buffer in rows of `width` elements.
    pub fn new(buffer: &'a mut DeviceBuffer<T>, width: u32) -> Self {
        Self { buffer, width }
    }

    /// The elements of a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The elements of the buffer.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    pub(crate) fn buffer(&self) -> &DeviceBuffer<T> {
        self.buffer
    }
}

impl<T> HasLength for RowWidth<'_, T> {
    fn len(&self) -> usize {
        self.buffer.len()
    }
}

/// An owned buffer and the width of its rows, for an operation that hands both back.
#[derive(Debug)]
pub struct RowWidthOwned<B> {
    buffer: B,
    width: u32,
}

impl<B> RowWidthOwned<B> {
    /// The buffer in rows of `width` elements.
    pub fn new(buffer: B, width: u32) -> Self {
        Self { buffer, width }
    }

    /// The elements of a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The buffer.
    pub fn buffer(&self) -> &B {
        &self.buffer
    }

    /// Gives the buffer back.
    pub fn into_buffer(self) -> B {
        self.buffer
    }
}

impl<B: HasLength> HasLength for RowWidthOwned<B> {
    fn len(&self) -> usize {
        self.buffer.len()
    }
}
