//! Which thread this is.
//!
//! [`threadIdx_x`] and its kin are the raw registers. [`index_1d`] and [`index_2d`] give a [`ThreadIndex`]: a proof that no other thread
//! of the launch has the same index, which [`crate::DisjointSlice`] takes. Such an index belongs to the run of one kernel, so a plain helper
//! can be given one but not ask for one:
//!
//! ```compile_fail,E0061
//! # use cuda_device::thread;
//! fn helper() -> usize {
//!     thread::index_1d().get()
//! }
//! ```
//!
//! and it stays in the kernel or device function that asked for it:
//!
//! ```compile_fail,E0515
//! # use cuda_device::{device, thread};
//! #[device]
//! fn helper<'a>() -> thread::ThreadIndex<'a> {
//!     thread::index_1d()
//! }
//! ```

use core::marker::PhantomData;

device_operations! {
    /// The thread's x position in its block.
    #[expect(non_snake_case)]
    fn threadIdx_x() -> u32;
    /// The thread's y position in its block.
    #[expect(non_snake_case)]
    fn threadIdx_y() -> u32;
    /// The thread's z position in its block.
    #[expect(non_snake_case)]
    fn threadIdx_z() -> u32;
    /// The block's x position in the grid.
    #[expect(non_snake_case)]
    fn blockIdx_x() -> u32;
    /// The block's y position in the grid.
    #[expect(non_snake_case)]
    fn blockIdx_y() -> u32;
    /// The block's z position in the grid.
    #[expect(non_snake_case)]
    fn blockIdx_z() -> u32;
    /// The threads of a block along x.
    #[expect(non_snake_case)]
    fn blockDim_x() -> u32;
    /// The threads of a block along y.
    #[expect(non_snake_case)]
    fn blockDim_y() -> u32;
    /// The threads of a block along z.
    #[expect(non_snake_case)]
    fn blockDim_z() -> u32;
    /// The blocks of the grid along x.
    #[expect(non_snake_case)]
    fn gridDim_x() -> u32;
    /// The blocks of the grid along y.
    #[expect(non_snake_case)]
    fn gridDim_y() -> u32;
    /// The blocks of the grid along z.
    #[expect(non_snake_case)]
    fn gridDim_z() -> u32;
    /// Waits for all threads of the block and orders their accesses to shared and global memory (`bar.sync 0`).
    fn sync_threads();
}

/// The thread's row in the grid, along y. Unchecked: several threads may be in it.
#[inline]
pub fn index_2d_row() -> usize {
    blockIdx_y() as usize * blockDim_y() as usize + threadIdx_y() as usize
}

/// The thread's column in the grid, along x. Unchecked: several threads may be in it.
#[inline]
pub fn index_2d_col() -> usize {
    blockIdx_x() as usize * blockDim_x() as usize + threadIdx_x() as usize
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// What is known of the rank of a launch when its kernel is compiled.
pub trait Domain: Sealed {
    /// The axes beyond which every extent is 1; 3 where nothing is known.
    const RANK: u32;
}

/// A launch of which nothing is known.
pub enum UnknownDomain {}

impl Sealed for UnknownDomain {}
impl Domain for UnknownDomain {
    const RANK: u32 = 3;
}

/// Coordinates as wide as the hardware gives them.
pub enum NativeCoordinates {}

/// What holds for the launch that runs a kernel. `#[kernel]` makes one at the head of a body that asks for an index.
pub struct LaunchContext<Domain = UnknownDomain, Coordinates = NativeCoordinates> {
    launch: PhantomData<fn() -> (Domain, Coordinates)>,
}

impl<Domain, Coordinates> LaunchContext<Domain, Coordinates> {
    /// For the code that the attributes generate.
    ///
    /// # Safety
    ///
    /// This runs in a kernel whose every launch is as `Domain` and `Coordinates` say, and it lives no longer than the kernel.
    #[doc(hidden)]
    #[inline]
    pub unsafe fn new() -> Self {
        Self { launch: PhantomData }
    }

    /// The scope that index functions take.
    #[doc(hidden)]
    #[inline]
    pub fn scope(&self) -> LaunchContextRef<'_, Domain, Coordinates> {
        LaunchContextRef { launch: PhantomData }
    }
}

/// The scope of one run of a kernel or device function, which no [`ThreadIndex`] made in it outlives.
pub struct LaunchContextRef<'kernel, Domain, Coordinates> {
    launch: PhantomData<&'kernel LaunchContext<Domain, Coordinates>>,
}

impl<Domain, Coordinates> Clone for LaunchContextRef<'_, Domain, Coordinates> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<Domain, Coordinates> Copy for LaunchContextRef<'_, Domain, Coordinates> {}

/// Any [`LaunchContextRef`]; index functions take one.
pub trait LaunchScope<'kernel>: Sealed + Copy {
    /// [`Domain::RANK`] of the launch.
    #[doc(hidden)]
    fn rank(self) -> u32;
}

impl<Domain, Coordinates> Sealed for LaunchContextRef<'_, Domain, Coordinates> {}
impl<'kernel, Launch: Domain, Coordinates> LaunchScope<'kernel> for LaunchContextRef<'kernel, Launch, Coordinates> {
    #[inline]
    fn rank(self) -> u32 {
        Launch::RANK
    }
}

/// An index space in which an index is one number.
pub trait FlatIndexSpace: Sealed {}

/// An index space whose index is computed from the position of the thread alone.
pub trait IndexFormula: FlatIndexSpace + Sized {
    /// This thread's index, `None` where it has none.
    #[doc(hidden)]
    fn index<'kernel>(scope: impl LaunchScope<'kernel>) -> Option<ThreadIndex<'kernel, Self>>;
}

/// The space of [`index_1d`].
pub enum Index1D {}

/// The space of [`index_2d`]: rows of `ROW_STRIDE` elements.
pub enum Index2D<const ROW_STRIDE: usize> {}

impl Sealed for Index1D {}
impl FlatIndexSpace for Index1D {}
impl IndexFormula for Index1D {
    #[inline]
    fn index<'kernel>(scope: impl LaunchScope<'kernel>) -> Option<ThreadIndex<'kernel, Self>> {
        Some(index_1d(scope))
    }
}

impl<const ROW_STRIDE: usize> Sealed for Index2D<ROW_STRIDE> {}
impl<const ROW_STRIDE: usize> FlatIndexSpace for Index2D<ROW_STRIDE> {}
impl<const ROW_STRIDE: usize> IndexFormula for Index2D<ROW_STRIDE> {
    #[inline]
    fn index<'kernel>(scope: impl LaunchScope<'kernel>) -> Option<ThreadIndex<'kernel, Self>> {
        index_2d(scope)
    }
}

/// An index that no other thread of the launch has, and that cannot leave its kernel.
pub struct ThreadIndex<'kernel, Space = Index1D> {
    /// `usize::MAX` where the index is invalid, which no slice is long enough for.
    flat: usize,
    /// Neither `Send` nor `Sync`: another thread has another index.
    scope: PhantomData<(&'kernel (), *const Space)>,
}

impl<Space> ThreadIndex<'_, Space> {
    #[inline]
    fn new(flat: usize) -> Self {
        Self { flat, scope: PhantomData }
    }

    /// Whether the shape of the launch gives this thread an index of its own.
    #[inline]
    pub fn is_valid(&self) -> bool {
        self.flat != usize::MAX
    }
}

impl<Space: FlatIndexSpace> ThreadIndex<'_, Space> {
    /// The index, counted from 0; `usize::MAX` where it is invalid.
    #[inline]
    pub fn get(&self) -> usize {
        self.flat
    }

    /// Whether a slice of `len` elements has this one.
    #[inline]
    pub fn in_bounds(&self, len: usize) -> bool {
        self.flat < len
    }
}

/// This thread's index along x. Written `index_1d()`: `#[kernel]` and `#[device]` add the scope.
///
/// It is invalid where the launch is not one-dimensional, since threads that differ in y or z would share it.
#[inline]
pub fn index_1d<'kernel>(scope: impl LaunchScope<'kernel>) -> ThreadIndex<'kernel, Index1D> {
    // No extent is 0, so the bits of all of them together are 1 only if each is.
    if scope.rank() > 1 && (gridDim_y() | gridDim_z() | blockDim_y() | blockDim_z()) != 1 {
        return ThreadIndex::new(usize::MAX);
    }
    ThreadIndex::new(index_2d_col())
}

/// This thread's index in rows of `ROW_STRIDE` elements, row along y and column along x. Written `index_2d::<ROW_STRIDE>()`:
/// `#[kernel]` and `#[device]` add the scope.
///
/// `None` where the column is not in the row, the launch is three-dimensional, or the index overflows.
#[inline]
pub fn index_2d<'kernel, const ROW_STRIDE: usize>(scope: impl LaunchScope<'kernel>) -> Option<ThreadIndex<'kernel, Index2D<ROW_STRIDE>>> {
    if scope.rank() > 2 && (gridDim_z() | blockDim_z()) != 1 {
        return None;
    }
    let column = index_2d_col();
    if column >= ROW_STRIDE {
        return None;
    }
    let index = index_2d_row().checked_mul(ROW_STRIDE)?.checked_add(column)?;
    if index == usize::MAX { None } else { Some(ThreadIndex::new(index)) }
}
