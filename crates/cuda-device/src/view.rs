//! Views whose accesses need no check, because their types prove where they lie.
//!
//! A kernel with 32-bit coordinates takes its part of a slice once; every access to a place that the compiler knows is then a plain load
//! or store, with 32-bit arithmetic.
//!
//! ```
//! use cuda_device::{DisjointSlice, kernel, launch_contract, thread, view::LinearTiles};
//!
//! #[kernel(launch_context = launch)]
//! #[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
//! pub fn ramps(mut out: DisjointSlice<f32, LinearTiles<4>>) {
//!     if let Some(mut tile) = out.tile_thread32(thread::index_1d_u32(launch)) {
//!         tile.at_const::<0>().write(0.0);
//!         tile.at_const::<3>().write(1.0);
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! A place that is not there does not compile,
//!
//! ```compile_fail,E0080
//! # use cuda_device::view::StaticView32;
//! let view = StaticView32::<u32, 4>::from_slice(&[1, 2, 3, 4]).unwrap();
//! view.at_const::<4>().read();
//! ```
//!
//! nor an index that was checked for another length,
//!
//! ```compile_fail,E0308
//! # use cuda_device::view::{LocalIndex32, StaticView32};
//! # let view = StaticView32::<u32, 4>::from_slice(&[1, 2, 3, 4]).unwrap();
//! view.at(LocalIndex32::<8>::constant::<2>()).read();
//! ```
//!
//! nor two elements of one view that are borrowed to be written at once:
//!
//! ```compile_fail,E0499
//! # use cuda_device::view::StaticViewMut32;
//! # let mut numbers = [1u32, 2, 3, 4];
//! let mut view = StaticViewMut32::<u32, 4>::from_slice(&mut numbers).unwrap();
//! let (first, second) = (view.at_const::<0>(), view.at_const::<0>());
//! first.write(second.read());
//! ```
//!
//! A thread has one part of a slice by one index,
//!
//! ```compile_fail,E0382
//! # use cuda_device::{DisjointSlice, kernel, launch_contract, thread, view::LinearTiles};
//! #[kernel(launch_context = launch)]
//! #[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
//! pub fn twice(mut a: DisjointSlice<f32, LinearTiles<4>>, mut b: DisjointSlice<f32, LinearTiles<4>>) {
//!     let index = thread::index_1d_u32(launch);
//!     a.tile_thread32(index);
//!     b.tile_thread32(index);
//! }
//! # fn main() {}
//! ```
//!
//! of a slice of that kind,
//!
//! ```compile_fail,E0599
//! # use cuda_device::{DisjointSlice, kernel, launch_contract, thread};
//! #[kernel(launch_context = launch)]
//! #[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
//! pub fn tile(mut elements: DisjointSlice<f32>) {
//!     elements.tile_thread32(thread::index_1d_u32(launch));
//! }
//! # fn main() {}
//! ```
//!
//! in launches of its rank:
//!
//! ```compile_fail,E0308
//! # use cuda_device::{DisjointSlice, kernel, launch_contract, thread, view::RowMajorTiles};
//! #[kernel(launch_context = launch)]
//! #[launch_contract(domain = 2, coordinates = u32, block = (16, 16, 1))]
//! pub fn tile(mut tiles: DisjointSlice<f32, RowMajorTiles<2, 2, 64>>) {
//!     tiles.tile_2d32(thread::index_1d_u32(launch));
//! }
//! # fn main() {}
//! ```
//!
//! Lengths and extents fit 32 bits. Elements without bytes have no views.

use core::marker::PhantomData;

use crate::{check, disjoint::SpaceLayout};

mod matrices;
mod runs;
mod tiles;

pub use matrices::{ColIter32, ColView32, MatrixView32, RowIter32, RowView32, ZipIter32, ZipView32};
pub use runs::{GridStrideRuns32, RuntimeViewMut32, StaticView32, StaticViewMut32, ThreadRunMut32};
pub use tiles::{RuntimeTileMut32, StaticTileMut32};

/// The space in which each thread has `N` elements side by side.
pub enum LinearTiles<const N: usize> {}

/// The space in which each thread has a tile of `R` rows and `C` columns, in rows of `STRIDE` elements.
pub enum RowMajorTiles<const R: usize, const C: usize, const STRIDE: usize> {}

/// The space in which each thread has a tile of `R` rows and `C` columns, in rows as wide as the slice's.
pub enum RuntimeRowMajorTiles<const R: usize, const C: usize> {}

impl<const N: usize> SpaceLayout for LinearTiles<N> {
    type Data = ();
}

impl<const R: usize, const C: usize, const STRIDE: usize> SpaceLayout for RowMajorTiles<R, C, STRIDE> {
    type Data = ();
}

impl<const R: usize, const C: usize> SpaceLayout for RuntimeRowMajorTiles<R, C> {
    /// The width of a row in elements.
    type Data = u32;
}

/// `N` as an extent.
#[track_caller]
const fn extent<const N: usize>() -> u32 {
    check(N != 0 && N <= u32::MAX as usize, "an extent is not 0 and fits 32 bits");
    N as u32
}

/// A number less than `N`.
///
/// ```compile_fail,E0080
/// # use cuda_device::view::LocalIndex32;
/// LocalIndex32::<4>::constant::<4>();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalIndex32<const N: usize>(u32);

impl<const N: usize> LocalIndex32<N> {
    /// `index`, or `None` where it is `N` or more.
    #[inline]
    pub const fn new(index: u32) -> Option<Self> {
        if (index as usize) < N { Some(Self(index)) } else { None }
    }

    /// `I`, which the compiler compares with `N`.
    #[inline]
    pub const fn constant<const I: usize>() -> Self {
        const { check(I < N && I <= u32::MAX as usize, "there is no such index") }
        Self(I as u32)
    }

    /// The number.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }
}

// What views hold are raw pointers: an `Option` of one then has a flag of its own, and no access begins with a comparison with null.

/// An element that is there.
pub struct InBounds32<'a, T> {
    element: *const T,
    borrow: PhantomData<&'a T>,
}

impl<T> InBounds32<'_, T> {
    /// The element.
    #[inline]
    pub const fn get(&self) -> &T {
        // SAFETY: the caller of the constructor vouched for the element.
        unsafe { &*self.element }
    }

    /// Its value.
    #[inline]
    pub const fn read(&self) -> T
    where
        T: Copy,
    {
        *self.get()
    }
}

/// An element that is there, and that no other thread has.
pub struct InBoundsMut32<'a, T> {
    element: *mut T,
    borrow: PhantomData<&'a mut T>,
}

impl<T> InBoundsMut32<'_, T> {
    /// # Safety
    ///
    /// `index` is in bounds of what lies at `pointer`, and nothing else uses the element while this lives.
    #[inline]
    unsafe fn new(pointer: *mut T, index: u32) -> Self {
        // SAFETY: passed on.
        Self { element: unsafe { pointer.add(index as usize) }, borrow: PhantomData }
    }

    /// The element.
    #[inline]
    pub const fn get(&self) -> &T {
        // SAFETY: the caller of the constructor vouched for the element.
        unsafe { &*self.element }
    }

    /// The element, to change.
    #[inline]
    pub const fn get_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.element }
    }

    /// Its value.
    #[inline]
    pub const fn read(&self) -> T
    where
        T: Copy,
    {
        *self.get()
    }

    /// Replaces it; this is used up.
    #[inline]
    pub fn write(mut self, value: T) {
        *self.get_mut() = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disjoint::DisjointSlice;

    /// The slice as one thread has it.
    pub fn disjoint<Space: SpaceLayout<Data = ()>>(elements: &mut [u32]) -> DisjointSlice<'_, u32, Space> {
        // SAFETY: one thread, and the slice is borrowed.
        unsafe { DisjointSlice::from_mut_slice(elements) }
    }

    #[test]
    fn local_indices() {
        assert_eq!(LocalIndex32::<3>::new(2), Some(LocalIndex32::constant::<2>()));
        assert_eq!(LocalIndex32::<3>::new(3), None);
        assert_eq!(LocalIndex32::<3>::constant::<1>().get(), 1);
    }
}
