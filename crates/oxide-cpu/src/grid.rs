//! Spreads the blocks of a grid over the cores.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use crate::{
    block::{Failure, Launch, position},
    device,
    fault::SignalStack,
};

/// Fibers at a time: each takes two of the mappings that Linux allows a process, 65,530 by default.
const MOST_FIBERS: u64 = 16 << 10;

/// GPU threads that are worth starting a thread of the system for.
const WORTH_A_THREAD: u64 = 256;

/// Runs every block, or stops early when one fails. Of several failures, that of the first block is returned.
pub fn run(launch: &Launch<'_>) -> Result<(), Failure> {
    let threads: u64 = launch.block_dim.iter().map(|&count| u64::from(count)).product();
    let blocks: u64 = launch.grid_dim.iter().map(|&count| u64::from(count)).product();
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let failure: Mutex<Option<(u64, Failure)>> = Mutex::new(None);
    let work = || {
        let _stack = SignalStack::new();
        let mut block = 0;
        let result = launch.run_blocks(|| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            block = next.fetch_add(1, Ordering::Relaxed);
            (block < blocks).then(|| position(block, launch.grid_dim))
        });
        if let Err(reason) = result {
            stop.store(true, Ordering::Relaxed);
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            if failure.as_ref().is_none_or(|(first, _)| block < *first) {
                *failure = Some((block, reason));
            }
        }
    };
    let mut workers = u64::from(*device::CORES).min(blocks).min(blocks.saturating_mul(threads).div_ceil(WORTH_A_THREAD));
    if launch.kernel.meets != 0 {
        workers = workers.min(MOST_FIBERS / threads);
    }
    thread::scope(|scope| {
        for _ in 1..workers {
            // Without another thread the work takes longer.
            let _ = thread::Builder::new().name("oxide-cpu".into()).spawn_scoped(scope, work);
        }
        work();
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, reason)| Err(reason))
}
