//! Groups of threads that act together: the grid, a cluster, a block, a tile of a warp, the lanes that happen to be active.
//!
//! ```
//! use cuda_device::{
//!     SharedArray,
//!     cooperative_groups::{ThreadGroup, block_reduce, ops::Sum, this_thread_block, warp_reduce},
//!     kernel,
//! };
//!
//! #[kernel]
//! pub fn sums(values: &[u32], of_tiles: &mut [u32], of_blocks: &mut [u32]) {
//!     static mut SCRATCH: SharedArray<u32, 8> = SharedArray::UNINIT;
//!     let block = this_thread_block();
//!     let value = values[block.thread_rank() as usize];
//!     let tile = block.tiled_partition::<16>();
//!     let of_tile = warp_reduce::<u32, Sum, 16>(&tile, value);
//!     if tile.thread_rank() == 0 {
//!         of_tiles[block.thread_rank() as usize / 16] = of_tile;
//!     }
//!     of_blocks[0] = block_reduce::<u32, Sum, 8>(&block, value, &raw mut SCRATCH);
//! }
//! # fn main() {}
//! ```
//!
//! Every thread of a group must reach the same call. A tile has a power of two of lanes, at most a warp:
//!
//! ```compile_fail,E0080
//! # use cuda_device::cooperative_groups::this_thread_block;
//! # fn main() {
//! this_thread_block().tiled_partition::<12>();
//! # }
//! ```

use crate::{SharedArray, check, cluster, grid, thread, warp};

const LANES: u32 = 32;

/// A group of threads, of which the calling one is a member.
pub trait ThreadGroup: Copy {
    /// The number of threads.
    fn size(&self) -> u32;
    /// This thread's number among them.
    fn thread_rank(&self) -> u32;
    /// Waits for all of them, and orders their accesses to memory.
    fn sync(&self);
}

/// A group whose threads are lanes of one warp.
///
/// [`shfl`](Self::shfl) takes a rank of the group; `shfl_xor`, `shfl_down` and `shfl_up` count lanes of the warp, as `__shfl_xor_sync` of CUDA
/// C++ does. A shuffle from a rank or lane that the group has not gives this thread's own value: among the even lanes `shfl_down(value, 1)`
/// is `value`, and `shfl_down(value, 2)` is the next thread's.
pub trait WarpCollective: ThreadGroup {
    /// The lanes of the group.
    #[doc(hidden)]
    fn lanes(&self) -> u32;

    /// The lane of a rank that the group has.
    #[doc(hidden)]
    fn lane(&self, rank: u32) -> u32;

    /// The ranks of these lanes, which are the group's.
    #[doc(hidden)]
    fn ranks(&self, lanes: u32) -> u32;

    /// `value` of a lane of the warp, if it is one of the group.
    #[doc(hidden)]
    #[inline]
    fn shfl_lane(&self, value: u32, lane: Option<u32>) -> u32 {
        let source = match lane {
            Some(lane) if lane < LANES && self.lanes() >> lane & 1 == 1 => lane,
            _ => warp::lane_id(),
        };
        warp::shuffle_sync(self.lanes(), value, source)
    }

    /// The ranks for which `predicate` holds, a bit for each.
    #[inline]
    fn ballot(&self, predicate: bool) -> u32 {
        self.ranks(warp::ballot_sync(self.lanes(), predicate))
    }

    /// Whether `predicate` holds for every thread of the group.
    #[inline]
    fn all(&self, predicate: bool) -> bool {
        warp::all_sync(self.lanes(), predicate)
    }

    /// Whether `predicate` holds for a thread of the group.
    #[inline]
    fn any(&self, predicate: bool) -> bool {
        warp::any_sync(self.lanes(), predicate)
    }

    /// `value` of thread `rank`.
    #[inline]
    fn shfl(&self, value: u32, rank: u32) -> u32 {
        let source = if rank < self.size() { self.lane(rank) } else { warp::lane_id() };
        warp::shuffle_sync(self.lanes(), value, source)
    }

    /// `value` of the thread whose lane differs in the bits of `mask`.
    #[inline]
    fn shfl_xor(&self, value: u32, mask: u32) -> u32 {
        self.shfl_lane(value, Some(warp::lane_id() ^ mask))
    }

    /// `value` of the thread `delta` lanes higher.
    #[inline]
    fn shfl_down(&self, value: u32, delta: u32) -> u32 {
        self.shfl_lane(value, warp::lane_id().checked_add(delta))
    }

    /// `value` of the thread `delta` lanes lower.
    #[inline]
    fn shfl_up(&self, value: u32, delta: u32) -> u32 {
        self.shfl_lane(value, warp::lane_id().checked_sub(delta))
    }

    /// [`shfl`](Self::shfl) of an `f32`.
    #[inline]
    fn shfl_f32(&self, value: f32, rank: u32) -> f32 {
        f32::from_bits(self.shfl(value.to_bits(), rank))
    }

    /// [`shfl_xor`](Self::shfl_xor) of an `f32`.
    #[inline]
    fn shfl_xor_f32(&self, value: f32, mask: u32) -> f32 {
        f32::from_bits(self.shfl_xor(value.to_bits(), mask))
    }

    /// [`shfl_down`](Self::shfl_down) of an `f32`.
    #[inline]
    fn shfl_down_f32(&self, value: f32, delta: u32) -> f32 {
        f32::from_bits(self.shfl_down(value.to_bits(), delta))
    }

    /// [`shfl_up`](Self::shfl_up) of an `f32`.
    #[inline]
    fn shfl_up_f32(&self, value: f32, delta: u32) -> f32 {
        f32::from_bits(self.shfl_up(value.to_bits(), delta))
    }

    /// The lanes of the group, of the whole warp's bits, whose `value` is this thread's (sm_70).
    #[inline]
    fn match_any(&self, value: u32) -> u32 {
        warp::match_any_sync(self.lanes(), value)
    }

    /// [`match_any`](Self::match_any) of 64 bits.
    #[inline]
    fn match_any_i64(&self, value: u64) -> u32 {
        warp::match_any_i64_sync(self.lanes(), value)
    }

    /// The lanes of the group where all have the same `value`, else 0 (sm_70).
    #[inline]
    fn match_all(&self, value: u32) -> u32 {
        warp::match_all_sync(self.lanes(), value)
    }

    /// [`match_all`](Self::match_all) of 64 bits.
    #[inline]
    fn match_all_i64(&self, value: u64) -> u32 {
        warp::match_all_i64_sync(self.lanes(), value)
    }
}

/// All threads of the launch.
#[derive(Clone, Copy)]
pub struct Grid(());

/// The threads of this thread's cluster of blocks (sm_90).
#[derive(Clone, Copy)]
pub struct Cluster(());

/// The threads of this thread's block.
#[derive(Clone, Copy)]
pub struct ThreadBlock(());

/// `N` lanes of this thread's warp that lie side by side, from a multiple of `N` on. The block has all of them.
#[derive(Clone, Copy)]
pub struct WarpTile<const N: u32>(());

/// Lanes of this thread's warp that were active together.
#[derive(Clone, Copy)]
pub struct CoalescedThreads {
    lanes: u32,
}

/// The grid.
#[inline]
pub fn this_grid() -> Grid {
    Grid(())
}

/// This thread's cluster.
#[inline]
pub fn this_cluster() -> Cluster {
    Cluster(())
}

/// This thread's block.
#[inline]
pub fn this_thread_block() -> ThreadBlock {
    ThreadBlock(())
}

/// The lanes that are active here. Where threads took different ways before, those that took this thread's.
#[inline]
pub fn coalesced_threads() -> CoalescedThreads {
    CoalescedThreads { lanes: warp::active_mask() }
}

impl Grid {
    /// The number of blocks.
    #[inline]
    pub fn num_blocks(&self) -> u32 {
        thread::gridDim_x() * thread::gridDim_y() * thread::gridDim_z()
    }

    /// This block's number among them, x first.
    #[inline]
    pub fn block_rank(&self) -> u32 {
        (thread::blockIdx_z() * thread::gridDim_y() + thread::blockIdx_y()) * thread::gridDim_x() + thread::blockIdx_x()
    }
}

impl ThreadGroup for Grid {
    #[inline]
    fn size(&self) -> u32 {
        self.num_blocks() * this_thread_block().size()
    }

    #[inline]
    fn thread_rank(&self) -> u32 {
        self.block_rank() * this_thread_block().size() + this_thread_block().thread_rank()
    }

    /// Waits for all threads of the launch, which must be a cooperative one.
    #[inline]
    fn sync(&self) {
        grid::sync();
    }
}

impl Cluster {
    /// The number of blocks.
    #[inline]
    pub fn num_blocks(&self) -> u32 {
        cluster::cluster_size()
    }

    /// This block's number among them, x first.
    #[inline]
    pub fn block_rank(&self) -> u32 {
        cluster::block_rank()
    }
}

impl ThreadGroup for Cluster {
    #[inline]
    fn size(&self) -> u32 {
        self.num_blocks() * this_thread_block().size()
    }

    #[inline]
    fn thread_rank(&self) -> u32 {
        self.block_rank() * this_thread_block().size() + this_thread_block().thread_rank()
    }

    #[inline]
    fn sync(&self) {
        cluster::cluster_sync();
    }
}

impl ThreadBlock {
    /// This thread's tile of `N` lanes: 1, 2, 4, 8, 16 or 32.
    #[inline]
    pub fn tiled_partition<const N: u32>(&self) -> WarpTile<N> {
        const { check(N.is_power_of_two() && N <= LANES, "a tile has 1, 2, 4, 8, 16 or 32 lanes") }
        WarpTile(())
    }

    /// The number of warps, the last of which may lack lanes.
    #[inline]
    fn warps(&self) -> u32 {
        self.size().div_ceil(LANES)
    }

    /// The number of lanes that this thread's warp has.
    #[inline]
    fn live_lanes(&self) -> u32 {
        let first = self.thread_rank() / LANES * LANES;
        (self.size() - first).min(LANES)
    }
}

impl ThreadGroup for ThreadBlock {
    #[inline]
    fn size(&self) -> u32 {
        thread::blockDim_x() * thread::blockDim_y() * thread::blockDim_z()
    }

    #[inline]
    fn thread_rank(&self) -> u32 {
        (thread::threadIdx_z() * thread::blockDim_y() + thread::threadIdx_y()) * thread::blockDim_x() + thread::threadIdx_x()
    }

    #[inline]
    fn sync(&self) {
        thread::sync_threads();
    }
}

/// The lowest `count` lanes.
#[inline]
const fn first_lanes(count: u32) -> u32 {
    if count >= LANES { u32::MAX } else { (1 << count) - 1 }
}

impl<const N: u32> WarpTile<N> {
    /// Its first lane.
    #[inline]
    fn first(&self) -> u32 {
        warp::lane_id() & !(N - 1)
    }
}

impl<const N: u32> ThreadGroup for WarpTile<N> {
    #[inline]
    fn size(&self) -> u32 {
        N
    }

    #[inline]
    fn thread_rank(&self) -> u32 {
        warp::lane_id() & (N - 1)
    }

    #[inline]
    fn sync(&self) {
        warp::sync_mask(self.lanes());
    }
}

impl<const N: u32> WarpCollective for WarpTile<N> {
    #[inline]
    fn lanes(&self) -> u32 {
        first_lanes(N) << self.first()
    }

    #[inline]
    fn lane(&self, rank: u32) -> u32 {
        self.first() | rank
    }

    #[inline]
    fn ranks(&self, lanes: u32) -> u32 {
        (lanes >> self.first()) & first_lanes(N)
    }
}

impl CoalescedThreads {
    /// The lanes, a bit for each.
    #[inline]
    pub fn raw_mask(&self) -> u32 {
        self.lanes
    }
}

impl ThreadGroup for CoalescedThreads {
    #[inline]
    fn size(&self) -> u32 {
        self.lanes.count_ones()
    }

    #[inline]
    fn thread_rank(&self) -> u32 {
        (self.lanes & warp::lanemask_lt()).count_ones()
    }

    #[inline]
    fn sync(&self) {
        warp::sync_mask(self.lanes);
    }
}

impl WarpCollective for CoalescedThreads {
    #[inline]
    fn lanes(&self) -> u32 {
        self.lanes
    }

    #[inline]
    fn lane(&self, rank: u32) -> u32 {
        nth_set_bit(self.lanes, rank)
    }

    #[inline]
    fn ranks(&self, lanes: u32) -> u32 {
        gather_bits(lanes, self.lanes)
    }
}

/// The position of the set bit that has `n` set bits below it. There is one.
#[inline]
const fn nth_set_bit(bits: u32, n: u32) -> u32 {
    let (mut position, mut left, mut width) = (0, n, LANES / 2);
    while width > 0 {
        let below = ((bits >> position) & first_lanes(width)).count_ones();
        if left >= below {
            left -= below;
            position += width;
        }
        width /= 2;
    }
    position
}

/// The bits of `bits` at the set bits of `mask`, side by side.
#[inline]
const fn gather_bits(bits: u32, mask: u32) -> u32 {
    let (mut gathered, mut rank, mut left) = (0, 0, mask);
    while left != 0 {
        gathered |= ((bits >> left.trailing_zeros()) & 1) << rank;
        left &= left - 1;
        rank += 1;
    }
    gathered
}

/// What a reduction or scan combines values with.
pub mod ops {
    /// An associative operation.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` does not combine values of type `{T}`",
        note = "`Sum`, `Min` and `Max` combine `u32`, `i32` and `f32`, `BitAnd`, `BitOr` and `BitXor` combine `u32`; implement `ReduceOp<{T}>` for a type of your own"
    )]
    pub trait ReduceOp<T> {
        /// The value that changes no other.
        fn identity() -> T;
        /// Both values combined, that of the lower rank first.
        fn combine(first: T, second: T) -> T;
    }

    macro_rules! operations {
        ($($(#[$about:meta])* $name:ident { $($type:ty: $identity:expr, $combine:expr;)* })*) => {$(
            $(#[$about])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            $(impl ReduceOp<$type> for $name {
                #[inline]
                fn identity() -> $type {
                    $identity
                }

                #[inline]
                fn combine(first: $type, second: $type) -> $type {
                    let combine: fn($type, $type) -> $type = $combine;
                    combine(first, second)
                }
            })*
        )*};
    }

    operations! {
        /// The sum; integers wrap around.
        Sum {
            u32: 0, u32::wrapping_add;
            i32: 0, i32::wrapping_add;
            f32: 0.0, |first, second| first + second;
        }
        /// The least; of a number and a NaN, the number.
        Min {
            u32: u32::MAX, Ord::min;
            i32: i32::MAX, Ord::min;
            f32: f32::INFINITY, f32::min;
        }
        /// The greatest; of a number and a NaN, the number.
        Max {
            u32: u32::MIN, Ord::max;
            i32: i32::MIN, Ord::max;
            f32: f32::NEG_INFINITY, f32::max;
        }
        /// The bits that are set in all.
        BitAnd {
            u32: u32::MAX, |first, second| first & second;
        }
        /// The bits that are set in any.
        BitOr {
            u32: 0, |first, second| first | second;
        }
        /// The bits that are set in an odd number of them.
        BitXor {
            u32: 0, |first, second| first ^ second;
        }
    }
}
use ops::ReduceOp;

mod sealed {
    pub trait Sealed {}
}

/// What a shuffle takes.
#[diagnostic::on_unimplemented(
    message = "a warp cannot shuffle a `{Self}`",
    note = "it can `u32`, `i32` and `f32`: convert the value, or combine its parts one by one"
)]
pub trait WarpShuffle: Copy + sealed::Sealed {
    /// `self` of lane `source`, for the lanes of the mask.
    #[doc(hidden)]
    fn shuffle(self, lanes: u32, source: u32) -> Self;
}

macro_rules! shuffled {
    ($($type:ty, $to_bits:expr, $from_bits:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl WarpShuffle for $type {
            #[inline]
            fn shuffle(self, lanes: u32, source: u32) -> Self {
                $from_bits(warp::shuffle_sync(lanes, $to_bits(self), source))
            }
        }
    )*};
}

shuffled! {
    u32, core::convert::identity, core::convert::identity;
    i32, i32::cast_unsigned, u32::cast_signed;
    f32, f32::to_bits, f32::from_bits;
}

/// All values of a tile combined, in each of its threads.
#[inline]
pub fn warp_reduce<T: WarpShuffle, Op: ReduceOp<T>, const N: u32>(tile: &WarpTile<N>, value: T) -> T {
    let (lanes, rank) = (tile.lanes(), tile.thread_rank());
    let mut sum = value;
    let mut distance = 1;
    while distance < N {
        let other = sum.shuffle(lanes, tile.lane(rank ^ distance));
        // In the order of ranks, so that every thread computes the same.
        sum = if rank & distance == 0 { Op::combine(sum, other) } else { Op::combine(other, sum) };
        distance *= 2;
    }
    sum
}

/// The values of a tile from rank 0 up to this thread's, combined.
#[inline]
pub fn warp_scan<T: WarpShuffle, Op: ReduceOp<T>, const N: u32>(tile: &WarpTile<N>, value: T) -> T {
    scan_lanes::<T, Op>(tile.lanes(), tile.first(), tile.thread_rank(), N, value)
}

/// The scan of `size` lanes from `first` on.
#[inline]
fn scan_lanes<T: WarpShuffle, Op: ReduceOp<T>>(lanes: u32, first: u32, rank: u32, size: u32, value: T) -> T {
    let mut sum = value;
    let mut distance = 1;
    while distance < size {
        let before = sum.shuffle(lanes, first + if rank >= distance { rank - distance } else { rank });
        if rank >= distance {
            sum = Op::combine(before, sum);
        }
        distance *= 2;
    }
    sum
}

/// All values of a block combined, in each of its threads, which must all get here.
///
/// `scratch` is the address of a shared static with an element for each warp of the block; with fewer, this panics. There is a barrier in
/// between, but none after: before it is used again, wait for the block.
#[inline]
pub fn block_reduce<T: WarpShuffle, Op: ReduceOp<T>, const NUM_WARPS: usize>(
    block: &ThreadBlock,
    value: T,
    scratch: *mut SharedArray<T, NUM_WARPS>,
) -> T {
    let sums = scan_warps::<T, Op, NUM_WARPS>(block, value, scratch).1;
    combine_warps::<T, Op>(sums, block.warps())
}

/// The values of a block from rank 0 up to this thread's, combined. All threads of the block must get here.
///
/// `scratch` is as for [`block_reduce`].
#[inline]
pub fn block_scan<T: WarpShuffle, Op: ReduceOp<T>, const NUM_WARPS: usize>(
    block: &ThreadBlock,
    value: T,
    scratch: *mut SharedArray<T, NUM_WARPS>,
) -> T {
    let (sum, sums) = scan_warps::<T, Op, NUM_WARPS>(block, value, scratch);
    Op::combine(combine_warps::<T, Op>(sums, block.thread_rank() / LANES), sum)
}

/// The scan of this thread's warp, and the address where all warps' sums now lie.
#[inline]
fn scan_warps<T: WarpShuffle, Op: ReduceOp<T>, const NUM_WARPS: usize>(
    block: &ThreadBlock,
    value: T,
    scratch: *mut SharedArray<T, NUM_WARPS>,
) -> (T, *const T) {
    assert!(block.warps() as usize <= NUM_WARPS, "the scratch has an element for each warp");
    let (rank, live) = (block.thread_rank(), block.live_lanes());
    let (warp, lane) = ((rank / LANES) as usize, rank % LANES);
    let sum = scan_lanes::<T, Op>(first_lanes(live), 0, lane, live, value);
    // SAFETY: the address of a static, as the caller says.
    let sums = unsafe { SharedArray::as_raw_mut_ptr(scratch) };
    if lane == live - 1 {
        // SAFETY: each warp has an element, which its last lane alone writes.
        unsafe { sums.add(warp).write(sum) };
    }
    block.sync();
    (sum, sums)
}

/// The sums of the first `count` warps, combined.
#[inline]
fn combine_warps<T: WarpShuffle, Op: ReduceOp<T>>(sums: *const T, count: u32) -> T {
    let mut sum = Op::identity();
    for warp in 0..count {
        // SAFETY: there are at least so many, written before the barrier.
        sum = Op::combine(sum, unsafe { sums.add(warp as usize).read() });
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::{ops::*, *};

    #[test]
    fn bits_of_a_mask() {
        for mask in [1, 0x8000_0000, 0b1010_0110, u32::MAX, 0xf0f0_1234] {
            let set: [u32; 32] = core::array::from_fn(|n| if (n as u32) < mask.count_ones() { nth_set_bit(mask, n as u32) } else { 32 });
            assert!(set.into_iter().take_while(|bit| *bit < 32).eq((0..32).filter(|bit| mask >> bit & 1 == 1)));
            assert_eq!(gather_bits(mask, mask), first_lanes(mask.count_ones()));
            assert_eq!(gather_bits(0, mask), 0);
        }
        assert_eq!(gather_bits(0b1000_0100, 0b1010_0110), 0b1010);
        assert_eq!([first_lanes(0), first_lanes(5), first_lanes(32)], [0, 31, u32::MAX]);
    }

    #[test]
    fn identities_change_nothing() {
        fn check<T: Copy + PartialEq + core::fmt::Debug, Op: ReduceOp<T>>(values: &[T]) {
            for &value in values {
                assert_eq!((Op::combine(Op::identity(), value), Op::combine(value, Op::identity())), (value, value));
            }
        }
        let (unsigned, signed, floats) = ([0, 7, u32::MAX], [0, -7, i32::MIN, i32::MAX], [0.0, -1.5, f32::MAX, f32::NEG_INFINITY]);
        check::<u32, Sum>(&unsigned);
        check::<u32, Min>(&unsigned);
        check::<u32, Max>(&unsigned);
        check::<u32, BitAnd>(&unsigned);
        check::<u32, BitOr>(&unsigned);
        check::<u32, BitXor>(&unsigned);
        check::<i32, Sum>(&signed);
        check::<i32, Min>(&signed);
        check::<i32, Max>(&signed);
        check::<f32, Sum>(&floats);
        check::<f32, Min>(&floats);
        check::<f32, Max>(&floats);
        assert_eq!((<Sum as ReduceOp<u32>>::combine(u32::MAX, 2), <Min as ReduceOp<f32>>::combine(f32::NAN, 1.0)), (1, 1.0));
    }
}
