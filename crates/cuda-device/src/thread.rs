//! Which thread this is.
//!
//! [`threadIdx_x`] and its kin are the raw registers. [`index_1d`], [`index_2d`], [`index_2d_runtime`] and [`warp_index`] give a
//! [`ThreadIndex`]: a proof that no other thread of the launch has the same index, which [`crate::DisjointSlice`] takes. Such an index
//! belongs to the run of one kernel, so a plain helper can take one as an argument, but not compute one:
//!
//! ```compile_fail,E0061
//! # use cuda_device::thread;
//! fn helper() -> usize {
//!     thread::index_1d().get()
//! }
//! ```
//!
//! and it stays in the kernel or device function that computed it:
//!
//! ```compile_fail,E0515
//! # use cuda_device::{device, thread};
//! #[device]
//! fn helper<'a>() -> thread::ThreadIndex<'a> {
//!     thread::index_1d()
//! }
//! ```
//!
//! Each of the index functions is written without the scope, which `#[kernel]` and `#[device]` add. A kernel whose `#[launch_contract]`
//! promises coordinates of 32 bits names its scope and passes it itself:
//!
//! ```
//! use cuda_device::{kernel, launch_contract, thread};
//!
//! #[kernel(launch_context = launch)]
//! #[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
//! pub fn number(out: *mut u32) {
//!     let i: u32 = thread::index_1d_u32(launch).get();
//! }
//! # fn main() {}
//! ```
//!
//! Another kernel cannot:
//!
//! ```compile_fail,E0277
//! # use cuda_device::{kernel, thread};
//! #[kernel(launch_context = launch)]
//! pub fn number(out: *mut u32) {
//!     let i: u32 = thread::index_1d_u32(launch).get();
//! }
//! # fn main() {}
//! ```

use core::marker::PhantomData;

use crate::disjoint::DisjointSlice;

include!("operations/thread.rs");

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

macro_rules! domains {
    ($($(#[$about:meta])* $domain:ident = $rank:literal;)*) => {$(
        $(#[$about])*
        pub enum $domain {}

        impl Sealed for $domain {}
        impl Domain for $domain {
            const RANK: u32 = $rank;
        }
    )*};
}

domains! {
    /// Launches along x: all other extents are 1.
    Domain1D = 1;
    /// Launches along x and y: extents along z are 1.
    Domain2D = 2;
    /// Launches along all three axes.
    Domain3D = 3;
    /// Launches of which nothing is known.
    UnknownDomain = 3;
}

/// Coordinates as wide as the hardware's.
pub enum NativeCoordinates {}

/// Coordinates of fewer than 2³² positions along each axis of the launch.
pub enum U32Coordinates {}

/// The properties of a kernel's launch. `#[kernel]` makes one at the head of a body that computes an index.
pub struct LaunchContext<Domain = UnknownDomain, Coordinates = NativeCoordinates> {
    launch: PhantomData<fn() -> (Domain, Coordinates)>,
}

impl<Domain, Coordinates> LaunchContext<Domain, Coordinates> {
    /// For the code that the attributes generate.
    ///
    /// # Safety
    ///
    /// This runs in a kernel whose every launch has this `Domain` and these `Coordinates`, and it lives no longer than the kernel.
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

/// The scope of one run of a kernel or device function, which no [`ThreadIndex`] made in it outlives. `#[kernel(launch_context = name)]`
/// gives it a name.
pub struct LaunchContextRef<'kernel, Domain = UnknownDomain, Coordinates = NativeCoordinates> {
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
#[diagnostic::on_unimplemented(
    message = "an index function takes the scope of a `#[kernel]` or `#[device]` function, which these attributes add",
    label = "not such a scope",
    note = "mark this function `#[device]`, or have it take the index from the kernel"
)]
pub trait LaunchScope<'kernel>: Sealed + Copy {
    /// [`Domain::RANK`] of the launch.
    #[doc(hidden)]
    fn rank(self) -> u32;
}

impl<Domain, Coordinates> Sealed for LaunchContextRef<'_, Domain, Coordinates> {}
#[diagnostic::do_not_recommend]
impl<'kernel, Launch: Domain, Coordinates> LaunchScope<'kernel> for LaunchContextRef<'kernel, Launch, Coordinates> {
    #[inline]
    fn rank(self) -> u32 {
        Launch::RANK
    }
}

/// The scope of launches along x with coordinates of 32 bits.
#[diagnostic::on_unimplemented(
    message = "this kernel's launches are not known to be along x with coordinates of 32 bits",
    label = "not the scope of such a launch",
    note = "beside `#[kernel(launch_context = …)]`, write `#[launch_contract(domain = 1, coordinates = u32, block = (x, 1, 1))]`"
)]
pub trait LineScope32<'kernel>: LaunchScope<'kernel> {}

/// The scope of launches along x and y with coordinates of 32 bits.
#[diagnostic::on_unimplemented(
    message = "this kernel's launches are not known to be along x and y with coordinates of 32 bits",
    label = "not the scope of such a launch",
    note = "beside `#[kernel(launch_context = …)]`, write `#[launch_contract(domain = 2, coordinates = u32, block = (x, y, 1))]`"
)]
pub trait PlaneScope32<'kernel>: LaunchScope<'kernel> {}

#[diagnostic::do_not_recommend]
impl<'kernel> LineScope32<'kernel> for LaunchContextRef<'kernel, Domain1D, U32Coordinates> {}
#[diagnostic::do_not_recommend]
impl<'kernel> PlaneScope32<'kernel> for LaunchContextRef<'kernel, Domain2D, U32Coordinates> {}

/// An index space in which an index is one number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index space with one number for an index",
    note = "`Index1D`, `Index2D<WIDTH>` and `WarpIndex` are; of `Runtime2DIndex` there are `row` and `col`, of tiles the views of `cuda_device::view`"
)]
pub trait FlatIndexSpace: Sealed {}

/// An index space whose index is computed from the position of the thread alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index space that every thread can compute its index in",
    note = "`Index1D` and `Index2D<WIDTH>` are; with another, ask for the index first: `slice.get_mut(index)`"
)]
pub trait IndexFormula: FlatIndexSpace + Sized {
    /// This thread's index, `None` where it has none.
    #[doc(hidden)]
    fn index<'kernel>(scope: impl LaunchScope<'kernel>) -> Option<ThreadIndex<'kernel, Self>>;
}

/// The space of [`index_1d`].
pub enum Index1D {}

/// The space of [`index_2d`]: rows of `ROW_STRIDE` elements.
pub enum Index2D<const ROW_STRIDE: usize> {}

/// The space of [`index_2d_runtime`]: rows as wide as the slice's.
pub enum Runtime2DIndex {}

/// The space of [`warp_index`]: one index for each warp.
pub enum WarpIndex {}

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

impl Sealed for WarpIndex {}
impl FlatIndexSpace for WarpIndex {}

/// Neither `Send` nor `Sync`: another thread has another index.
type Scope<'kernel, Space> = PhantomData<(&'kernel (), *const Space)>;

/// An index that no other thread of the launch has, and that cannot leave its kernel.
///
/// It is used up by the access that it is for:
///
/// ```compile_fail,E0382
/// # use cuda_device::{DisjointSlice, kernel, thread};
/// #[kernel]
/// pub fn twice(mut a: DisjointSlice<u32>, mut b: DisjointSlice<u32>) {
///     let index = thread::index_1d();
///     a.get_mut(index);
///     b.get_mut(index);
/// }
/// # fn main() {}
/// ```
///
/// so there is no second one of it,
///
/// ```compile_fail,E0599
/// # use cuda_device::{DisjointSlice, kernel, thread};
/// #[kernel]
/// pub fn twice(mut a: DisjointSlice<u32>) {
///     let index = thread::index_1d();
///     a.get_mut(index.clone());
/// }
/// # fn main() {}
/// ```
///
/// no other thread gets it,
///
/// ```compile_fail,E0277
/// # use cuda_device::{kernel, thread};
/// # fn to_another_thread(_: impl Send) {}
/// #[kernel]
/// pub fn send() {
///     to_another_thread(thread::index_1d());
/// }
/// # fn main() {}
/// ```
///
/// it is not kept beyond the kernel,
///
/// ```compile_fail,E0716
/// # use cuda_device::{kernel, thread};
/// #[kernel]
/// pub fn keep() {
///     let mut kept: Option<thread::ThreadIndex<'static>> = None;
///     kept.replace(thread::index_1d());
/// }
/// # fn main() {}
/// ```
///
/// and it is for slices of its own space and stride:
///
/// ```compile_fail,E0308
/// # use cuda_device::{DisjointSlice, kernel, thread};
/// #[kernel]
/// pub fn stride(mut a: DisjointSlice<u32, thread::Index2D<16>>) {
///     if let Some(index) = thread::index_2d::<32>() {
///         a.get_mut(index);
///     }
/// }
/// # fn main() {}
/// ```
pub struct ThreadIndex<'kernel, Space = Index1D> {
    /// The index, or the row where the space has two numbers; `usize::MAX` where it is invalid, which no slice is long enough for.
    position: usize,
    /// The column, where the space has two numbers.
    column: usize,
    scope: Scope<'kernel, Space>,
}

impl<Space> ThreadIndex<'_, Space> {
    #[inline]
    fn new(position: usize, column: usize) -> Self {
        Self { position, column, scope: PhantomData }
    }

    /// Whether this thread has an index of its own in this launch.
    #[inline]
    pub fn is_valid(&self) -> bool {
        self.position != usize::MAX
    }
}

// A bound of the method rather than of the block: rustc then shows the trait's note about other spaces.
impl<Space> ThreadIndex<'_, Space> {
    /// The index, counted from 0; `usize::MAX` where it is invalid.
    #[inline]
    pub fn get(&self) -> usize
    where
        Space: FlatIndexSpace,
    {
        self.position
    }

    /// Whether a slice of `len` elements has this one.
    #[inline]
    pub fn in_bounds(&self, len: usize) -> bool
    where
        Space: FlatIndexSpace,
    {
        self.position < len
    }
}

impl ThreadIndex<'_, Runtime2DIndex> {
    /// The row, along y.
    #[inline]
    pub fn row(&self) -> usize {
        self.position
    }

    /// The column, along x.
    #[inline]
    pub fn col(&self) -> usize {
        self.column
    }
}

/// A [`ThreadIndex`] of [`index_1d_u32`], for the safe views of [`crate::view`].
pub struct ThreadIndex32<'kernel> {
    index: u32,
    _scope: Scope<'kernel, ()>,
}

impl ThreadIndex32<'_> {
    /// The index, counted from 0.
    #[inline]
    pub fn get(&self) -> u32 {
        self.index
    }
}

#[cfg(test)]
impl ThreadIndex32<'_> {
    pub(crate) fn of_test(index: u32) -> Self {
        Self { index, _scope: PhantomData }
    }
}

/// A row and a column that no other thread of the launch has together, for the safe views of [`crate::view`].
pub struct ThreadCoord2D32<'kernel> {
    row: u32,
    col: u32,
    _scope: Scope<'kernel, ()>,
}

impl ThreadCoord2D32<'_> {
    /// The row, along y.
    #[inline]
    pub fn row(&self) -> u32 {
        self.row
    }

    /// The column, along x.
    #[inline]
    pub fn col(&self) -> u32 {
        self.col
    }
}

#[cfg(test)]
impl ThreadCoord2D32<'_> {
    pub(crate) fn of_test(row: u32, col: u32) -> Self {
        Self { row, col, _scope: PhantomData }
    }
}

/// Whether the launch has no extent in the axes beyond the first `rank`. No extent is 0, so the bits of several together are 1 only if each
/// is.
#[inline]
fn launch_fits<'kernel>(scope: impl LaunchScope<'kernel>, rank: u32) -> bool {
    match (scope.rank() > rank, rank) {
        (false, _) => true,
        (true, 1) => gridDim_y() | gridDim_z() | blockDim_y() | blockDim_z() == 1,
        (true, _) => gridDim_z() | blockDim_z() == 1,
    }
}

/// This thread's index along x. Written `index_1d()`: `#[kernel]` and `#[device]` add the scope.
///
/// It is invalid where the launch is not one-dimensional, since threads that differ in y or z would share it.
#[inline]
pub fn index_1d<'kernel>(mark_the_function_device_or_pass_the_launch_context: impl LaunchScope<'kernel>) -> ThreadIndex<'kernel, Index1D> {
    if !launch_fits(mark_the_function_device_or_pass_the_launch_context, 1) {
        return ThreadIndex::new(usize::MAX, 0);
    }
    ThreadIndex::new(index_2d_col(), 0)
}

/// This thread's index in rows of `ROW_STRIDE` elements, row along y and column along x. Written `index_2d::<ROW_STRIDE>()`:
/// `#[kernel]` and `#[device]` add the scope.
///
/// `None` where the column is not in the row, the launch is three-dimensional, or the index overflows.
#[inline]
pub fn index_2d<'kernel, const ROW_STRIDE: usize>(
    mark_the_function_device_or_pass_the_launch_context: impl LaunchScope<'kernel>,
) -> Option<ThreadIndex<'kernel, Index2D<ROW_STRIDE>>> {
    if !launch_fits(mark_the_function_device_or_pass_the_launch_context, 2) {
        return None;
    }
    let column = index_2d_col();
    if column >= ROW_STRIDE {
        return None;
    }
    let index = index_2d_row().checked_mul(ROW_STRIDE)?.checked_add(column)?;
    if index == usize::MAX { None } else { Some(ThreadIndex::new(index, 0)) }
}

/// This thread's row and column in rows as wide as those of `slice`. Written `index_2d_runtime(&slice)`: `#[kernel]` and `#[device]` add
/// the scope.
///
/// `None` where the column is not in the row, the launch is three-dimensional, or there are 2³² rows.
#[inline]
pub fn index_2d_runtime<'kernel, T>(
    mark_the_function_device_or_pass_the_launch_context: impl LaunchScope<'kernel>,
    slice: &DisjointSlice<'_, T, Runtime2DIndex>,
) -> Option<ThreadIndex<'kernel, Runtime2DIndex>> {
    if !launch_fits(mark_the_function_device_or_pass_the_launch_context, 2) {
        return None;
    }
    let (row, column) = (index_2d_row(), index_2d_col());
    if column >= slice.row_width() as usize || row > u32::MAX as usize {
        return None;
    }
    Some(ThreadIndex::new(row, column))
}

/// The index of this warp, for its lane 0: warps are counted through the block, and blocks through the grid. Written `warp_index()`:
/// `#[kernel]` and `#[device]` add the scope.
///
/// `None` in every other lane, and where the launch is not one-dimensional.
#[inline]
pub fn warp_index<'kernel>(
    mark_the_function_device_or_pass_the_launch_context: impl LaunchScope<'kernel>,
) -> Option<ThreadIndex<'kernel, WarpIndex>> {
    const LANES: u32 = 32;
    if !launch_fits(mark_the_function_device_or_pass_the_launch_context, 1) || !threadIdx_x().is_multiple_of(LANES) {
        return None;
    }
    let block = blockIdx_x() as usize * blockDim_x().div_ceil(LANES) as usize;
    Some(ThreadIndex::new(block + (threadIdx_x() / LANES) as usize, 0))
}

/// This thread's index along x, in 32 bits: for a kernel whose `#[launch_contract]` has `domain = 1, coordinates = u32`.
#[inline]
pub fn index_1d_u32<'kernel>(launch_context: impl LineScope32<'kernel>) -> ThreadIndex32<'kernel> {
    let _ = launch_context;
    ThreadIndex32 { index: col_u32(), _scope: PhantomData }
}

/// This thread's row and column, in 32 bits: for a kernel whose `#[launch_contract]` has `domain = 2, coordinates = u32`.
#[inline]
pub fn coord_2d_u32<'kernel>(launch_context: impl PlaneScope32<'kernel>) -> ThreadCoord2D32<'kernel> {
    let _ = launch_context;
    let row = blockIdx_y().wrapping_mul(blockDim_y()).wrapping_add(threadIdx_y());
    ThreadCoord2D32 { row, col: col_u32(), _scope: PhantomData }
}

/// [`index_2d_col`] where the launch's coordinates fit.
#[inline]
fn col_u32() -> u32 {
    blockIdx_x().wrapping_mul(blockDim_x()).wrapping_add(threadIdx_x())
}
