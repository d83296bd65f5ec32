//! Whether the workers of a launch make progress, and the timeouts of threads that only spin.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How long threads may spin on memory that no thread changes, and loop over barriers before that is reported.
pub const SPIN_TIMEOUT: Duration = Duration::from_secs(20);

/// The same where accesses are checked, when all threads run on one thread of the system.
pub const CHECKED_SPIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Barriers that threads may complete without a write, where accesses are checked and writes are counted.
const CHECKED_BARRIERS: u32 = 10_000;

/// Polls of a worker before it sleeps between polls, and how long it sleeps.
const POLLS_BEFORE_SLEEP: u32 = 200;
const SLEEP: Duration = Duration::from_micros(50);

/// The progress of the workers of a launch.
pub struct Progress {
    /// Counted whenever a thread has advanced.
    steps: AtomicU64,
    /// How often each worker has polled all its threads without progress; the maximum once it has ended.
    polls: Vec<AtomicU64>,
    /// Set when a worker has failed, for the others to stop.
    pub stop: AtomicBool,
    /// Whether a loop over barriers was reported.
    is_reported: AtomicBool,
}

impl Progress {
    pub fn new(workers: usize) -> Self {
        let polls = (0..workers).map(|_| AtomicU64::new(0)).collect();
        Self { steps: AtomicU64::new(0), polls, stop: AtomicBool::new(false), is_reported: AtomicBool::new(false) }
    }

    /// For a worker that the system did not start, or that has ended.
    pub fn end(&self, worker: usize) {
        self.polls[worker].store(u64::MAX, Ordering::Relaxed);
    }

    /// Counts a step.
    pub fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether a loop over barriers was not reported yet; from now on it counts as reported.
    pub fn is_first_report(&self) -> bool {
        !self.is_reported.swap(true, Ordering::Relaxed)
    }

    fn polls(&self) -> Vec<u64> {
        self.polls.iter().map(|polls| polls.load(Ordering::Relaxed)).collect()
    }
}

/// Since when, and how often, threads have completed barriers without a write.
pub struct SilentBarriers {
    /// The number of writes at the start.
    pub writes: u64,
    since: Instant,
    barriers: u32,
}

impl SilentBarriers {
    pub fn new(writes: u64) -> Self {
        Self { writes, since: Instant::now(), barriers: 0 }
    }

    /// Counts a barrier; whether the timeout is over.
    pub fn is_timeout(&mut self) -> bool {
        self.barriers = self.barriers.saturating_add(1);
        self.barriers > CHECKED_BARRIERS && self.since.elapsed() > CHECKED_SPIN_TIMEOUT
    }
}

/// A worker all of whose threads spin.
pub struct Idle {
    polls: u32,
    since: Instant,
    steps: u64,
    /// The polls of the workers at that time.
    others: Vec<u64>,
}

impl Idle {
    pub fn new(progress: &Progress) -> Self {
        Self { polls: 0, since: Instant::now(), steps: progress.steps.load(Ordering::Relaxed), others: progress.polls() }
    }

    /// Waits a little; whether no worker has made progress for the timeout.
    pub fn is_timeout(&mut self, progress: &Progress, worker: usize, timeout: Duration) -> bool {
        progress.polls[worker].fetch_add(1, Ordering::Relaxed);
        self.polls += 1;
        if self.polls < POLLS_BEFORE_SLEEP {
            thread::yield_now();
            return false;
        }
        thread::sleep(SLEEP);
        if progress.steps.load(Ordering::Relaxed) != self.steps {
            *self = Self { polls: self.polls, ..Self::new(progress) };
        }
        // A worker that does not poll runs a thread.
        let all_poll = progress.polls().iter().zip(&self.others).all(|(now, before)| *now > before.saturating_add(1) || *now == u64::MAX);
        all_poll && self.since.elapsed() > timeout
    }
}
