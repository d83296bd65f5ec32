//! The properties of the CPU device: the limits of a GPU of compute capability 9.0, as far as programs see them.

use std::{
    env,
    ffi::c_int,
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::exec::limits::{CORES, MAX_WARPS, WARP};

pub const NAME: &str = "oxide CPU device";

/// The version of the driver API, 1000 × major + 10 × minor.
pub const DRIVER_VERSION: c_int = 13_000;

pub const MAX_THREADS: u32 = 1024;
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// Blocks and bytes of shared memory of a multiprocessor.
pub const MAX_BLOCKS: u32 = 32;
pub const ALL_SHARED: u32 = 228 << 10;
/// Shared memory of a block that is the system's.
pub const RESERVED_SHARED: u32 = 1024;
/// Multiprocessors of the GPU that this device emulates, for limits of residency: the largest of compute capability 9.0.
pub const MULTIPROCESSORS: u64 = 132;
/// Most blocks of a cluster, by default and where the host has allowed more.
pub const CLUSTER: u32 = 8;
pub const MAX_CLUSTER: u32 = 16;

/// How many blocks of so many threads and bytes of shared memory a multiprocessor has room for.
pub fn resident_blocks(threads: u32, shared: u32) -> u32 {
    let warps = threads.div_ceil(WARP as u32).max(1);
    (MAX_WARPS / warps).min(MAX_BLOCKS).min(ALL_SHARED / (shared + RESERVED_SHARED))
}

/// Bytes of shared memory for a block, by default and where the host has allowed more.
pub const SHARED: u32 = 48 << 10;
pub const MAX_SHARED: u32 = 227 << 10;

/// Whether an image that checks accesses was loaded. Freed memory then stays reserved, for messages to report that it was freed.
pub static CHECKS: AtomicBool = AtomicBool::new(false);

/// Most devices.
pub const MAX: usize = 16;

/// The number of devices: `OXIDE_CPU_DEVICES`, 1 to 16, when it is first read, or 1.
pub fn count() -> usize {
    static COUNT: LazyLock<usize> = LazyLock::new(|| {
        let Some(text) = env::var_os("OXIDE_CPU_DEVICES").filter(|text| !text.is_empty()) else { return 1 };
        let count = text.to_str().and_then(|text| text.parse().ok()).filter(|count| (1..=MAX).contains(count));
        count.unwrap_or_else(|| {
            eprintln!("oxide: got OXIDE_CPU_DEVICES={}, expected a number from 1 to {MAX}: there is 1 device", text.display());
            1
        })
    });
    *COUNT
}

/// `CU_STREAM_DEFAULT`, `CU_STREAM_NON_BLOCKING`.
pub const STREAM_DEFAULT: u32 = 0;
pub const STREAM_NON_BLOCKING: u32 = 1;

/// Priorities of streams, which order nothing here: the greatest is the lowest number.
pub const LEAST_PRIORITY: c_int = 0;
pub const GREATEST_PRIORITY: c_int = -5;

/// The domain, bus and slot of a device.
pub fn pci(device: usize) -> [c_int; 3] {
    [0, device as c_int + 1, 0]
}

pub fn uuid(device: usize) -> [u8; 16] {
    let mut uuid = *b"oxide CPU device";
    uuid[15] += device as u8;
    uuid
}

/// Bytes that physical memory is mapped by, as on GPUs.
pub const GRANULARITY: usize = 2 << 20;

/// A device attribute by its number in `cuda.h` (`CU_DEVICE_ATTRIBUTE_…`); what is not listed is 0, and `None` is not an attribute.
pub fn attribute(number: u32, device: usize) -> Option<c_int> {
    Some(match number {
        // MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM_X to Z, MAX_GRID_DIM_X to Z
        1 => MAX_THREADS as c_int,
        2..=4 => MAX_BLOCK[number as usize - 2] as c_int,
        5..=7 => MAX_GRID[number as usize - 5] as c_int,
        // MAX_SHARED_MEMORY_PER_BLOCK
        8 => SHARED as c_int,
        // TOTAL_CONSTANT_MEMORY
        9 => 64 << 10,
        // WARP_SIZE
        10 => WARP as c_int,
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
        // INTEGRATED, CAN_MAP_HOST_MEMORY, CONCURRENT_KERNELS, UNIFIED_ADDRESSING
        18 | 19 | 31 | 41 => 1,
        // SURFACE_ALIGNMENT, TEXTURE_PITCH_ALIGNMENT
        30 => 512,
        51 => 32,
        // PCI_BUS_ID, PCI_DEVICE_ID, PCI_DOMAIN_ID
        33 => pci(device)[1],
        34 => pci(device)[2],
        50 => pci(device)[0],
        // GLOBAL_MEMORY_BUS_WIDTH: bits
        37 => 64,
        // ASYNC_ENGINE_COUNT: copies are done by the caller
        40 => 0,
        // MAX_THREADS_PER_MULTIPROCESSOR
        39 => 2048,
        // COMPUTE_CAPABILITY_MAJOR
        75 => 9,
        // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
        81 => ALL_SHARED as c_int,
        // STREAM_PRIORITIES_SUPPORTED, MANAGED_MEMORY, HOST_NATIVE_ATOMIC_SUPPORTED, CONCURRENT_MANAGED_ACCESS,
        // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
        78 | 83 | 86 | 89 | 91 => 1,
        // PAGEABLE_MEMORY_ACCESS: none where accesses are checked, since a kernel's own memory is all that it may use
        88 => (!CHECKS.load(Ordering::Relaxed)).into(),
        // COOPERATIVE_LAUNCH, HOST_REGISTER_SUPPORTED, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
        // MEMORY_POOLS_SUPPORTED
        95 | 99 | 101 | 102 | 115 => 1,
        // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        97 => MAX_SHARED as c_int,
        // MAX_BLOCKS_PER_MULTIPROCESSOR
        106 => MAX_BLOCKS as c_int,
        // RESERVED_SHARED_MEMORY_PER_BLOCK
        111 => RESERVED_SHARED as c_int,
        // CLUSTER_LAUNCH
        120 => 1,
        // CAN_USE_64_BIT_STREAM_MEM_OPS, CAN_USE_STREAM_WAIT_VALUE_NOR
        122 | 123 => 1,
        // MEM_SYNC_DOMAIN_COUNT
        126 => 1,
        // NUMA_ID, HOST_NUMA_ID: none
        131 | 134 => -1,
        other => return (1..=200).contains(&other).then_some(0),
    })
}
