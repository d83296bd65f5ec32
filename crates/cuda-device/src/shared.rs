//! Memory that the threads of a block share.

use core::{
    marker::PhantomData,
    ops::{Index, IndexMut},
};

include!("operations/shared.rs");

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
///
/// Of elements that all threads may change at once, atomics, a plain `static` is enough; of others safe code could read what nobody has
/// written:
///
/// ```compile_fail,E0277
/// # use cuda_device::SharedArray;
/// static FLAGS: SharedArray<bool, 4> = SharedArray::UNINIT;
/// ```
///
/// A static cannot be of a type that its function is generic over; [`shared_array!`](crate::shared_array) can.
#[repr(C)]
pub struct SharedArray<T, const N: usize, const ALIGN: usize = 0> {
    /// Gives the address `T`'s alignment.
    alignment: [T; 0],
    /// Not `Sync` by itself.
    elements: PhantomData<*mut T>,
}

// SAFETY: every access to such elements is atomic, and whatever bytes the block starts with are a value.
unsafe impl<T: SharedAtomic, const N: usize, const ALIGN: usize> Sync for SharedArray<T, N, ALIGN> {}

/// Elements that all threads of a block may change at once.
///
/// # Safety
///
/// All accesses are atomic, and any bytes make a value.
#[diagnostic::on_unimplemented(
    message = "threads would share plain elements of type `{Self}`, and two may use one at once",
    note = "write `static mut`, whose use is `unsafe`; or take an atomic type as elements"
)]
pub unsafe trait SharedAtomic {}

macro_rules! shared_atomics {
    ($($atomic:ty)*) => {$(
        // SAFETY: an integer that is accessed only atomically.
        #[diagnostic::do_not_recommend]
        unsafe impl SharedAtomic for $atomic {}
    )*};
}

shared_atomics! {
    core::sync::atomic::AtomicU32 core::sync::atomic::AtomicI32 core::sync::atomic::AtomicU64 core::sync::atomic::AtomicI64
    core::sync::atomic::AtomicUsize core::sync::atomic::AtomicIsize core::sync::atomic::AtomicU16 core::sync::atomic::AtomicI16
    core::sync::atomic::AtomicU8 core::sync::atomic::AtomicI8
}

impl<T, const N: usize, const ALIGN: usize> SharedArray<T, N, ALIGN> {
    const FITS: () = crate::check(ALIGN == 0 || ALIGN.is_power_of_two(), "an alignment is a power of two");

    /// The initial value of the static: none.
    pub const UNINIT: Self = {
        let () = Self::FITS;
        Self { alignment: [], elements: PhantomData }
    };

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

    /// The block's array of this type and this `Tag`, which may be any type: as if each instance had a static of its own.
    ///
    /// [`shared_array!`](crate::shared_array) has a tag of its own. One that is named lets several functions share an array.
    ///
    /// ```
    /// # use cuda_device::SharedArray;
    /// struct Sums;
    /// # unsafe fn kernel<T, const N: usize>() {
    /// let sums = unsafe { SharedArray::<T, N>::instance::<Sums>() };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// As of a `static mut`: an element is written before it is read, and while a thread writes it no other uses it.
    #[inline]
    pub unsafe fn instance<'a, Tag: ?Sized>() -> &'a mut Self {
        const { Self::FITS };
        // SAFETY: the address is aligned, and what the reference is to has no bytes.
        unsafe { &mut *instance_memory::<T, N, ALIGN, Tag>().cast() }
    }
}

/// The memory of an array for a tag.
#[inline(never)]
#[allow(clippy::extra_unused_type_parameters)]
fn instance_memory<T, const N: usize, const ALIGN: usize, Tag: ?Sized>() -> *mut u8 {
    panic!("shared memory is that of a kernel: the host has none")
}

/// An array in the shared memory of the block, a `&mut SharedArray<T, N, ALIGN>` of any lifetime, whose type may be one that the function is generic
/// over.
///
/// ```
/// # use cuda_device::{SharedArray, shared_array};
/// # unsafe fn kernel<T: Copy, const N: usize>(i: usize, value: T) {
/// let tile = unsafe { shared_array!(T, N) };                      // a third argument is the alignment
/// tile[i] = value;
/// # }
/// ```
///
/// Each place in the program where this stands is an array of its own, and so is each instance of the types there. Like a static, it is the
/// same for all threads of a block, however often they come by; [`SharedArray::instance`] has the conditions for its use.
#[macro_export]
macro_rules! shared_array {
    ($element:ty, $count:expr $(,)?) => {
        $crate::shared_array!($element, $count, 0)
    };
    ($element:ty, $count:expr, $align:expr $(,)?) => {{
        enum Tag {}
        $crate::SharedArray::<$element, { $count }, { $align }>::instance::<Tag>()
    }};
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

/// The dynamic shared memory of the block, as large as the launch sets: one piece of memory, whatever `T` it is seen as.
///
/// ```
/// # use cuda_device::DynamicSharedArray;
/// # fn kernel(count: usize) {
/// let values = DynamicSharedArray::<f32>::get();
/// let flags = DynamicSharedArray::<u32>::offset(count * size_of::<f32>());
/// # }
/// ```
///
/// It is aligned to the largest `ALIGN` of its uses in the module, in bytes.
pub struct DynamicSharedArray<T, const ALIGN: usize = 16> {
    elements: PhantomData<T>,
}

/// The address of the dynamic shared memory, aligned to `ALIGN` bytes or better.
#[inline(never)]
fn dynamic_shared<const ALIGN: usize>() -> *mut u8 {
    panic!("dynamic shared memory is that of a kernel: the host has none")
}

impl<T, const ALIGN: usize> DynamicSharedArray<T, ALIGN> {
    const FITS: () = crate::check(ALIGN.is_power_of_two(), "an alignment is a power of two");

    /// The address of the first element.
    #[inline]
    pub fn get() -> *mut T {
        Self::get_raw().cast()
    }

    /// The address of the first byte.
    #[inline]
    pub fn get_raw() -> *mut u8 {
        const { Self::FITS };
        dynamic_shared::<ALIGN>()
    }

    /// The address `byte_offset` bytes after the first.
    #[inline]
    pub fn offset(byte_offset: usize) -> *mut T {
        Self::get_raw().wrapping_add(byte_offset).cast()
    }

    /// The alignment in bytes.
    #[inline]
    pub const fn alignment() -> usize {
        ALIGN
    }
}
