//! What the CPU device says of itself: the limits of a GPU of compute capability 9.0, as far as programs see them.

use std::{ffi::c_int, sync::LazyLock, thread};

pub const NAME: &str = "oxide CPU device";

/// The version of the driver API, 1000 × major + 10 × minor.
pub const DRIVER_VERSION: c_int = 13_000;

pub const MOST_THREADS: u32 = 1024;
pub const MOST_BLOCK: [u32; 3] = [1024, 1024, 64];
pub const MOST_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// Warps and threads of a multiprocessor, blocks and bytes of shared memory too.
pub const MOST_WARPS: u32 = 64;
pub const MOST_BLOCKS: u32 = 32;
pub const ALL_SHARED: u32 = 228 << 10;
/// Shared memory of a block that is the system's.
pub const RESERVED_SHARED: u32 = 1024;
/// Multiprocessors of the GPU that this stands for, where it matters how much fits on one: the largest of compute capability 9.0.
pub const MULTIPROCESSORS: u64 = 132;
/// Most blocks of a cluster, without asking and with asking for more.
pub const CLUSTER: u32 = 8;
pub const MOST_CLUSTER: u32 = 16;

/// How many blocks of so many threads and bytes of shared memory a multiprocessor has room for.
pub fn resident_blocks(threads: u32, shared: u32) -> u32 {
    let warps = threads.div_ceil(32).max(1);
    (MOST_WARPS / warps).min(MOST_BLOCKS).min(ALL_SHARED / (shared + RESERVED_SHARED))
}

/// Bytes of shared memory for a block, without asking and with asking for more.
pub const SHARED: u32 = 48 << 10;
pub const MOST_SHARED: u32 = 227 << 10;

/// Blocks that run at a time. Asking the system takes longer than a small launch.
pub static CORES: LazyLock<u32> = LazyLock::new(|| thread::available_parallelism().map_or(1, |count| count.get() as u32));

/// A device attribute by its number in `cuda.h` (`CU_DEVICE_ATTRIBUTE_…`); what is not said here is 0, and `None` is no attribute.
pub fn attribute(number: u32) -> Option<c_int> {
    Some(match number {
        // MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM_X to Z, MAX_GRID_DIM_X to Z
        1 => MOST_THREADS as c_int,
        2..=4 => MOST_BLOCK[number as usize - 2] as c_int,
        5..=7 => MOST_GRID[number as usize - 5] as c_int,
        // MAX_SHARED_MEMORY_PER_BLOCK
        8 => SHARED as c_int,
        // TOTAL_CONSTANT_MEMORY
        9 => 64 << 10,
        // WARP_SIZE
        10 => 32,
        // MAX_PITCH
        11 => c_int::MAX,
        // MAX_REGISTERS_PER_BLOCK, MAX_REGISTERS_PER_MULTIPROCESSOR
        12 | 82 => 64 << 10,
        // CLOCK_RATE, MEMORY_CLOCK_RATE: kilohertz
        13 | 36 => 1_000_000,
        // TEXTURE_ALIGNMENT
        14 => 512,
        // MULTIPROCESSOR_COUNT
        16 => *CORES as c_int,
        // INTEGRATED, CAN_MAP_HOST_MEMORY, UNIFIED_ADDRESSING
        18 | 19 | 41 => 1,
        // MAX_THREADS_PER_MULTIPROCESSOR
        39 => 2048,
        // COMPUTE_CAPABILITY_MAJOR
        75 => 9,
        // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
        81 => ALL_SHARED as c_int,
        // COOPERATIVE_LAUNCH
        95 => 1,
        // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        97 => MOST_SHARED as c_int,
        // MAX_BLOCKS_PER_MULTIPROCESSOR
        106 => MOST_BLOCKS as c_int,
        // RESERVED_SHARED_MEMORY_PER_BLOCK
        111 => RESERVED_SHARED as c_int,
        // CLUSTER_LAUNCH
        120 => 1,
        other => return (1..=200).contains(&other).then_some(0),
    })
}
