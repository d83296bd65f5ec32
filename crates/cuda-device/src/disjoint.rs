//! Output slices of which every thread may borrow its own elements only.

use core::marker::PhantomData;

use crate::thread::{FlatIndexSpace, Index1D, IndexFormula, LaunchScope, ThreadIndex};

/// An index space that a slice can be laid out for.
pub trait SpaceLayout {
    /// What the slice carries beside address and length.
    type Data: Copy;
}

impl<Space: FlatIndexSpace> SpaceLayout for Space {
    type Data = ();
}

/// A slice shared by all threads of a launch, each of which borrows the elements that its [`ThreadIndex`] stands for.
///
/// Since no two threads hold the same index, no element is borrowed twice.
#[repr(C)]
pub struct DisjointSlice<'a, T, Space: SpaceLayout = Index1D> {
    pointer: *mut T,
    length: usize,
    data: Space::Data,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: it stands for `&mut [T]`, whose elements go with it.
unsafe impl<T: Send, Space: SpaceLayout<Data: Send>> Send for DisjointSlice<'_, T, Space> {}

impl<'a, T, Space: SpaceLayout> DisjointSlice<'a, T, Space> {
    /// The number of elements of the whole slice.
    #[inline]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The address of the first element.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.pointer
    }

    /// Any element.
    ///
    /// # Safety
    ///
    /// `idx` is less than the length, and no other thread uses this element meanwhile.
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, idx: usize) -> &mut T {
        // SAFETY: the caller vouches for the element.
        unsafe { &mut *self.pointer.add(idx) }
    }

    /// A slice of `len` elements from `ptr` on.
    ///
    /// # Safety
    ///
    /// They are valid for `'a`, in every thread that does this at most its own elements are used otherwise, and `data` is true of them.
    #[inline]
    pub unsafe fn from_raw_parts_with_space(ptr: *mut T, len: usize, data: Space::Data) -> Self {
        Self { pointer: ptr, length: len, data, elements: PhantomData }
    }
}

impl<'a, T, Space: SpaceLayout<Data = ()>> DisjointSlice<'a, T, Space> {
    /// A slice of `len` elements from `ptr` on.
    ///
    /// # Safety
    ///
    /// They are valid for `'a`, and no thread uses another's elements otherwise.
    #[inline]
    pub unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        // SAFETY: passed on.
        unsafe { Self::from_raw_parts_with_space(ptr, len, ()) }
    }

    /// A slice of the same elements.
    ///
    /// # Safety
    ///
    /// No thread uses another's elements otherwise.
    #[inline]
    pub unsafe fn from_mut_slice(slice: &'a mut [T]) -> Self {
        // SAFETY: passed on.
        unsafe { Self::from_raw_parts(slice.as_mut_ptr(), slice.len()) }
    }
}

impl<T, Space: FlatIndexSpace> DisjointSlice<'_, T, Space> {
    /// This thread's element: `None` where the index is out of range or invalid, or `T` is zero-sized.
    #[inline]
    pub fn get_mut(&mut self, idx: ThreadIndex<'_, Space>) -> Option<&mut T> {
        if size_of::<T>() == 0 || !idx.in_bounds(self.length) {
            return None;
        }
        // SAFETY: in bounds, and no other thread holds this index.
        Some(unsafe { self.get_unchecked_mut(idx.get()) })
    }
}

impl<T, Space: IndexFormula> DisjointSlice<'_, T, Space> {
    /// This thread's element with its index, as `get_mut` of the space's index function. Written without an argument: `#[kernel]` and
    /// `#[device]` add it.
    #[inline]
    pub fn get_mut_indexed<'kernel>(&mut self, scope: impl LaunchScope<'kernel>) -> Option<(&mut T, ThreadIndex<'kernel, Space>)> {
        let index = Space::index(scope)?;
        if size_of::<T>() == 0 || !index.in_bounds(self.length) {
            return None;
        }
        // SAFETY: in bounds, and no other thread holds this index.
        Some((unsafe { self.get_unchecked_mut(index.get()) }, index))
    }
}
