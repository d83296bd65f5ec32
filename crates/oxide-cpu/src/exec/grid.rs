//! Distributes the groups of blocks of a grid over the cores.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use super::{failure::Failure, fault::SignalStack, launch::Launch, limits, progress::Progress, scheduler::Worker};

/// Fibers at a time: each takes two of the mappings that Linux allows a process, 65,530 by default, as does a block's shared memory.
pub const MAX_FIBERS: u64 = 24 << 10;

/// GPU threads for which a thread of the system is started.
const THREADS_PER_WORKER: u64 = 256;

/// Runs every block, or stops early when one fails. Of several failures, that of the first group is returned.
pub fn run(launch: &Launch<'_>) -> Result<(), Failure> {
    let of_group = launch.shape.group();
    let groups = launch.shape.blocks() / of_group;
    let threads = of_group * launch.shape.threads() as u64;
    let mut workers = u64::from(*limits::CORES).min(groups).min(groups.saturating_mul(threads).div_ceil(THREADS_PER_WORKER));
    if launch.image.checks != 0 {
        workers = 1;
    }
    if launch.kernel.synchronizes != 0 {
        workers = workers.min(MAX_FIBERS / threads).max(1);
    }
    let next = AtomicU64::new(0);
    let failure: Mutex<Option<(u64, Failure)>> = Mutex::new(None);
    let progress = Progress::new(workers as usize);
    let work = |number: usize| {
        let _stack = SignalStack::new();
        let result = Worker::new(launch, &progress, number, MAX_FIBERS / workers).run(|| {
            if progress.stop.load(Ordering::Relaxed) {
                return None;
            }
            let group = next.fetch_add(1, Ordering::Relaxed);
            (group < groups).then_some(group)
        });
        progress.end(number);
        if let Err((group, reason)) = result {
            progress.stop.store(true, Ordering::Relaxed);
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            if failure.as_ref().is_none_or(|(first, _)| group < *first) {
                *failure = Some((group, reason));
            }
        }
    };
    let work = &work;
    thread::scope(|scope| {
        for number in 1..workers as usize {
            // Fewer threads run the same work.
            if thread::Builder::new().name("oxide-cpu".into()).spawn_scoped(scope, move || work(number)).is_err() {
                progress.end(number);
            }
        }
        work(0);
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, reason)| Err(reason))
}
