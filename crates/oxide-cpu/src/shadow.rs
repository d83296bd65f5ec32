//! What is remembered of accesses to eight bytes of memory, to find those that nothing orders.

use std::collections::HashMap;

use crate::clocks::{Clock, Who};

/// Bytes that are remembered together; a mask has a bit for each.
pub const BYTES: usize = 8;

/// How many accesses of one kind are remembered one by one.
const FEW: usize = 8;

/// How many stores that nothing orders are remembered.
const MOST_WRITES: usize = 32;

/// One access to some of the eight bytes.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub who: Who,
    /// The step that the thread was in.
    pub step: u32,
    /// Where the access stands in the program.
    pub spot: u32,
    pub mask: u8,
    pub how: How,
    /// What a store left there.
    pub value: u64,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct How {
    pub writes: bool,
    pub atomic: bool,
    /// Whether it is atomic for threads of its block only.
    pub in_block: bool,
    /// Whether it is made some time later, and comes before nothing until that is waited for.
    pub later: bool,
}

impl Record {
    fn is_before(&self, who: Who, clock: &Clock) -> bool {
        !self.how.later && (self.who == who || clock.step(self.who) >= self.step)
    }
}

/// The latest access of each thread.
type Steps = HashMap<u32, (u32, Vec<u32>)>;

/// Accesses of one kind, of which there may be one for each thread.
#[derive(Default)]
struct Accesses {
    few: Vec<Record>,
    /// Where there are many, by mask and kind: for each block where, and the step of each thread.
    many: Option<HashMap<(u8, How), Steps>>,
}

impl Accesses {
    fn insert(&mut self, record: Record, threads: usize) {
        if let Some(known) =
            self.few.iter_mut().find(|known| known.who == record.who && known.mask == record.mask && known.how == record.how)
        {
            *known = record;
            return;
        }
        if self.many.is_none() && self.few.len() < FEW {
            self.few.push(record);
            return;
        }
        let many = self.many.get_or_insert_default();
        for record in self.few.drain(..).chain([record]) {
            let steps = many.entry((record.mask, record.how)).or_default();
            let (spot, steps) = steps.entry(record.who.block).or_insert_with(|| (record.spot, vec![0; threads]));
            *spot = record.spot;
            steps[record.who.thread as usize] = record.step;
        }
    }

    /// An access that does not come before what `who` does now, of those that are `wanted`.
    fn unordered(&self, who: Who, clock: &Clock, mask: u8, wanted: impl Fn(&Record) -> bool) -> Option<Record> {
        let is_wanted = |record: &Record| record.mask & mask != 0 && wanted(record) && !record.is_before(who, clock);
        if let Some(found) = self.few.iter().find(|record| is_wanted(record)) {
            return Some(*found);
        }
        for (&(its_mask, how), blocks) in self.many.iter().flat_map(|many| many.iter()) {
            if its_mask & mask == 0 {
                continue;
            }
            for (&block, (spot, steps)) in blocks {
                let one = Record { who: Who { block, thread: 0 }, step: 0, spot: *spot, mask: its_mask, how, value: 0 };
                if !wanted(&one) {
                    continue;
                }
                let known = clock.block(block);
                let mut threads = steps.iter().enumerate().filter(|(_, step)| **step > 0);
                let found = threads.find(|&(thread, step)| {
                    (Who { block, thread: thread as u32 }) != who && known.is_none_or(|known| known[thread] < *step)
                });
                if let Some((thread, &step)) = found {
                    return Some(Record { who: Who { block, thread: thread as u32 }, step, ..one });
                }
            }
        }
        None
    }

    /// Forgets what comes before a store to these bytes.
    fn forget(&mut self, who: Who, clock: &Clock, mask: u8) {
        self.few.retain(|record| record.mask & !mask != 0 || !record.is_before(who, clock));
        if self.many.is_some() && self.unordered(who, clock, u8::MAX, |_| true).is_none() && mask == u8::MAX {
            self.many = None;
        }
    }
}

/// What is remembered of eight bytes.
#[derive(Default)]
pub struct Granule {
    writes: Vec<Record>,
    reads: Accesses,
    atomics: Accesses,
}

impl Granule {
    /// Remembers an access, and gives to `conflict` those before it that nothing orders with it.
    pub fn access(&mut self, record: Record, clock: &Clock, threads: usize, mut conflict: impl FnMut(Record)) {
        let Record { who, mask, how, .. } = record;
        let writes = self.writes.iter().filter(|other| other.mask & mask != 0 && !other.is_before(who, clock));
        writes.for_each(|other| conflict(*other));
        // Atomic accesses are apart from each other where both are for all of their threads.
        let apart = |other: &Record| {
            if how.atomic { (how.in_block || other.how.in_block) && other.who.block != who.block } else { true }
        };
        let wanted = |other: &Record| (how.writes || other.how.writes) && apart(other);
        self.atomics.unordered(who, clock, mask, wanted).into_iter().for_each(&mut conflict);
        if how.writes {
            self.reads.unordered(who, clock, mask, |_| true).into_iter().for_each(conflict);
        }
        // What conflicts with what came before an atomic access need not conflict with that.
        if how.writes && !how.atomic {
            self.writes.retain(|other| other.mask & !mask != 0 || !other.is_before(who, clock));
            self.reads.forget(who, clock, mask);
            self.atomics.forget(who, clock, mask);
        }
        match how {
            How { atomic: true, .. } => self.atomics.insert(record, threads),
            How { writes: true, .. } => {
                if self.writes.len() == MOST_WRITES {
                    self.writes.remove(0);
                }
                self.writes.push(record);
            }
            _ => self.reads.insert(record, threads),
        }
    }

    /// A thread has waited for what it copies here.
    pub fn finish_copy(&mut self, who: Who, step: u32) {
        for record in self.writes.iter_mut().filter(|record| record.who == who && record.how.later) {
            (record.step, record.how.later) = (step, false);
        }
    }

    /// Says what the last store of a thread left.
    pub fn set_value(&mut self, who: Who, value: u64) {
        if let Some(record) = self.writes.iter_mut().rev().find(|record| record.who == who) {
            record.value = value;
        }
    }

    /// An access of another block that does not come before `clock`.
    pub fn of_others(&self, block: u32, clock: &Clock) -> Option<Record> {
        let nobody = Who { block, thread: u32::MAX };
        let other = |record: &Record| record.who.block != block;
        let writes = self.writes.iter().copied().find(|record| other(record) && !record.is_before(nobody, clock));
        let find = |accesses: &Accesses| accesses.unordered(nobody, clock, u8::MAX, other);
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
    use crate::clocks::Knowledge;

    const READS: How = How { writes: false, atomic: false, in_block: false, later: false };
    const WRITES: How = How { writes: true, ..READS };
    const UPDATES: How = How { atomic: true, ..WRITES };

    fn conflicts(granule: &mut Granule, thread: u32, mask: u8, how: How, clock: &Clock) -> usize {
        let record = Record { who: Who { block: 0, thread }, step: 1, spot: 0, mask, how, value: 0 };
        let mut count = 0;
        granule.access(record, clock, 64, |_| count += 1);
        count
    }

    #[test]
    fn accesses_conflict_where_one_writes_and_nothing_orders_them() {
        let (mut granule, nothing) = (Granule::default(), Clock::default());
        assert_eq!(conflicts(&mut granule, 0, 0x0f, WRITES, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 1, 0xf0, WRITES, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 0, 0x0f, READS, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 2, 0x03, READS, &nothing), 1);
        let mut writer = Knowledge::default();
        let clock = writer.release(Who { block: 0, thread: 0 }, 64);
        assert_eq!(conflicts(&mut granule, 3, 0x0f, READS, &clock), 0);
    }

    #[test]
    fn many_readers_are_remembered() {
        let (mut granule, nothing) = (Granule::default(), Clock::default());
        for thread in 0..40 {
            assert_eq!(conflicts(&mut granule, thread, 0xff, READS, &nothing), 0);
        }
        assert_eq!(conflicts(&mut granule, 39, 0xff, WRITES, &nothing), 1);
    }

    #[test]
    fn an_atomic_access_hides_no_store_before_it() {
        let (mut granule, nothing) = (Granule::default(), Clock::default());
        assert_eq!(conflicts(&mut granule, 0, 0xff, WRITES, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 0, 0xff, UPDATES, &nothing), 0);
        assert_eq!(conflicts(&mut granule, 1, 0xff, UPDATES, &nothing), 1);
    }

    #[test]
    fn atomic_accesses_conflict_with_others_only() {
        let (mut granule, nothing) = (Granule::default(), Clock::default());
        for thread in 0..40 {
            assert_eq!(conflicts(&mut granule, thread, 0x0f, UPDATES, &nothing), 0);
        }
        assert_eq!(conflicts(&mut granule, 50, 0x0f, READS, &nothing), 1);
        assert_eq!(conflicts(&mut granule, 51, 0x0f, WRITES, &nothing), 2);
    }
}
