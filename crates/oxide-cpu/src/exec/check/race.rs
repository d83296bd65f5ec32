//! Checks that conflicting accesses are ordered (`--check race`).
//!
//! Two accesses to one byte, at least one of them a write, are in a race where no synchronization of the PTX ISA orders them (PTX ISA,
//! "Memory Consistency Model"), whichever was executed first: barriers of block, cluster and grid, a warp's over its mask, mbarriers, and
//! atomic accesses with acquire and release or with fences.

use std::{collections::HashMap, ptr, sync::Arc};

use super::{
    access::{Access, AccessFlags, AccessKind, Ordering},
    address::{Location, Region},
    checker::{Checker, Context},
    clock::{Clock, ClockJoin, ThreadClock, join},
    findings::Key,
    shadow::{AccessRecord, BYTES, Granule, spread},
};
use crate::exec::{call_sites::FastMap, failure::Failure, launch::ThreadId, shared_memory::Arena};

/// The clocks of an mbarrier: those that threads release in the current phase, and the one that waits for the last complete phase acquire.
#[derive(Default)]
struct Phases {
    current: ClockJoin,
    complete: Option<Arc<Clock>>,
}

/// Address and bytes.
type Copied = (usize, usize);

/// The asynchronous copies of a thread that it has not waited for: those of no group yet, and the groups.
#[derive(Default)]
struct Copies {
    uncommitted: Vec<Copied>,
    groups: Vec<Vec<Copied>>,
}

/// A write that the image makes after it was checked, whose value is compared then.
struct PendingWrite {
    thread: ThreadId,
    location: Location,
    bytes: usize,
    site: u32,
    /// Unordered writes to the same bytes, each with the number of its granule.
    others: Vec<(usize, AccessRecord)>,
}

pub struct Race {
    /// Threads of a block.
    threads: usize,
    /// The clocks of the threads of each block that runs.
    clocks: FastMap<u32, Vec<ThreadClock>>,
    granules: FastMap<usize, Granule>,
    /// What a thread acquires that reads the latest write to an address.
    released: FastMap<usize, Arc<Clock>>,
    mbarriers: HashMap<usize, Phases>,
    /// By block, and number of the barrier.
    barriers: HashMap<(u32, u32), ClockJoin>,
    /// By cluster, and phase of its barrier.
    clusters: HashMap<([u32; 3], u64), ClockJoin>,
    copies: HashMap<ThreadId, Copies>,
    pending: Option<PendingWrite>,
}

/// The granules of some bytes, each with a bit for each byte of theirs.
fn granules(address: usize, bytes: usize) -> impl Iterator<Item = (usize, u8)> {
    (address / BYTES..(address + bytes).div_ceil(BYTES)).map(move |number| {
        let first = address.max(number * BYTES) - number * BYTES;
        let last = (address + bytes).min((number + 1) * BYTES) - number * BYTES;
        (number, ((1u16 << last) - (1u16 << first)) as u8)
    })
}

/// The clock of a thread, while its block runs. A function of the field, so that others can be used beside it.
fn clock_of(clocks: &mut FastMap<u32, Vec<ThreadClock>>, thread: ThreadId) -> Option<&mut ThreadClock> {
    clocks.get_mut(&thread.block)?.get_mut(thread.thread as usize)
}

impl Race {
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            clocks: FastMap::default(),
            granules: FastMap::default(),
            released: FastMap::default(),
            mbarriers: HashMap::new(),
            barriers: HashMap::new(),
            clusters: HashMap::new(),
            copies: HashMap::new(),
            pending: None,
        }
    }

    fn clock(&mut self, thread: ThreadId) -> Option<&mut ThreadClock> {
        clock_of(&mut self.clocks, thread)
    }

    fn acquire(&mut self, thread: ThreadId, clock: &Arc<Clock>) {
        if let Some(own) = self.clock(thread) {
            own.acquire(clock);
        }
    }

    // Synchronization.

    /// These threads have synchronized with each other.
    pub fn synchronize(&mut self, threads: impl Iterator<Item = ThreadId> + Clone) {
        let mut all = ClockJoin::default();
        for thread in threads.clone() {
            if let Some(clock) = self.clock(thread) {
                all.add(thread, clock);
            }
        }
        let joined = all.finish(self.threads);
        for thread in threads {
            if let Some(own) = self.clock(thread) {
                own.clock = joined.clone();
            }
        }
    }

    pub fn arrive_at_barrier(&mut self, thread: ThreadId, number: u32) {
        let Some(clock) = clock_of(&mut self.clocks, thread) else { return };
        self.barriers.entry((thread.block, number)).or_default().add(thread, clock);
    }

    pub fn complete_barrier(&mut self, block: u32, number: u32, waiting: impl Iterator<Item = u32>) {
        let Some(arrived) = self.barriers.remove(&(block, number)) else { return };
        let clock = arrived.finish(self.threads);
        waiting.for_each(|thread| self.acquire(ThreadId { block, thread }, &clock));
    }

    pub fn arrive_at_cluster(&mut self, thread: ThreadId, cluster: [u32; 3], phase: u64, releases: bool) {
        let Some(clock) = clock_of(&mut self.clocks, thread) else { return };
        let arrived = self.clusters.entry((cluster, phase)).or_default();
        match &clock.released {
            _ if releases => arrived.add(thread, clock),
            Some(released) => arrived.add_released(released),
            None => {}
        }
    }

    pub fn wait_at_cluster(&mut self, threads: &[ThreadId], cluster: [u32; 3], phase: u64) {
        let Some(clock) = self.clusters.get(&(cluster, phase)).map(|arrived| arrived.finish(self.threads)) else { return };
        threads.iter().for_each(|thread| self.acquire(*thread, &clock));
        self.clusters.retain(|(other, before), _| *other != cluster || *before + 1 >= phase);
    }

    pub fn init_mbarrier(&mut self, address: usize) {
        self.mbarriers.insert(address, Phases::default());
    }

    pub fn arrive_at_mbarrier(&mut self, thread: ThreadId, address: usize, completes: bool) {
        let Some(clock) = clock_of(&mut self.clocks, thread) else { return };
        let phases = self.mbarriers.entry(address).or_default();
        phases.current.add(thread, clock);
        if completes {
            phases.complete = Some(std::mem::take(&mut phases.current).finish(self.threads));
        }
    }

    /// A thread has seen that a phase is complete.
    pub fn wait_at_mbarrier(&mut self, thread: ThreadId, address: usize) {
        if let Some(clock) = self.mbarriers.get(&address).and_then(|phases| phases.complete.clone()) {
            self.acquire(thread, &clock);
        }
    }

    pub fn fence(&mut self, thread: ThreadId, ordering: Ordering) {
        let threads = self.threads;
        let Some(clock) = self.clock(thread) else { return };
        if ordering.acquires()
            && let Some(seen) = clock.seen.take()
        {
            clock.acquire(&seen);
        }
        if ordering.releases() {
            clock.released = Some(clock.release(thread, threads));
        }
    }

    /// Begins an asynchronous copy.
    pub fn begin_copy(&mut self, thread: ThreadId, address: usize, bytes: usize) {
        self.copies.entry(thread).or_default().uncommitted.push((address, bytes));
    }

    /// Makes the copies that the thread has begun since the last group a group.
    pub fn commit_copies(&mut self, thread: ThreadId) {
        let Copies { uncommitted, groups } = self.copies.entry(thread).or_default();
        groups.push(std::mem::take(uncommitted));
    }

    /// The thread waits for its copies except those of the last groups.
    pub fn wait_for_copies(&mut self, context: &mut Context<'_>, thread: ThreadId, last: usize) {
        self.compare_values(context);
        let Some(epoch) = self.clock(thread).map(|clock| clock.epoch) else { return };
        let Some(Copies { groups, .. }) = self.copies.get_mut(&thread) else { return };
        let done = groups.len().saturating_sub(last);
        for (address, bytes) in groups.drain(..done).flatten() {
            for (number, _) in granules(address, bytes) {
                if let Some(granule) = self.granules.get_mut(&number) {
                    granule.finish_copy(thread, epoch);
                }
            }
        }
    }

    /// The acquire and release of an atomic access.
    fn order(&mut self, thread: ThreadId, address: usize, flags: AccessFlags) {
        let threads = self.threads;
        let Some(clock) = clock_of(&mut self.clocks, thread) else { return };
        let before = self.released.get(&address).cloned();
        if flags.reads()
            && let Some(before) = &before
        {
            if flags.ordering().acquires() {
                clock.acquire(before);
            } else {
                let empty = Arc::default();
                clock.seen = Some(join(clock.seen.as_ref().unwrap_or(&empty), before));
            }
        }
        if !flags.writes() {
            return;
        }
        let released = if flags.ordering().releases() { Some(clock.release(thread, threads)) } else { clock.released.clone() };
        // An update continues the release sequence of the writes before it.
        let continued = before.filter(|_| flags.updates());
        let clock = match (released, continued) {
            (Some(released), Some(continued)) => Some(join(&released, &continued)),
            (released, continued) => released.or(continued),
        };
        match clock {
            Some(clock) => self.released.insert(address, clock),
            None => self.released.remove(&address),
        };
    }

    // Races.

    /// Compares the value of the last write with those of the writes it is unordered with: a race where they differ, else a note.
    pub fn compare_values(&mut self, context: &mut Context<'_>) {
        let Some(PendingWrite { thread, location, bytes, site, others }) = self.pending.take() else { return };
        let address = location.address;
        for (number, mask) in granules(address, bytes) {
            let mut value = [0; BYTES];
            for (byte, value) in value.iter_mut().enumerate() {
                if mask >> byte & 1 == 1 {
                    // SAFETY: the thread has written there.
                    *value = unsafe { ptr::with_exposed_provenance::<u8>(number * BYTES + byte).read_volatile() };
                }
            }
            let value = u64::from_le_bytes(value);
            if let Some(granule) = self.granules.get_mut(&number) {
                granule.set_value(thread, value);
            }
            for (_, other) in others.iter().filter(|(its, _)| *its == number) {
                let is_equal = (value ^ other.value) & spread(mask & other.mask) == 0;
                let (first, second) = (site.min(other.site), site.max(other.site));
                if !context.findings.is_new(if is_equal { Key::EqualWrites(first, second) } else { Key::Race(first, second) }) {
                    continue;
                }
                let launch = context.launch;
                let (prefix, other_thread) = (context.thread_prefix(thread), launch.thread_name(other.thread));
                let (site, other_site) = (launch.site(site), launch.site(other.site));
                let name = context.addresses.name(location.offset((number * BYTES).saturating_sub(address)));
                if is_equal {
                    context.findings.add_note(|| format!("{prefix} and {other_thread} write the same value to {name}, in {site}"));
                } else {
                    context.findings.add(format!(
                        "race: {prefix} writes {bytes} bytes at {name}, in {site}\n  {other_thread} writes another value to the same bytes in \
                         {other_site}, and no synchronization orders the two"
                    ));
                }
            }
        }
    }

    fn report(context: &mut Context<'_>, access: &Access<'_>, site: u32, location: Location, other: AccessRecord) {
        if !context.findings.is_new(Key::Race(site.min(other.site), site.max(other.site))) {
            return;
        }
        let (launch, bytes) = (context.launch, access.bytes);
        let (prefix, name) = (context.thread_prefix(access.thread), context.addresses.name(location));
        let (verb, other_verb) = (access.flags.kind().verb(access.flags.updates()), other.kind.verb(false));
        let (site, other_site) = (launch.site(site), launch.site(other.site));
        context.findings.add(format!(
            "race: {prefix} {verb} {bytes} bytes at {name}, in {site}\n  {} {other_verb} the same bytes in {other_site}, and no synchronization \
             orders the two",
            launch.thread_name(other.thread)
        ));
    }
}

impl Checker for Race {
    fn begin_block(&mut self, block: u32, _arena: &Arena, _slot: usize) {
        self.clocks.insert(block, vec![ThreadClock::default(); self.threads]);
    }

    /// Reports an access of another block to the block's shared memory that the block does not wait for.
    fn end_block(&mut self, context: &mut Context<'_>, block: u32, arena: &Arena, slot: usize) {
        self.compare_values(context);
        let mut clocks = self.clocks.remove(&block).unwrap_or_default();
        let (start, bytes) = (arena.base(slot), arena.bytes());
        if bytes == 0 {
            return;
        }
        let mut all = ClockJoin::default();
        for (thread, clock) in clocks.iter_mut().enumerate() {
            all.add(ThreadId { block, thread: thread as u32 }, clock);
        }
        let clock = all.finish(self.threads);
        for (number, _) in granules(start, bytes) {
            let Some(granule) = self.granules.remove(&number) else { continue };
            let Some(AccessRecord { thread, site, kind, .. }) = granule.of_other_block(block, &clock) else { continue };
            if !context.findings.is_new(Key::Exited(site)) {
                continue;
            }
            let offset = (number * BYTES) as isize - start as isize;
            let location = Location { address: number * BYTES, region: Region::Shared { slot, offset }, own_slot: slot };
            let (launch, name) = (context.launch, context.addresses.name(location));
            context.findings.add(format!(
                "kernel `{}`: block {} may exit, which ends its shared memory, before {} {} {name}, in {}",
                launch.kernel_name(),
                launch.block_name(block),
                launch.thread_name(thread),
                AccessKind { atomic: false, asynchronous: false, ..kind }.verb(false),
                launch.site(site)
            ));
        }
        self.released.retain(|address, _| !(start..start + bytes).contains(address));
        self.mbarriers.retain(|address, _| !(start..start + bytes).contains(address));
    }

    fn access(&mut self, context: &mut Context<'_>, access: &Access<'_>, location: Location) -> Result<(), Failure> {
        let site = context.site(access);
        let &Access { thread, address, bytes, flags, .. } = access;
        let Some((clock, epoch)) = self.clock(thread).map(|own| (own.clock.clone(), own.epoch)) else { return Ok(()) };
        let kind = flags.kind();
        let (mut conflict, mut others) = (None, Vec::new());
        for (number, mask) in granules(address, bytes) {
            let record = AccessRecord { thread, epoch, site, mask, kind, value: 0 };
            self.granules.entry(number).or_default().access(record, &clock, self.threads, |other| {
                if kind.writes && other.kind.writes && !kind.atomic && !other.kind.atomic {
                    others.push((number, other));
                } else {
                    conflict.get_or_insert((number, other));
                }
            });
        }
        if let Some((number, other)) = conflict {
            Self::report(context, access, site, location.offset((number * BYTES).saturating_sub(address)), other);
        }
        if kind.atomic {
            self.order(thread, address, flags);
        } else if kind.writes {
            // Earlier releases to this address do not cover this write.
            self.released.remove(&address);
            self.pending = Some(PendingWrite { thread, location, bytes, site, others });
        }
        Ok(())
    }

    fn end_launch(&mut self, context: &mut Context<'_>, completed: bool) {
        if completed {
            self.compare_values(context);
        }
    }
}
