//! Output slices of which every thread may borrow its own elements only.

use core::{marker::PhantomData, ops::Index};

use crate::thread::{FlatIndexSpace, Index1D, IndexFormula, LaunchScope, Runtime2DIndex, ThreadIndex};

/// An index space that a slice can be laid out for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index space",
    note = "a `DisjointSlice` is for `Index1D`, `Index2D<WIDTH>`, `Runtime2DIndex`, `WarpIndex`, or tiles of `cuda_device::view`"
)]
pub trait SpaceLayout {
    /// What the slice carries beside address and length.
    type Data: Copy;
}

#[diagnostic::do_not_recommend]
impl<Space: FlatIndexSpace> SpaceLayout for Space {
    type Data = ();
}

impl SpaceLayout for Runtime2DIndex {
    /// The width of a row in elements.
    type Data = u32;
}

/// A slice shared by all threads of a launch, each of which borrows the elements that its [`ThreadIndex`] stands for.
///
/// Since no two threads hold the same index, no element is borrowed twice; nor is one by a thread itself:
///
/// ```compile_fail,E0499
/// # use cuda_device::{DisjointSlice, kernel, thread};
/// #[kernel]
/// pub fn both(mut a: DisjointSlice<u32>) {
///     let one = a.get_mut(thread::index_1d());
///     let other = a.get_mut(thread::index_1d());
///     core::mem::swap(one.unwrap(), other.unwrap());
/// }
/// # fn main() {}
/// ```
///
/// It is not copied, since a copy would lend the same elements again, and not shared between threads of the host:
///
/// ```compile_fail,E0277
/// # use cuda_device::DisjointSlice;
/// fn share(_: impl Sync) {}
/// fn shared(slice: DisjointSlice<u32>) {
///     share(slice);
/// }
/// ```
#[repr(C)]
pub struct DisjointSlice<'a, T, Space: SpaceLayout = Index1D> {
    pointer: *mut T,
    length: usize,
    data: Space::Data,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: it stands for `&mut [T]`, whose elements go with it. It is not `Sync`: its pointer is not.
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

impl<T, Space: SpaceLayout<Data = u32>> DisjointSlice<'_, T, Space> {
    /// The width of a row in elements.
    #[inline]
    pub fn row_width(&self) -> u32 {
        self.data
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

impl<T> DisjointSlice<'_, T, Runtime2DIndex> {
    /// This thread's element, in rows of this slice: `None` where the column is not in the row, the index is out of range, or `T` is
    /// zero-sized.
    #[inline]
    pub fn get_mut(&mut self, idx: ThreadIndex<'_, Runtime2DIndex>) -> Option<&mut T> {
        let (row, column, width) = (idx.row() as u32 as usize, idx.col(), self.data as usize);
        if size_of::<T>() == 0 || column >= width {
            return None;
        }
        // A row is below 2³², so that this does not overflow, and no two positions have the same.
        let index = row * width + column;
        if index >= self.length {
            return None;
        }
        // SAFETY: in bounds, and no other thread has this row and column.
        Some(unsafe { self.get_unchecked_mut(index) })
    }
}

impl<T, Space: SpaceLayout> DisjointSlice<'_, T, Space> {
    /// This thread's element with its index, as `get_mut` of the space's index function. Written without an argument: `#[kernel]` and
    /// `#[device]` add it.
    #[inline]
    pub fn get_mut_indexed<'kernel>(
        &mut self,
        mark_the_function_device_or_pass_the_launch_context: impl LaunchScope<'kernel>,
    ) -> Option<(&mut T, ThreadIndex<'kernel, Space>)>
    where
        Space: IndexFormula,
    {
        let index = Space::index(mark_the_function_device_or_pass_the_launch_context)?;
        if size_of::<T>() == 0 || !index.in_bounds(self.length) {
            return None;
        }
        // SAFETY: in bounds, and no other thread holds this index.
        Some((unsafe { self.get_unchecked_mut(index.get()) }, index))
    }
}

mod sealed {
    /// Of nothing. It is here for what rustc says of `slice[i]`.
    #[diagnostic::on_unimplemented(
        message = "a `DisjointSlice` is not indexed by a number: another thread may have the same",
        label = "not an index of this thread alone",
        note = "write `if let Some(element) = slice.get_mut(thread::index_1d()) {{ … }}`, or `get_unchecked_mut(i)`, which is `unsafe`"
    )]
    pub trait Numbered {}
}

impl<T, Space: SpaceLayout> Index<usize> for DisjointSlice<'_, T, Space>
where
    Self: sealed::Numbered,
{
    type Output = T;

    fn index(&self, _index: usize) -> &T {
        unreachable!("no slice is `Numbered`")
    }
}
