//! The sizes of the processor that execution knows of.

use std::{sync::LazyLock, thread};

/// Threads of a warp.
pub const WARP: usize = 32;

/// Warps of a multiprocessor.
pub const MAX_WARPS: u32 = 64;

/// Blocks that run at a time. Asking the system takes longer than a small launch.
pub static CORES: LazyLock<u32> = LazyLock::new(|| thread::available_parallelism().map_or(1, |count| count.get() as u32));
