//! Elements side by side: as many as the compiler knows, or up to the end of a slice.

use core::marker::PhantomData;

use super::{InBounds32, InBoundsMut32, LinearTiles, LocalIndex32, extent};
use crate::{
    disjoint::DisjointSlice,
    thread::{Index1D, ThreadIndex32, blockDim_x, gridDim_x},
};

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

impl<T, const N: usize> DisjointSlice<'_, T, LinearTiles<N>> {
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

#[cfg(test)]
mod tests {
    extern crate std;

    use std::{vec, vec::Vec};

    use super::{super::tests::disjoint, *};

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
}
