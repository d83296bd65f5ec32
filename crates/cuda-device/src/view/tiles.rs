//! Tiles of rows and columns.

use core::marker::PhantomData;

use super::{InBoundsMut32, LocalIndex32, RowMajorTiles, RuntimeRowMajorTiles, extent};
use crate::{
    check,
    disjoint::{DisjointSlice, SpaceLayout},
    thread::ThreadCoord2D32,
};

/// A tile of `R` rows and `C` columns that no other thread has, in rows of `STRIDE` elements.
pub struct StaticTileMut32<'a, T, const R: usize, const C: usize, const STRIDE: usize> {
    first: *mut T,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T, const R: usize, const C: usize, const STRIDE: usize> StaticTileMut32<'_, T, R, C, STRIDE> {
    /// An element of the tile.
    #[inline]
    pub fn at(&mut self, row: LocalIndex32<R>, col: LocalIndex32<C>) -> InBoundsMut32<'_, T> {
        // SAFETY: in the tile, whose extent fits 32 bits, and borrowed with it.
        unsafe { InBoundsMut32::new(self.first, row.0 * STRIDE as u32 + col.0) }
    }

    /// The element of row `ROW` and column `COL`.
    #[inline]
    pub fn at_const<const ROW: usize, const COL: usize>(&mut self) -> InBoundsMut32<'_, T> {
        self.at(LocalIndex32::constant::<ROW>(), LocalIndex32::constant::<COL>())
    }

    /// `R`.
    #[inline]
    pub const fn rows(&self) -> u32 {
        R as u32
    }

    /// `C`.
    #[inline]
    pub const fn cols(&self) -> u32 {
        C as u32
    }

    /// Elements from a row to the next.
    #[inline]
    pub const fn stride(&self) -> u32 {
        STRIDE as u32
    }
}

/// A tile of `R` rows and `C` columns that no other thread has, in rows as wide as its slice's.
pub struct RuntimeTileMut32<'a, T, const R: usize, const C: usize> {
    first: *mut T,
    stride: u32,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T, const R: usize, const C: usize> RuntimeTileMut32<'_, T, R, C> {
    /// An element of the tile.
    #[inline]
    pub fn at(&mut self, row: LocalIndex32<R>, col: LocalIndex32<C>) -> InBoundsMut32<'_, T> {
        // SAFETY: in the tile, whose extent fits 32 bits, and borrowed with it.
        unsafe { InBoundsMut32::new(self.first, row.0 * self.stride + col.0) }
    }

    /// The element of row `ROW` and column `COL`.
    #[inline]
    pub fn at_const<const ROW: usize, const COL: usize>(&mut self) -> InBoundsMut32<'_, T> {
        self.at(LocalIndex32::constant::<ROW>(), LocalIndex32::constant::<COL>())
    }

    /// `R`.
    #[inline]
    pub const fn rows(&self) -> u32 {
        R as u32
    }

    /// `C`.
    #[inline]
    pub const fn cols(&self) -> u32 {
        C as u32
    }

    /// Elements from a row to the next.
    #[inline]
    pub const fn stride(&self) -> u32 {
        self.stride
    }
}

impl<T, const R: usize, const C: usize, const STRIDE: usize> DisjointSlice<'_, T, RowMajorTiles<R, C, STRIDE>> {
    /// This thread's tile, `None` where the row or the slice ends before all of it.
    #[inline]
    pub fn tile_2d32(&mut self, coordinates: ThreadCoord2D32<'_>) -> Option<StaticTileMut32<'_, T, R, C, STRIDE>> {
        const { check_tile(extent::<R>(), extent::<C>(), extent::<STRIDE>()) };
        let first = self.tile(coordinates, R, C, STRIDE)?;
        Some(StaticTileMut32 { first, borrow: PhantomData })
    }
}

impl<T, const R: usize, const C: usize> DisjointSlice<'_, T, RuntimeRowMajorTiles<R, C>> {
    /// This thread's tile, `None` where the row or the slice ends before all of it, or `R` rows are more than 2³² elements.
    #[inline]
    pub fn tile_2d32_rt(&mut self, coordinates: ThreadCoord2D32<'_>) -> Option<RuntimeTileMut32<'_, T, R, C>> {
        let (rows, stride) = (const { extent::<R>() }, self.row_width());
        const { extent::<C>() };
        rows.checked_mul(stride)?;
        let first = self.tile(coordinates, R, C, stride as usize)?;
        Some(RuntimeTileMut32 { first, stride, borrow: PhantomData })
    }
}

#[track_caller]
const fn check_tile(rows: u32, cols: u32, stride: u32) {
    check(cols <= stride, "a tile is wider than the row");
    check(rows.checked_mul(stride).is_some(), "the rows of a tile fit 32 bits");
}

impl<T, Space: SpaceLayout> DisjointSlice<'_, T, Space> {
    /// The address of a thread's tile. `rows * stride` fits 32 bits.
    #[inline]
    fn tile(&mut self, coordinates: ThreadCoord2D32<'_>, rows: usize, cols: usize, stride: usize) -> Option<*mut T> {
        let col = coordinates.col() as usize * cols;
        if size_of::<T>() == 0 || col + cols > stride {
            return None;
        }
        // Less than 2⁶⁴: the first product is one of two numbers of 32 bits, what is added one of 32 bits.
        let start = coordinates.row() as usize * (rows * stride) + col;
        if start + ((rows - 1) * stride + cols) > self.len() {
            return None;
        }
        // SAFETY: in bounds.
        Some(unsafe { self.as_mut_ptr().add(start) })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec;

    use super::{super::tests::disjoint, *};

    /// Both kinds of tile, for every thread near the slice's ends.
    #[test]
    fn tiles_in_rows() {
        for length in 0..50 {
            let (mut fixed, mut runtime) = (vec![0u32; length], vec![0u32; length]);
            let mut fixed_slice = disjoint::<RowMajorTiles<2, 3, 10>>(&mut fixed);
            // SAFETY: one thread, and the slice is borrowed.
            let mut runtime_slice =
                unsafe { DisjointSlice::<u32, RuntimeRowMajorTiles<2, 3>>::from_raw_parts_with_space(runtime.as_mut_ptr(), length, 10) };
            for (row, col) in (0..4).flat_map(|row| (0..5).map(move |col| (row, col))) {
                let fits = col < 3 && (2 * row + 1) * 10 + 3 * col + 3 <= length as u32;
                let tile = fixed_slice.tile_2d32(ThreadCoord2D32::of_test(row, col));
                assert_eq!(tile.is_some(), fits, "{length} {row} {col}");
                let other = runtime_slice.tile_2d32_rt(ThreadCoord2D32::of_test(row, col));
                assert_eq!(other.is_some(), fits);
                let (Some(mut tile), Some(mut other)) = (tile, other) else { continue };
                assert_eq!((tile.rows(), tile.cols(), tile.stride()), (other.rows(), other.cols(), other.stride()));
                for (i, j) in (0..2).flat_map(|i| (0..3).map(move |j| (i, j))) {
                    let (i, j) = (LocalIndex32::new(i).unwrap(), LocalIndex32::new(j).unwrap());
                    *tile.at(i, j).get_mut() += 1;
                    *other.at(i, j).get_mut() += 1;
                }
                *tile.at_const::<1, 2>().get_mut() += 10 * (row + 1);
                *other.at_const::<1, 2>().get_mut() += 10 * (row + 1);
                assert_eq!(tile.at_const::<1, 2>().read(), 10 * (row + 1) + 1);
            }
            assert_eq!(fixed, runtime);
            assert!(fixed.iter().enumerate().all(|(i, &count)| count % 10 <= 1 && (i % 10 != 9 || count == 0)));
        }
        let mut numbers = [0; 4];
        for width in [0, 2, u32::MAX] {
            // SAFETY: as above.
            let mut slice =
                unsafe { DisjointSlice::<u32, RuntimeRowMajorTiles<2, 3>>::from_raw_parts_with_space(numbers.as_mut_ptr(), 4, width) };
            assert!(slice.tile_2d32_rt(ThreadCoord2D32::of_test(u32::MAX, 0)).is_none());
            assert!(slice.tile_2d32_rt(ThreadCoord2D32::of_test(0, u32::MAX)).is_none());
            assert!(slice.tile_2d32_rt(ThreadCoord2D32::of_test(0, 0)).is_none());
        }
    }
}
