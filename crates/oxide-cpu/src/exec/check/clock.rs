//! Vector clocks, which decide whether one access happens before another.
//!
//! A thread begins a new epoch with each release. An epoch of another thread in a thread's clock means that all accesses of that thread up to
//! the epoch happen before what the thread does next. A clock is shared by all threads of the synchronization that made it.

use std::sync::Arc;

use crate::exec::launch::ThreadId;

/// The latest epoch of each thread that happens before, 0 for none: for the blocks that have any, in order.
#[derive(Clone, Debug, Default)]
pub struct Clock(Vec<(u32, Arc<Vec<u32>>)>);

impl Clock {
    pub fn block(&self, block: u32) -> Option<&[u32]> {
        let at = self.0.binary_search_by_key(&block, |(block, _)| *block).ok()?;
        Some(&self.0[at].1)
    }

    /// The latest epoch of a thread that happens before, 0 for none.
    pub fn epoch(&self, thread: ThreadId) -> u32 {
        self.block(thread.block).map_or(0, |epochs| epochs[thread.thread as usize])
    }

    fn epochs(&mut self, block: u32, threads: usize) -> &mut Vec<u32> {
        let at = match self.0.binary_search_by_key(&block, |(block, _)| *block) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (block, Arc::new(vec![0; threads])));
                at
            }
        };
        Arc::make_mut(&mut self.0[at].1)
    }
}

/// The least clock that includes both.
pub fn join(one: &Arc<Clock>, two: &Arc<Clock>) -> Arc<Clock> {
    if Arc::ptr_eq(one, two) || two.0.is_empty() {
        return one.clone();
    }
    if one.0.is_empty() {
        return two.clone();
    }
    let mut joined = Clock(one.0.clone());
    for (block, epochs) in &two.0 {
        match joined.0.binary_search_by_key(block, |(block, _)| *block) {
            Err(at) => joined.0.insert(at, (*block, epochs.clone())),
            Ok(at) if Arc::ptr_eq(&joined.0[at].1, epochs) => {}
            Ok(at) => {
                let own = Arc::make_mut(&mut joined.0[at].1);
                own.iter_mut().zip(epochs.iter()).for_each(|(own, epoch)| *own = (*own).max(*epoch));
            }
        }
    }
    Arc::new(joined)
}

/// The clock of one thread.
#[derive(Clone)]
pub struct ThreadClock {
    pub clock: Arc<Clock>,
    /// The epoch that the thread is in.
    pub epoch: u32,
    /// What its last releasing fence releases through the writes after it.
    pub released: Option<Arc<Clock>>,
    /// What its reads have seen, for its next acquiring fence to acquire.
    pub seen: Option<Arc<Clock>>,
}

impl Default for ThreadClock {
    fn default() -> Self {
        Self { clock: Arc::default(), epoch: 1, released: None, seen: None }
    }
}

impl ThreadClock {
    /// The clock that others acquire from a release of the thread now, which ends an epoch.
    pub fn release(&mut self, thread: ThreadId, threads: usize) -> Arc<Clock> {
        let mut clock = Clock(self.clock.0.clone());
        clock.epochs(thread.block, threads)[thread.thread as usize] = self.epoch;
        self.epoch += 1;
        Arc::new(clock)
    }

    pub fn acquire(&mut self, clock: &Arc<Clock>) {
        self.clock = join(&self.clock, clock);
    }
}

/// The join of the clocks that several threads release at one barrier.
#[derive(Default)]
pub struct ClockJoin {
    clocks: Vec<Arc<Clock>>,
    epochs: Vec<(ThreadId, u32)>,
}

impl ClockJoin {
    /// Adds a thread, which ends an epoch.
    pub fn add(&mut self, thread: ThreadId, thread_clock: &mut ThreadClock) {
        if !self.clocks.iter().any(|clock| Arc::ptr_eq(clock, &thread_clock.clock)) {
            self.clocks.push(thread_clock.clock.clone());
        }
        self.epochs.push((thread, thread_clock.epoch));
        thread_clock.epoch += 1;
    }

    /// Adds what a thread has released before.
    pub fn add_released(&mut self, clock: &Arc<Clock>) {
        self.clocks.push(clock.clone());
    }

    /// The clock that each of the threads acquires.
    pub fn finish(&self, threads: usize) -> Arc<Clock> {
        let joined = self.clocks.iter().fold(Arc::<Clock>::default(), |joined, clock| join(&joined, clock));
        let mut clock = Arc::unwrap_or_clone(joined);
        for &(thread, epoch) in &self.epochs {
            let known = &mut clock.epochs(thread.block, threads)[thread.thread as usize];
            *known = epoch.max(*known);
        }
        Arc::new(clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_includes_all_threads() {
        let (one, two) = (ThreadId { block: 0, thread: 0 }, ThreadId { block: 7, thread: 1 });
        let (mut clock_one, mut clock_two) = (ThreadClock::default(), ThreadClock::default());
        let mut join = ClockJoin::default();
        join.add(one, &mut clock_one);
        join.add(two, &mut clock_two);
        let clock = join.finish(2);
        assert_eq!((clock.epoch(one), clock.epoch(two), clock_one.epoch), (1, 1, 2));
        assert_eq!(clock.epoch(ThreadId { block: 0, thread: 1 }), 0);
    }

    #[test]
    fn an_acquire_includes_the_release() {
        let (one, two) = (ThreadId { block: 0, thread: 0 }, ThreadId { block: 0, thread: 1 });
        let (mut writer, mut reader) = (ThreadClock::default(), ThreadClock::default());
        let released = writer.release(one, 2);
        reader.acquire(&released);
        assert_eq!((reader.clock.epoch(one), reader.clock.epoch(two), writer.clock.epoch(one)), (1, 0, 0));
        let further = reader.release(two, 2);
        assert_eq!((further.epoch(one), further.epoch(two)), (1, 1));
    }
}
