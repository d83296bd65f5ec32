//! Views whose accesses need no check, because their types prove where they lie.
//!
//! A kernel with 32-bit coordinates asks for its part of a slice once; every access to a place that the compiler knows is then a plain load
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

use core::{marker::PhantomData, ptr};

use crate::{
    disjoint::{DisjointSlice, SpaceLayout},
    thread::{Index1D, ThreadCoord2D32, ThreadIndex32, blockDim_x, gridDim_x},
};

/// The space in which each thread has `N` elements side by side.
pub enum LinearTiles<const N: usize> {}

/// The space in which each thread has a tile of `R` rows and `C` columns, in rows of `STRIDE` elements.
pub enum RowMajorTiles<const R: usize, const C: usize, const STRIDE: usize> {}

/// The space in which each thread has a tile of `R` rows and `C` columns, in rows as wide as the slice says.
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
const fn extent<const N: usize>() -> u32 {
    assert!(N != 0 && N <= u32::MAX as usize, "an extent is not 0 and fits 32 bits");
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
        const { assert!(I < N && I <= u32::MAX as usize, "there is no such index") }
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
        // SAFETY: whoever made this vouched for the element.
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
        // SAFETY: whoever made this vouched for the element.
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

/// `N` elements to read.
pub struct StaticView32<'a, T, const N: usize> {
    first: *const T,
    borrow: PhantomData<&'a [T; N]>,
}

impl<T, const N: usize> Clone for StaticView32<'_, T, N> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for StaticView32<'_, T, N> {}

impl<'a, T, const N: usize> StaticView32<'a, T, N> {
    /// The elements of a slice of exactly this length.
    #[inline]
    pub fn from_slice(slice: &'a [T]) -> Option<Self> {
        const { extent::<N>() };
        (size_of::<T>() != 0 && slice.len() == N).then_some(Self { first: slice.as_ptr(), borrow: PhantomData })
    }

    /// One of them.
    #[inline]
    pub fn at(&self, index: LocalIndex32<N>) -> InBounds32<'a, T> {
        // SAFETY: less than N.
        InBounds32 { element: unsafe { self.first.add(index.0 as usize) }, borrow: PhantomData }
    }

    /// Element `I`.
    #[inline]
    pub fn at_const<const I: usize>(&self) -> InBounds32<'a, T> {
        self.at(LocalIndex32::constant::<I>())
    }

    /// `N`.
    #[inline]
    pub const fn len(&self) -> u32 {
        N as u32
    }

    /// No: `N` is not 0.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        false
    }
}

/// `N` elements that no other thread has.
pub struct StaticViewMut32<'a, T, const N: usize> {
    first: *mut T,
    borrow: PhantomData<&'a mut [T; N]>,
}

impl<'a, T, const N: usize> StaticViewMut32<'a, T, N> {
    /// The elements of a slice of exactly this length.
    #[inline]
    pub fn from_slice(slice: &'a mut [T]) -> Option<Self> {
        const { extent::<N>() };
        (size_of::<T>() != 0 && slice.len() == N).then_some(Self { first: slice.as_mut_ptr(), borrow: PhantomData })
    }

    /// One of them.
    #[inline]
    pub fn at(&mut self, index: LocalIndex32<N>) -> InBoundsMut32<'_, T> {
        // SAFETY: less than N, and borrowed with the view.
        unsafe { InBoundsMut32::new(self.first, index.0) }
    }

    /// Element `I`.
    #[inline]
    pub fn at_const<const I: usize>(&mut self) -> InBoundsMut32<'_, T> {
        self.at(LocalIndex32::constant::<I>())
    }

    /// `N`.
    #[inline]
    pub const fn len(&self) -> u32 {
        N as u32
    }

    /// No: `N` is not 0.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        false
    }
}

/// Elements that no other thread has, as many as turn out at run time.
pub struct RuntimeViewMut32<'a, T> {
    first: *mut T,
    length: u32,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T> RuntimeViewMut32<'_, T> {
    /// One of them, or `None` where there are not so many.
    #[inline]
    pub fn at(&mut self, index: u32) -> Option<InBoundsMut32<'_, T>> {
        if index >= self.length {
            return None;
        }
        // SAFETY: less than the length, and borrowed with the view.
        Some(unsafe { InBoundsMut32::new(self.first, index) })
    }

    /// The number of elements.
    #[inline]
    pub const fn len(&self) -> u32 {
        self.length
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }
}

/// What a thread has of a slice that need not be a multiple of `N` elements long.
pub enum ThreadRunMut32<'a, T, const N: usize> {
    /// All `N`.
    Full(StaticViewMut32<'a, T, N>),
    /// Those up to the end of the slice, one at least.
    Clipped(RuntimeViewMut32<'a, T>),
}

impl<T, const N: usize> ThreadRunMut32<'_, T, N> {
    /// The run of at most `N` elements from `start` on, if there is one.
    ///
    /// # Safety
    ///
    /// `first` and `length` are those of a slice, of which nothing else uses this run while it lives.
    #[inline]
    unsafe fn new(first: *mut T, length: usize, start: usize) -> Option<Self> {
        if size_of::<T>() == 0 || start >= length {
            return None;
        }
        let rest = length - start;
        // SAFETY: in bounds.
        let first = unsafe { first.add(start) };
        Some(if rest >= N {
            Self::Full(StaticViewMut32 { first, borrow: PhantomData })
        } else {
            Self::Clipped(RuntimeViewMut32 { first, length: rest as u32, borrow: PhantomData })
        })
    }

    /// The number of elements.
    #[inline]
    pub const fn len(&self) -> u32 {
        match self {
            Self::Full(view) => view.len(),
            Self::Clipped(view) => view.len(),
        }
    }

    /// No: a run has one element at least.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// Whether there are fewer than `N`.
    #[inline]
    pub const fn is_clipped(&self) -> bool {
        matches!(self, Self::Clipped(_))
    }

    /// One of them, or `None` where there are not so many.
    #[inline]
    pub fn at(&mut self, index: u32) -> Option<InBoundsMut32<'_, T>> {
        match self {
            Self::Full(view) => Some(view.at(LocalIndex32::new(index)?)),
            Self::Clipped(view) => view.at(index),
        }
    }
}

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

/// A tile of `R` rows and `C` columns that no other thread has, in rows as wide as its slice says.
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

impl<T> DisjointSlice<'_, T, Index1D> {
    /// This thread's element, `None` where the slice ends before.
    #[inline]
    pub fn element_thread32(&mut self, index: ThreadIndex32<'_>) -> Option<InBoundsMut32<'_, T>> {
        if size_of::<T>() == 0 || index.get() as usize >= self.len() {
            return None;
        }
        // SAFETY: in bounds, and no other thread has this index.
        Some(unsafe { InBoundsMut32::new(self.as_mut_ptr(), index.get()) })
    }
}

impl<'s, T, const N: usize> DisjointSlice<'s, T, LinearTiles<N>> {
    /// This thread's `N` elements, `None` where the slice ends before them or among them.
    #[inline]
    pub fn tile_thread32(&mut self, index: ThreadIndex32<'_>) -> Option<StaticViewMut32<'_, T, N>> {
        let size = const { extent::<N>() } as usize;
        // Less than 2⁶⁴, as is the product of any two numbers of 32 bits with one of them added.
        let start = index.get() as usize * size;
        if size_of::<T>() == 0 || start + size > self.len() {
            return None;
        }
        // SAFETY: in bounds.
        let first = unsafe { self.as_mut_ptr().add(start) };
        Some(StaticViewMut32 { first, borrow: PhantomData })
    }

    /// This thread's elements, at most `N`: `None` where the slice ends before them.
    #[inline]
    pub fn thread_run32(&mut self, index: ThreadIndex32<'_>) -> Option<ThreadRunMut32<'_, T, N>> {
        let start = index.get() as usize * const { extent::<N>() } as usize;
        // SAFETY: no other thread has this index, and the run is borrowed with the slice.
        unsafe { ThreadRunMut32::new(self.as_mut_ptr(), self.len(), start) }
    }

    /// This thread's elements, and those that lie one whole grid further on, and so forth to the end of the slice. What starts at 2³² and
    /// beyond is not reached.
    #[inline]
    pub fn grid_stride_runs32(&mut self, index: ThreadIndex32<'_>) -> GridStrideRuns32<'_, T, N> {
        GridStrideRuns32::new(self, index, gridDim_x().wrapping_mul(blockDim_x()))
    }
}

/// The runs of one thread in a slice longer than the grid; see [`DisjointSlice::grid_stride_runs32`].
pub struct GridStrideRuns32<'a, T, const N: usize> {
    first: *mut T,
    length: usize,
    /// Where the next run starts, if it fits 32 bits.
    start: Option<u32>,
    period: u32,
    borrow: PhantomData<&'a mut [T]>,
}

impl<'a, T, const N: usize> GridStrideRuns32<'a, T, N> {
    #[inline]
    fn new(slice: &'a mut DisjointSlice<'_, T, LinearTiles<N>>, index: ThreadIndex32<'_>, threads: u32) -> Self {
        let size = const { extent::<N>() };
        let start = index.get().checked_mul(size);
        let (first, length) = (slice.as_mut_ptr(), slice.len());
        Self { first, length, start, period: threads.saturating_mul(size), borrow: PhantomData }
    }

    /// The next run, until the slice ends.
    #[inline]
    pub fn next_run(&mut self) -> Option<ThreadRunMut32<'a, T, N>> {
        let start = self.start?;
        self.start = start.checked_add(self.period);
        // SAFETY: no other thread has this index, so that no other has a run that starts at a multiple of the period from its own, and
        // this thread has each once.
        unsafe { ThreadRunMut32::new(self.first, self.length, start as usize) }
    }

    /// Elements from the start of a run to that of the next, at most `u32::MAX`.
    #[inline]
    pub const fn period(&self) -> u32 {
        self.period
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

const fn check_tile(rows: u32, cols: u32, stride: u32) {
    assert!(cols <= stride, "a tile is wider than the row");
    assert!(rows.checked_mul(stride).is_some(), "the rows of a tile fit 32 bits");
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

/// A matrix to read, in rows of `stride` elements.
#[derive(Clone, Copy)]
pub struct MatrixView32<'a, T> {
    elements: &'a [T],
    stride: u32,
}

impl<'a, T> MatrixView32<'a, T> {
    /// The elements as rows of `stride`; the last may be shorter.
    #[inline]
    pub const fn new(elements: &'a [T], stride: u32) -> Self {
        Self { elements, stride }
    }

    /// The first `cols` elements of a row, `None` where the row or the matrix ends before.
    #[inline]
    pub fn row(&self, row: u32, cols: u32) -> Option<RowView32<'a, T>> {
        let start = row as usize * self.stride as usize;
        if size_of::<T>() == 0 || cols > self.stride || start + cols as usize > self.elements.len() {
            return None;
        }
        // SAFETY: in bounds.
        let first = unsafe { self.elements.as_ptr().add(start) };
        Some(RowView32 { first, stride: 1, length: cols, borrow: PhantomData })
    }

    /// The first `rows` elements of a column, `None` where the row or the matrix ends before.
    #[inline]
    pub fn col(&self, col: u32, rows: u32) -> Option<ColView32<'a, T>> {
        if size_of::<T>() == 0 || col >= self.stride {
            return None;
        }
        if rows == 0 {
            return Some(ColView32::empty());
        }
        let last = (rows - 1) as usize * self.stride as usize + col as usize;
        if last >= self.elements.len() {
            return None;
        }
        // SAFETY: in bounds, being at most the last.
        let first = unsafe { self.elements.as_ptr().add(col as usize) };
        Some(ColView32 { first, stride: self.stride, length: rows, borrow: PhantomData })
    }
}

macro_rules! lines {
    ($(#[$about:meta] $view:ident, #[$about_iterator:meta] $iterator:ident;)*) => {$(
        #[$about]
        pub struct $view<'a, T> {
            first: *const T,
            /// Elements from one to the next.
            stride: u32,
            length: u32,
            borrow: PhantomData<&'a [T]>,
        }

        impl<T> Clone for $view<'_, T> {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $view<'_, T> {}

        impl<'a, T> $view<'a, T> {
            /// No elements.
            #[inline]
            pub const fn empty() -> Self {
                Self { first: ptr::dangling(), stride: 1, length: 0, borrow: PhantomData }
            }

            /// The number of elements.
            #[inline]
            pub const fn len(&self) -> u32 {
                self.length
            }

            /// Whether there are none.
            #[inline]
            pub const fn is_empty(&self) -> bool {
                self.length == 0
            }
        }

        impl<'a, T: Copy> $view<'a, T> {
            /// The value of one, `None` where there are not so many.
            #[inline]
            pub fn get(&self, index: u32) -> Option<T> {
                if index >= self.length {
                    return None;
                }
                // SAFETY: at most the last element, which is in bounds.
                Some(unsafe { *self.first.add(index as usize * self.stride as usize) })
            }

            /// Their values in order.
            #[inline]
            pub fn iter(&self) -> $iterator<'a, T> {
                $iterator { line: *self, next: 0 }
            }
        }

        impl<'a, T: Copy> IntoIterator for $view<'a, T> {
            type Item = T;
            type IntoIter = $iterator<'a, T>;

            #[inline]
            fn into_iter(self) -> $iterator<'a, T> {
                self.iter()
            }
        }

        #[$about_iterator]
        pub struct $iterator<'a, T> {
            line: $view<'a, T>,
            next: u32,
        }

        impl<T: Copy> Iterator for $iterator<'_, T> {
            type Item = T;

            #[inline]
            fn next(&mut self) -> Option<T> {
                let value = self.line.get(self.next)?;
                self.next += 1;
                Some(value)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = (self.line.length - self.next) as usize;
                (left, Some(left))
            }
        }

        impl<T: Copy> ExactSizeIterator for $iterator<'_, T> {}
    )*};
}

lines! {
    /// Elements side by side.
    RowView32,
    /// The values of a row in order.
    RowIter32;
    /// Elements below each other.
    ColView32,
    /// The values of a column in order.
    ColIter32;
}

impl<'a, T: Copy> RowView32<'a, T> {
    /// This row with a column of the same length, or `None` where it has another.
    #[inline]
    pub fn zip_exact<U: Copy>(self, column: ColView32<'a, U>) -> Option<ZipView32<'a, T, U>> {
        (self.len() == column.len()).then_some(ZipView32 { row: self, column })
    }
}

/// A row and a column of one length.
#[derive(Clone, Copy)]
pub struct ZipView32<'a, T, U> {
    row: RowView32<'a, T>,
    column: ColView32<'a, U>,
}

impl<'a, T: Copy, U: Copy> ZipView32<'a, T, U> {
    /// The number of pairs.
    #[inline]
    pub const fn len(&self) -> u32 {
        self.column.length
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.column.length == 0
    }

    /// One pair, `None` where there are not so many.
    #[inline]
    pub fn get(&self, index: u32) -> Option<(T, U)> {
        let second = self.column.get(index)?;
        // SAFETY: the row is as long as the column.
        Some((unsafe { *self.row.first.add(index as usize) }, second))
    }

    /// The pairs in order.
    #[inline]
    pub fn iter(&self) -> ZipIter32<'a, T, U> {
        ZipIter32 { pairs: *self, next: 0 }
    }
}

impl<'a, T: Copy, U: Copy> IntoIterator for ZipView32<'a, T, U> {
    type Item = (T, U);
    type IntoIter = ZipIter32<'a, T, U>;

    #[inline]
    fn into_iter(self) -> ZipIter32<'a, T, U> {
        self.iter()
    }
}

/// The pairs of a row and a column in order.
pub struct ZipIter32<'a, T, U> {
    pairs: ZipView32<'a, T, U>,
    next: u32,
}

impl<T: Copy, U: Copy> Iterator for ZipIter32<'_, T, U> {
    type Item = (T, U);

    #[inline]
    fn next(&mut self) -> Option<(T, U)> {
        let pair = self.pairs.get(self.next)?;
        self.next += 1;
        Some(pair)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.pairs.len() - self.next) as usize;
        (left, Some(left))
    }
}

impl<T: Copy, U: Copy> ExactSizeIterator for ZipIter32<'_, T, U> {}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::{vec, vec::Vec};

    use super::*;

    fn disjoint<Space: SpaceLayout<Data = ()>>(elements: &mut [u32]) -> DisjointSlice<'_, u32, Space> {
        // SAFETY: one thread, and the slice is borrowed.
        unsafe { DisjointSlice::from_mut_slice(elements) }
    }

    #[test]
    fn local_indices() {
        assert_eq!(LocalIndex32::<3>::new(2), Some(LocalIndex32::constant::<2>()));
        assert_eq!(LocalIndex32::<3>::new(3), None);
        assert_eq!(LocalIndex32::<3>::constant::<1>().get(), 1);
    }

    #[test]
    fn a_static_view_has_exactly_its_length() {
        let mut numbers = [1, 2, 3];
        let view = StaticView32::<u32, 3>::from_slice(&numbers).unwrap();
        assert_eq!((view.at_const::<2>().read(), *view.at(LocalIndex32::new(0).unwrap()).get(), view.len()), (3, 1, 3));
        assert!(StaticView32::<u32, 3>::from_slice(&numbers[1..]).is_none());
        assert!(StaticView32::<(), 3>::from_slice(&[(); 3]).is_none());
        assert!(StaticViewMut32::<(), 3>::from_slice(&mut [(); 3]).is_none());
        assert!(StaticViewMut32::<u32, 4>::from_slice(&mut numbers).is_none());
        let mut view = StaticViewMut32::<u32, 3>::from_slice(&mut numbers).unwrap();
        *view.at_const::<0>().get_mut() += 10;
        view.at(LocalIndex32::new(2).unwrap()).write(7);
        assert_eq!((view.at_const::<0>().read(), view.len(), numbers), (11, 3, [11, 2, 7]));
    }

    #[test]
    fn elements_and_tiles_of_threads() {
        let mut numbers: Vec<u32> = (0..10).collect();
        let mut slice = disjoint::<Index1D>(&mut numbers);
        assert_eq!(slice.element_thread32(ThreadIndex32::of_test(9)).unwrap().read(), 9);
        assert!(slice.element_thread32(ThreadIndex32::of_test(10)).is_none());

        let mut slice = disjoint::<LinearTiles<4>>(&mut numbers);
        let firsts: Vec<_> =
            (0..4).map(|i| slice.tile_thread32(ThreadIndex32::of_test(i)).map(|mut tile| tile.at_const::<0>().read())).collect();
        assert_eq!(firsts, [Some(0), Some(4), None, None]);
        assert!(slice.tile_thread32(ThreadIndex32::of_test(u32::MAX)).is_none());
        let runs: Vec<_> = (0..4).map(|i| slice.thread_run32(ThreadIndex32::of_test(i)).map(|run| (run.len(), run.is_clipped()))).collect();
        assert_eq!(runs, [Some((4, false)), Some((4, false)), Some((2, true)), None]);
        let mut run = slice.thread_run32(ThreadIndex32::of_test(2)).unwrap();
        run.at(1).unwrap().write(90);
        assert!(run.at(2).is_none());
        let mut run = slice.thread_run32(ThreadIndex32::of_test(0)).unwrap();
        assert!(run.at(3).is_some() && run.at(4).is_none());
        assert_eq!(numbers[9], 90);
    }

    #[test]
    fn runs_of_a_grid_cover_the_slice() {
        for (length, threads) in [(0, 3), (1, 3), (11, 3), (12, 3), (13, 3), (100, 3), (101, 1), (5, 64)] {
            let mut numbers = vec![0; length];
            let mut slice = disjoint::<LinearTiles<4>>(&mut numbers);
            for thread in 0..threads {
                let mut runs = GridStrideRuns32::new(&mut slice, ThreadIndex32::of_test(thread), threads);
                assert_eq!(runs.period(), threads * 4);
                while let Some(mut run) = runs.next_run() {
                    for i in 0..run.len() {
                        *run.at(i).unwrap().get_mut() += 1;
                    }
                }
                assert!(runs.next_run().is_none());
            }
            assert_eq!(numbers, vec![1; length], "{length} {threads}");
        }
        let mut numbers = [0; 8];
        let mut slice = disjoint::<LinearTiles<4>>(&mut numbers);
        let mut runs = GridStrideRuns32::new(&mut slice, ThreadIndex32::of_test(1), u32::MAX);
        assert!(runs.next_run().is_some() && runs.next_run().is_none());
        assert!(GridStrideRuns32::new(&mut slice, ThreadIndex32::of_test(u32::MAX), u32::MAX).next_run().is_none());
    }

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

    #[test]
    fn rows_and_columns() {
        let numbers: Vec<u32> = (0..14).collect();
        let matrix = MatrixView32::new(&numbers, 4);
        let row = matrix.row(1, 3).unwrap();
        assert_eq!((row.iter().collect::<Vec<_>>(), row.get(2), row.get(3), row.len()), (vec![4, 5, 6], Some(6), None, 3));
        let column = matrix.col(1, 3).unwrap();
        assert_eq!(
            (column.iter().collect::<Vec<_>>(), column.get(2), column.get(3), column.iter().len()),
            (vec![1, 5, 9], Some(9), None, 3)
        );
        assert!(
            matrix.row(3, 2).is_some() && matrix.row(3, 3).is_none() && matrix.row(0, 5).is_none() && matrix.row(u32::MAX, 1).is_none()
        );
        assert!(
            matrix.col(1, 4).is_some() && matrix.col(2, 4).is_none() && matrix.col(4, 1).is_none() && matrix.col(0, u32::MAX).is_none()
        );
        assert!(matrix.col(0, 0).unwrap().is_empty() && matrix.row(0, 0).unwrap().is_empty());
        assert!(RowView32::<u32>::empty().iter().next().is_none() && ColView32::<u32>::empty().iter().next().is_none());
        let pairs = row.zip_exact(column).unwrap();
        assert_eq!(pairs.iter().map(|(a, b)| a * b).sum::<u32>(), 4 + 25 + 54);
        assert_eq!((pairs.len(), pairs.get(2), pairs.get(3)), (3, Some((6, 9)), None));
        assert!(row.zip_exact(matrix.col(0, 2).unwrap()).is_none());
        assert!(MatrixView32::new(&[(); 9], 3).row(0, 1).is_none() && MatrixView32::new(&[(); 9], 3).col(0, 1).is_none());
    }
}
