//! The shadow of eight bytes of memory: the accesses to them that later ones may be in a race with.

use std::collections::HashMap;

use super::{access::AccessKind, clock::Clock};
use crate::exec::launch::ThreadId;

/// Bytes that share a shadow; a mask has a bit for each.
pub const BYTES: usize = 8;

/// Accesses of one kind that are recorded one by one.
const MAX_RECORDS: usize = 8;

/// Unordered writes that are recorded.
const MAX_WRITES: usize = 32;

/// One access to some of the eight bytes.
#[derive(Clone, Copy, Debug)]
pub struct AccessRecord {
    pub thread: ThreadId,
    /// The epoch that the thread was in.
    pub epoch: u32,
    /// The call site of the access.
    pub site: u32,
    pub mask: u8,
    pub kind: AccessKind,
    /// The eight bytes after a write.
    pub value: u64,
}

impl AccessRecord {
    fn happens_before(&self, thread: ThreadId, clock: &Clock) -> bool {
        !self.kind.asynchronous && (self.thread == thread || clock.epoch(self.thread) >= self.epoch)
    }
}

/// The latest access of each thread.
type Epochs = HashMap<u32, (u32, Vec<u32>)>;

/// Accesses of one kind, of which there may be one for each thread.
#[derive(Default)]
struct Accesses {
    few: Vec<AccessRecord>,
    /// Where there are many, by mask and kind: for each block the call site, and the epoch of each thread.
    many: Option<HashMap<(u8, AccessKind), Epochs>>,
}

impl Accesses {
    fn insert(&mut self, record: AccessRecord, threads: usize) {
        if let Some(known) =
            self.few.iter_mut().find(|known| known.thread == record.thread && known.mask == record.mask && known.kind == record.kind)
        {
            *known = record;
            return;
        }
        if self.many.is_none() && self.few.len() < MAX_RECORDS {
            self.few.push(record);
            return;
        }
        let many = self.many.get_or_insert_default();
        for record in self.few.drain(..).chain([record]) {
            let epochs = many.entry((record.mask, record.kind)).or_default();
            let (site, epochs) = epochs.entry(record.thread.block).or_insert_with(|| (record.site, vec![0; threads]));
            *site = record.site;
            epochs[record.thread.thread as usize] = record.epoch;
        }
    }

    /// An access that does not happen before what `thread` does now, of those that are `wanted`.
    fn unordered(&self, thread: ThreadId, clock: &Clock, mask: u8, wanted: impl Fn(&AccessRecord) -> bool) -> Option<AccessRecord> {
        let is_wanted = |record: &AccessRecord| record.mask & mask != 0 && wanted(record) && !record.happens_before(thread, clock);
        if let Some(found) = self.few.iter().find(|record| is_wanted(record)) {
            return Some(*found);
        }
        for (&(its_mask, kind), blocks) in self.many.iter().flat_map(|many| many.iter()) {
            if its_mask & mask == 0 {
                continue;
            }
            for (&block, (site, epochs)) in blocks {
                let one = AccessRecord { thread: ThreadId { block, thread: 0 }, epoch: 0, site: *site, mask: its_mask, kind, value: 0 };
                if !wanted(&one) {
                    continue;
                }
                let known = clock.block(block);
                let mut threads = epochs.iter().enumerate().filter(|(_, epoch)| **epoch > 0);
                let found = threads.find(|&(number, epoch)| {
                    (ThreadId { block, thread: number as u32 }) != thread && known.is_none_or(|known| known[number] < *epoch)
                });
                if let Some((number, &epoch)) = found {
                    return Some(AccessRecord { thread: ThreadId { block, thread: number as u32 }, epoch, ..one });
                }
            }
        }
        None
    }

    /// Drops the records that happen before a write of these bytes.
    fn forget(&mut self, thread: ThreadId, clock: &Clock, mask: u8) {
        self.few.retain(|record| record.mask & !mask != 0 || !record.happens_before(thread, clock));
        if self.many.is_some() && self.unordered(thread, clock, u8::MAX, |_| true).is_none() && mask == u8::MAX {
            self.many = None;
        }
    }
}

/// The shadow of eight bytes.
#[derive(Default)]
pub struct Granule {
    writes: Vec<AccessRecord>,
    reads: Accesses,
    atomics: Accesses,
}

impl Granule {
    /// Records an access, and passes to `conflict` the earlier ones that it is in a race with.
    pub fn access(&mut self, record: AccessRecord, clock: &Clock, threads: usize, mut conflict: impl FnMut(AccessRecord)) {
        let AccessRecord { thread, mask, kind, .. } = record;
        let writes = self.writes.iter().filter(|other| other.mask & mask != 0 && !other.happens_before(thread, clock));
        writes.for_each(|other| conflict(*other));
        // Atomic accesses conflict with each other where the scope of one does not include the other's thread.
        let conflicts = |other: &AccessRecord| {
            if kind.atomic { (kind.block_scope || other.kind.block_scope) && other.thread.block != thread.block } else { true }
        };
        let wanted = |other: &AccessRecord| (kind.writes || other.kind.writes) && conflicts(other);
        self.atomics.unordered(thread, clock, mask, wanted).into_iter().for_each(&mut conflict);
        if kind.writes {
            self.reads.unordered(thread, clock, mask, |_| true).into_iter().for_each(conflict);
        }
        // A later access may conflict with one before an atomic access without conflicting with the latter.
        if kind.writes && !kind.atomic {
            self.writes.retain(|other| other.mask & !mask != 0 || !other.happens_before(thread, clock));
            self.reads.forget(thread, clock, mask);
            self.atomics.forget(thread, clock, mask);
        }
        match kind {
            AccessKind { atomic: true, .. } => self.atomics.insert(record, threads),
            AccessKind { writes: true, .. } => {
                if self.writes.len() == MAX_WRITES {
                    self.writes.remove(0);
                }
                self.writes.push(record);
            }
            _ => self.reads.insert(record, threads),
        }
    }

    /// A thread has waited for its asynchronous copies to here.
    pub fn finish_copy(&mut self, thread: ThreadId, epoch: u32) {
        for record in self.writes.iter_mut().filter(|record| record.thread == thread && record.kind.asynchronous) {
            (record.epoch, record.kind.asynchronous) = (epoch, false);
        }
    }

    /// Sets the value of the last write of a thread.
    pub fn set_value(&mut self, thread: ThreadId, value: u64) {
        if let Some(record) = self.writes.iter_mut().rev().find(|record| record.thread == thread) {
            record.value = value;
        }
    }

    /// An access of another block that does not happen before `clock`.
    pub fn of_other_block(&self, block: u32, clock: &Clock) -> Option<AccessRecord> {
        let any = ThreadId { block, thread: u32::MAX };
        let other = |record: &AccessRecord| record.thread.block != block;
        let writes = self.writes.iter().copied().find(|record| other(record) && !record.happens_before(any, clock));
        let find = |accesses: &Accesses| accesses.unordered(any, clock, u8::MAX, other);
        writes.or_else(|| find(&self.reads)).or_else(|| find(&self.atomics))
    }
}

/// A bit for each byte becomes a byte of ones.
pub fn spread(mask: u8) -> u64 {
    (0..BYTES).filter(|byte| mask >> byte & 1 == 1).map(|byte| 0xff << (8 * byte)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::check::clock::ThreadClock;

    const READS: AccessKind = AccessKind { writes: false, atomic: false, block_scope: false, asynchronous: false };
    const WRITES: AccessKind = AccessKind { writes: true, ..READS };
    const UPDATES: AccessKind = AccessKind { atomic: true, ..WRITES };

    fn conflicts(granule: &mut Granule, thread: u32, mask: u8, kind: AccessKind, clock: &Clock) -> usize {
        let record = AccessRecord { thread: ThreadId { block: 0, thread }, epoch: 1, site: 0, mask, kind, value: 0 };
        let mut count = 0;
        granule.access(record, clock, 64, |_| count += 1);
        count
    }

    #[test]
    fn unordered_accesses_conflict_where_one_writes() {
        let (mut granule, nothing) = (Granule::default(), Clock::default());
        assert_eq!(conflicts(&mut granule, 0, 0x0f, WRITES, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 1, 0xf0, WRITES, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 0, 0x0f, READS, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 2, 0x03, READS, &nothing), 1);
        let mut writer = ThreadClock::default();
        let clock = writer.release(ThreadId { block: 0, thread: 0 }, 64);
        assert_eq!(conflicts(&mut granule, 3, 0x0f, READS, &clock), 0);
    }

    #[test]
    fn many_readers_are_recorded() {
        let (mut granule, nothing) = (Granule::default(), Clock::default());
        for thread in 0..40 {
            assert_eq!(conflicts(&mut granule, thread, 0xff, READS, &nothing), 0);
        }
        assert_eq!(conflicts(&mut granule, 39, 0xff, WRITES, &nothing), 1);
    }

    #[test]
    fn an_atomic_access_hides_no_write_before_it() {
        let (mut granule, nothing) = (Granule::default(), Clock::default());
        assert_eq!(conflicts(&mut granule, 0, 0xff, WRITES, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 0, 0xff, UPDATES, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 1, 0xff, UPDATES, &nothing), 1);
    }

    #[test]
    fn atomic_accesses_conflict_only_with_others() {
        let (mut granule, nothing) = (Granule::default(), Clock::default());
        for thread in 0..40 {
            assert_eq!(conflicts(&mut granule, thread, 0x0f, UPDATES, &nothing), 0);
        }
        assert_eq!(conflicts(&mut granule, 50, 0x0f, READS, &nothing), 1);
        assert_eq!(conflicts(&mut granule, 51, 0x0f, WRITES, &nothing), 2);
    }
}
