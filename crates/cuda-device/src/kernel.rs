//! What the `kernel` attribute leaves beside a kernel.

/// The marker type of a kernel that is not generic.
pub trait CudaKernel {
    /// The name of its entry in the PTX.
    const PTX_NAME: &'static str;
}

/// The marker type of an instance of a generic kernel.
pub trait GenericCudaKernel {
    /// The name of its entry in the PTX.
    fn ptx_name() -> &'static str;
}

// The launch attributes of a kernel, at the head of its body. The compiler makes directives of the entry from them.
operations! {
    /// The block is of exactly this shape.
    #[doc(hidden)]
    fn required_block(x: u32, y: u32, z: u32);
    /// A block has at most `max` threads, and a multiprocessor should hold `min` blocks; 0 sets no limit.
    #[doc(hidden)]
    fn launch_bounds(max: u32, min: u32);
    /// The blocks of a cluster.
    #[doc(hidden)]
    fn cluster(x: u32, y: u32, z: u32);
    /// Bytes that the dynamic shared memory is at least aligned to.
    #[doc(hidden)]
    fn dynamic_shared_alignment(bytes: u32);
}

/// The loop around the call, or behind it where the call is not `inside`, is to be unrolled: `number` tells it from the others of its
/// function, and 0 is a `factor` too, for all rounds. On the host it means nothing.
#[doc(hidden)]
#[inline(never)]
pub fn unroll(_number: u32, _factor: u32, _inside: bool) {}

/// Indices that are written in the body around the call are not checked. On the host, they are.
#[doc(hidden)]
#[inline(never)]
pub fn unchecked_indexing() {}

/// The factor, where a loop can be unrolled so.
#[doc(hidden)]
#[track_caller]
pub const fn unroll_factor(factor: u64) -> u32 {
    crate::check(factor != 1 && factor <= 1024, "`#[unroll]` takes no factor, or one from 2 to 1024");
    factor as u32
}

/// Whether a block or cluster can be of this shape in launches of `rank` dimensions; what cannot does not compile.
#[doc(hidden)]
#[track_caller]
pub const fn check_shape(shape: [u32; 3], rank: u32, most: u32) {
    let [x, y, z] = shape;
    crate::check(x != 0 && y != 0 && z != 0, "a block or cluster has no extent of 0");
    crate::check((rank > 1 || y == 1) && (rank > 2 || z == 1), "a block or cluster has extents of 1 beyond the domain of its launches");
    crate::check(x as u128 * y as u128 * z as u128 <= most as u128, "a block has more threads than `#[launch_bounds]` allows");
}

/// Whether there is a thread within the bounds.
#[doc(hidden)]
#[track_caller]
pub const fn check_bounds(max: u32) {
    crate::check(max != 0, "`#[launch_bounds]` allows no thread");
}

/// Whether memory can be aligned so.
#[doc(hidden)]
#[track_caller]
pub const fn check_alignment(bytes: u32) {
    crate::check(bytes.is_power_of_two(), "`dynamic_shared_alignment` is a power of two");
}

/// Whether there is a number in the range.
#[doc(hidden)]
#[track_caller]
pub const fn check_range(min: u32, max: u32) {
    crate::check(min <= max, "`dynamic_shared_range` is (min, max)");
}
