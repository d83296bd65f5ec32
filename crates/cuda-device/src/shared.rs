//! Memory that the threads of a block share.

use core::ops::{Index, IndexMut};

/// An array in the shared memory of the block, uninitialised when the block starts.
///
/// ```
/// # use cuda_device::SharedArray;
/// # fn kernel() {
/// static mut TILE: SharedArray<f32, 256> = SharedArray::UNINIT;
/// # }
/// ```
///
/// The compiler gives such a static `N` elements in shared memory, aligned to `ALIGN` bytes (0 stands for `T`'s own alignment). On the
/// host it takes no memory, and only its type is of use.
#[repr(C)]
pub struct SharedArray<T, const N: usize, const ALIGN: usize = 0> {
    /// Gives the address `T`'s alignment.
    alignment: [T; 0],
}

impl<T, const N: usize, const ALIGN: usize> SharedArray<T, N, ALIGN> {
    /// The initial value of the static: none.
    pub const UNINIT: Self = Self { alignment: [] };

    /// The address of the first element.
    #[inline]
    pub fn as_ptr(&self) -> *const T {
        (&raw const *self).cast()
    }

    /// The address of the first element.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        (&raw mut *self).cast()
    }

    /// The address of the first element, without a reference to the static.
    ///
    /// # Safety
    ///
    /// `shared` is the address of a static.
    #[inline]
    pub unsafe fn as_raw_mut_ptr(shared: *mut Self) -> *mut T {
        shared.cast()
    }

    /// The number of elements.
    #[inline]
    pub const fn len() -> usize {
        N
    }

    /// Whether there are no elements.
    #[inline]
    pub const fn is_empty() -> bool {
        N == 0
    }

    /// The alignment in bytes.
    #[inline]
    pub const fn alignment() -> usize {
        if ALIGN == 0 { align_of::<T>() } else { ALIGN }
    }
}

impl<T, const N: usize, const ALIGN: usize> Index<usize> for SharedArray<T, N, ALIGN> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        // SAFETY: in a kernel, the only place where one is indexed, the static holds N elements.
        let elements = unsafe { &*self.as_ptr().cast::<[T; N]>() };
        &elements[index]
    }
}

impl<T, const N: usize, const ALIGN: usize> IndexMut<usize> for SharedArray<T, N, ALIGN> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: as above.
        let elements = unsafe { &mut *self.as_mut_ptr().cast::<[T; N]>() };
        &mut elements[index]
    }
}
