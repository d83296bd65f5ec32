//! Checks the accesses of images that ask for it (`--check`): where they go, whether anyone wrote what they read, and what orders them.
//!
//! All runs on one thread of the system, so that there is one order of everything. Two accesses race where none of what the PTX ISA says
//! to order threads lies between them (PTX ISA, "Memory Consistency Model"), whichever came first here: barriers of block, cluster and
//! grid, a warp's over its mask, mbarriers, and atomic accesses with acquire and release or with fences.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    ffi::CStr,
    ptr, slice,
    sync::Arc,
};

use crate::{
    abi::{Global, Shared, Thread},
    block::{Failure, Launch, Place, position, triple},
    clocks::{Clock, Gathering, Knowledge, Who, join},
    error::Error,
    memory::{self, Kind},
    shadow::{BYTES, Granule, How, Record, spread},
    spots::{Fast, Spots},
};

/// What is checked: the sum of these, as `CHECKS` of `src/oxide/export/cpu.py`.
const MEMORY: u32 = 1;
const RACE: u32 = 2;
const INIT: u32 = 4;

/// Findings, and notes, that a launch tells of.
const MOST_FINDINGS: usize = 20;
const MOST_NOTES: usize = 5;

/// How an access is made, as the image says it in one number (`packed` in `src/oxide/export/cpu.py`).
#[derive(Clone, Copy)]
pub struct Manner(pub u32);

impl Manner {
    pub const READ: Self = Self(0);
    pub const WRITE: Self = Self(1);
    /// A store that is made some time later.
    pub const COPY: Self = Self(1 | 1 << 9);
    /// A relaxed atomic update.
    pub const UPDATE: Self = Self(2 | 1 << 4);

    fn writes(self) -> bool {
        self.0 & 3 != 0
    }

    fn updates(self) -> bool {
        self.0 & 3 == 2
    }

    /// Volatile accesses are relaxed atomic ones (PTX ISA, "Volatile Operations").
    fn atomic(self) -> bool {
        self.0 & 4 != 0 || self.ordering() != 0
    }

    fn ordering(self) -> u32 {
        self.0 >> 4 & 7
    }

    fn acquires(self) -> bool {
        acquires(self.ordering())
    }

    fn releases(self) -> bool {
        releases(self.ordering())
    }

    fn align(self) -> usize {
        1 << (self.0 >> 12 & 31)
    }

    fn how(self) -> How {
        How { writes: self.writes(), atomic: self.atomic(), in_block: self.0 >> 8 & 1 == 1, later: self.0 >> 9 & 1 == 1 }
    }
}

fn acquires(ordering: u32) -> bool {
    matches!(ordering, 2 | 4 | 5)
}

fn releases(ordering: u32) -> bool {
    matches!(ordering, 3..=5)
}

/// Where an address lies.
#[derive(Clone, Copy)]
enum Region {
    /// The thread's own stack, or the launch's parameters.
    Own,
    /// Shared memory: of which block of those that run together, and the bytes from its start, which may be before or behind it.
    Shared {
        slot: usize,
        from: isize,
    },
    /// An allocation, by its start and bytes.
    Allocation {
        start: u64,
        bytes: usize,
        kind: Kind,
    },
    /// A variable of the module, by its number.
    Object(usize),
    Nowhere,
}

/// What the threads of a mbarrier release, and what those that wait acquire.
#[derive(Default)]
struct Phases {
    gathering: Gathering,
    complete: Option<Arc<Clock>>,
}

/// Address and bytes.
type Copied = (usize, usize);

/// A store that the image makes after it was checked, whose value is looked at then.
struct Pending {
    who: Who,
    address: usize,
    bytes: usize,
    spot: u32,
    /// Stores to the same bytes that nothing orders, each with its eight bytes' number.
    others: Vec<(usize, Record)>,
}

pub struct Check<'a> {
    launch: &'a Launch<'a>,
    flags: u32,
    threads: usize,
    knowledge: Fast<u32, Vec<Knowledge>>,
    granules: Fast<usize, Granule>,
    /// What those acquire that see the latest store to an address.
    released: Fast<usize, Arc<Clock>>,
    mbarriers: HashMap<usize, Phases>,
    /// By block, and number of the barrier.
    barriers: HashMap<(u32, u32), Gathering>,
    /// By cluster, and phase of its barrier.
    clusters: HashMap<([u32; 3], u64), Gathering>,
    /// The copies of each thread that it has not waited for: those of no group yet, and the groups.
    copies: HashMap<Who, (Vec<Copied>, Vec<Vec<Copied>>)>,
    /// Which bytes were written, of the shared memory of each block, and of allocations; none of those that were whole.
    shared_written: Fast<usize, Vec<u64>>,
    written: Fast<u64, Option<Vec<u64>>>,
    pending: Option<Pending>,
    spots: Spots<'a>,
    /// Accesses that wrote what other threads may see.
    pub writes: u64,
    findings: Vec<String>,
    notes: Vec<String>,
    told: HashSet<(u32, u32, u8)>,
    /// The allocations that were found last, and which of them is replaced next.
    last: [Option<(u64, usize, Kind)>; LAST],
    next: usize,
}

/// Allocations that are found at once.
const LAST: usize = 8;

/// What was told of two places in the program.
const UNWRITTEN: u8 = 1;
const RACES: u8 = 2;
const EQUAL: u8 = 3;
const NOBODY: u8 = 4;

impl<'a> Check<'a> {
    /// What checks a launch; `None` where its image asks for nothing.
    pub fn new(launch: &'a Launch<'a>) -> Option<Self> {
        let flags = launch.image.checks;
        (flags != 0).then(|| Self {
            launch,
            flags,
            threads: launch.shape.threads(),
            knowledge: Fast::default(),
            granules: Fast::default(),
            released: Fast::default(),
            mbarriers: HashMap::new(),
            barriers: HashMap::new(),
            clusters: HashMap::new(),
            copies: HashMap::new(),
            shared_written: Fast::default(),
            written: Fast::default(),
            pending: None,
            writes: 0,
            spots: Spots::new(launch.chains, launch.image.site_count),
            findings: Vec::new(),
            notes: Vec::new(),
            told: HashSet::new(),
            last: [None; LAST],
            next: 0,
        })
    }

    fn is_on(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    fn objects(&self) -> &'a [Global] {
        // SAFETY: the table says how many there are.
        unsafe { slice::from_raw_parts(self.launch.image.objects, self.launch.image.object_count as usize) }
    }

    fn variables(&self) -> &'a [Shared] {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts(self.launch.image.shared, self.launch.image.shared_count as usize) }
    }

    // Blocks come and go.

    pub fn begin(&mut self, place: &Place) {
        self.knowledge.insert(place.number(), vec![Knowledge::default(); self.threads]);
        let arena = place.arena();
        if self.is_on(INIT) {
            self.shared_written.insert(arena.base(place.slot), vec![0; arena.bytes().div_ceil(64)]);
        }
    }

    /// All threads of a block have exited: its shared memory is no more.
    pub fn end(&mut self, place: &Place) {
        self.finish_pending();
        let arena = place.arena();
        arena.ended[place.slot].set(true);
        let block = place.number();
        let mut all = Gathering::default();
        let mut knowledge = self.knowledge.remove(&block).unwrap_or_default();
        let (start, bytes) = (arena.base(place.slot), arena.bytes());
        if !self.is_on(RACE) || bytes == 0 {
            return;
        }
        for (thread, knowledge) in knowledge.iter_mut().enumerate() {
            all.add(Who { block, thread: thread as u32 }, knowledge);
        }
        let clock = all.finish(self.threads);
        for number in start / BYTES..(start + bytes).div_ceil(BYTES) {
            let Some(granule) = self.granules.remove(&number) else { continue };
            if let Some(record) = granule.of_others(block, &clock)
                && self.told.insert((record.spot, u32::MAX, RACES))
            {
                let what = self.shared_name((number * BYTES) as isize - start as isize);
                let how = if record.how.writes { "writes" } else { "reads" };
                let message = format!(
                    "kernel `{}`: block {} may exit, and its shared memory with it, before {} {how} {what} of it in {}",
                    self.launch.kernel_name(),
                    triple(place.position),
                    self.name(record.who),
                    self.spot_text(record.spot)
                );
                self.find(message);
            }
        }
        self.released.retain(|address, _| !(start..start + bytes).contains(address));
        self.mbarriers.retain(|address, _| !(start..start + bytes).contains(address));
    }

    /// What the launch is found to have done wrong; the first failure comes after what was found before.
    pub fn finish(&mut self, result: Result<(), Failure>) -> Result<(), Failure> {
        if result.is_ok() {
            self.finish_pending();
        }
        for (start, bits) in self.written.drain() {
            if let Some(bits) = bits {
                memory::put_written(start, bits);
            }
        }
        self.notes.iter().for_each(|note| eprintln!("oxide: note: {note}"));
        let found = self.findings.len();
        if found > MOST_FINDINGS {
            self.findings.truncate(MOST_FINDINGS);
            self.findings.push(format!("and {} more findings", found - MOST_FINDINGS));
        }
        let mut lines = std::mem::take(&mut self.findings);
        match result {
            Ok(()) if lines.is_empty() => Ok(()),
            Ok(()) => Err(Failure { error: Error::LAUNCH_FAILED, message: lines.join("\noxide: ") }),
            Err(Failure { error, message }) => {
                lines.push(message);
                Err(Failure { error, message: lines.join("\noxide: ") })
            }
        }
    }

    // What orders threads.

    fn knows(&mut self, who: Who) -> Option<&mut Knowledge> {
        self.knowledge.get_mut(&who.block)?.get_mut(who.thread as usize)
    }

    fn acquire(&mut self, who: Who, clock: &Arc<Clock>) {
        if let Some(knowledge) = self.knows(who) {
            knowledge.acquire(clock);
        }
    }

    /// These threads have met: each knows what all did.
    pub fn meet(&mut self, threads: impl Iterator<Item = Who> + Clone) {
        let mut gathering = Gathering::default();
        for who in threads.clone() {
            if let Some(knowledge) = self.knows(who) {
                gathering.add(who, knowledge);
            }
        }
        let clock = gathering.finish(self.threads);
        for who in threads {
            if let Some(knowledge) = self.knows(who) {
                knowledge.clock = clock.clone();
            }
        }
    }

    pub fn come_to_barrier(&mut self, who: Who, number: u32) {
        let Some(knowledge) = self.knowledge.get_mut(&who.block).and_then(|block| block.get_mut(who.thread as usize)) else { return };
        self.barriers.entry((who.block, number)).or_default().add(who, knowledge);
    }

    pub fn complete_barrier(&mut self, block: u32, number: u32, waiting: impl Iterator<Item = u32>) {
        let Some(gathering) = self.barriers.remove(&(block, number)) else { return };
        let clock = gathering.finish(self.threads);
        waiting.for_each(|thread| self.acquire(Who { block, thread }, &clock));
    }

    pub fn arrive_at_cluster(&mut self, who: Who, cluster: [u32; 3], phase: u64, releases: bool) {
        let Some(knowledge) = self.knowledge.get_mut(&who.block).and_then(|block| block.get_mut(who.thread as usize)) else { return };
        let gathering = self.clusters.entry((cluster, phase)).or_default();
        match &knowledge.released {
            _ if releases => gathering.add(who, knowledge),
            Some(released) => gathering.add_released(released),
            None => {}
        }
    }

    /// Remembers a copy that the thread has begun, as if it were made later.
    pub fn begin_copy(&mut self, who: Who, address: usize, bytes: usize) {
        self.copies.entry(who).or_default().0.push((address, bytes));
    }

    /// The copies that the thread has begun since the last group are one.
    pub fn commit_copies(&mut self, who: Who) {
        let (begun, groups) = self.copies.entry(who).or_default();
        groups.push(std::mem::take(begun));
    }

    /// The thread waits for its copies but those of the last groups.
    pub fn wait_for_copies(&mut self, who: Who, last: usize) {
        self.finish_pending();
        let Some(step) = self.knows(who).map(|knowledge| knowledge.step) else { return };
        let Some((_, groups)) = self.copies.get_mut(&who) else { return };
        let done = groups.len().saturating_sub(last);
        for (address, bytes) in groups.drain(..done).flatten() {
            for number in address / BYTES..(address + bytes).div_ceil(BYTES) {
                if let Some(granule) = self.granules.get_mut(&number) {
                    granule.finish_copy(who, step);
                }
            }
        }
    }

    pub fn wait_at_cluster(&mut self, threads: &[Who], cluster: [u32; 3], phase: u64) {
        let Some(clock) = self.clusters.get(&(cluster, phase)).map(|gathering| gathering.finish(self.threads)) else { return };
        threads.iter().for_each(|who| self.acquire(*who, &clock));
        self.clusters.retain(|(other, before), _| *other != cluster || *before + 1 >= phase);
    }

    pub fn make_mbarrier(&mut self, address: usize) {
        self.mbarriers.insert(address, Phases::default());
    }

    pub fn arrive_at_mbarrier(&mut self, who: Who, address: usize, completes: bool) {
        let Some(knowledge) = self.knowledge.get_mut(&who.block).and_then(|block| block.get_mut(who.thread as usize)) else { return };
        let phases = self.mbarriers.entry(address).or_default();
        phases.gathering.add(who, knowledge);
        if completes {
            phases.complete = Some(phases.gathering.finish(self.threads));
            phases.gathering = Gathering::default();
        }
    }

    pub fn see_mbarrier(&mut self, who: Who, address: usize) {
        if let Some(clock) = self.mbarriers.get(&address).and_then(|phases| phases.complete.clone()) {
            self.acquire(who, &clock);
        }
    }

    pub fn fence(&mut self, who: Who, ordering: u32) {
        let threads = self.threads;
        let Some(knowledge) = self.knows(who) else { return };
        if acquires(ordering)
            && let Some(seen) = knowledge.seen.take()
        {
            knowledge.acquire(&seen);
        }
        if releases(ordering) {
            knowledge.released = Some(knowledge.release(who, threads));
        }
    }

    /// What an atomic access makes known, to its thread or by it.
    fn order(&mut self, who: Who, address: usize, manner: Manner) {
        let threads = self.threads;
        let known = self.released.get(&address).cloned();
        let Some(knowledge) = self.knowledge.get_mut(&who.block).and_then(|block| block.get_mut(who.thread as usize)) else { return };
        if (!manner.writes() || manner.updates())
            && let Some(clock) = &known
        {
            if manner.acquires() {
                knowledge.acquire(clock);
            } else {
                let empty = Arc::default();
                knowledge.seen = Some(join(knowledge.seen.as_ref().unwrap_or(&empty), clock));
            }
        }
        if !manner.writes() {
            return;
        }
        let released = if manner.releases() { Some(knowledge.release(who, threads)) } else { knowledge.released.clone() };
        // An update goes on with what the stores before it released.
        let kept = known.filter(|_| manner.updates());
        let clock = match (released, kept) {
            (Some(released), Some(kept)) => Some(join(&released, &kept)),
            (released, kept) => released.or(kept),
        };
        match clock {
            Some(clock) => self.released.insert(address, clock),
            None => self.released.remove(&address),
        };
    }

    // Accesses.

    /// Checks an access that the thread makes next.
    ///
    /// # Errors
    ///
    /// Why it may not be made.
    pub fn access(&mut self, thread: &Thread, site: u32, address: usize, bytes: usize, manner: Manner) -> Result<(), (Error, String)> {
        self.finish_pending();
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: a thread's place lives while it runs.
        let place = unsafe { &*thread.place };
        let region = self.region(thread, place, address);
        if self.is_on(MEMORY) {
            self.check_place(thread, site, place, region, address, bytes, manner)?;
        }
        if matches!(region, Region::Own | Region::Nowhere) {
            return Ok(());
        }
        self.writes += u64::from(manner.writes());
        let who = Who { block: place.number(), thread: thread.number };
        if self.is_on(INIT) {
            self.check_written(thread, site, place, region, address, bytes, manner);
        }
        if self.is_on(RACE) {
            self.check_race(thread, site, who, address, bytes, manner);
        }
        Ok(())
    }

    fn region(&mut self, thread: &Thread, place: &Place, address: usize) -> Region {
        let parameters = self.launch.parameters.as_ptr_range();
        if (thread.stack.0..thread.stack.1).contains(&address) || (parameters.start.addr()..parameters.end.addr()).contains(&address) {
            return Region::Own;
        }
        if let Some((slot, from)) = place.arena().find(address) {
            return Region::Shared { slot, from };
        }
        let near = |&(start, bytes, _): &(u64, usize, Kind)| (start as usize..start as usize + bytes).contains(&address);
        if let Some((start, bytes, kind)) = self.last.iter().copied().flatten().find(near) {
            return Region::Allocation { start, bytes, kind };
        }
        let objects = self.objects().iter();
        let near = |object: &Global| (object.address as usize..(object.address + object.size) as usize).contains(&address);
        if let Some(number) = objects.enumerate().find_map(|(number, object)| near(object).then_some(number)) {
            return Region::Object(number);
        }
        match memory::find(address as u64) {
            None => Region::Nowhere,
            Some(_) if self.launch.reach.refuses(address as u64).is_some() => Region::Nowhere,
            Some((start, bytes, kind)) => {
                self.last[self.next] = Some((start, bytes, kind));
                self.next = (self.next + 1) % LAST;
                Region::Allocation { start, bytes, kind }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn check_place(
        &mut self,
        thread: &Thread,
        site: u32,
        place: &Place,
        region: Region,
        address: usize,
        bytes: usize,
        manner: Manner,
    ) -> Result<(), (Error, String)> {
        let does = if manner.updates() {
            "updates"
        } else if manner.writes() {
            "writes"
        } else {
            "reads"
        };
        let fits = |from: usize, whole: usize| whole - from >= bytes;
        let outside =
            |from: usize, whole: usize, what: &str| format!("{does} {bytes} bytes from byte {from} of {what} on, which has {whole}");
        let wrong = match region {
            Region::Own => None,
            Region::Allocation { start, bytes: whole, .. } => {
                let from = address - start as usize;
                (!fits(from, whole)).then(|| outside(from, whole, "an allocation"))
            }
            Region::Object(number) => {
                let object = &self.objects()[number];
                let from = address - object.address as usize;
                (!fits(from, object.size as usize)).then(|| {
                    // SAFETY: the image's names are strings.
                    let name = variable_name(unsafe { CStr::from_ptr(object.name) });
                    outside(from, object.size as usize, &name)
                })
            }
            Region::Shared { slot, from } => {
                let whose = if slot == place.slot { "" } else { " of another block" };
                if place.arena().ended[slot].get() {
                    let what = self.shared_name(from);
                    Some(format!("{does} {bytes} bytes of {what}{whose}, which has exited"))
                } else {
                    self.outside_shared(from, bytes).map(|what| format!("{does} {bytes} bytes {what}{whose}"))
                }
            }
            Region::Nowhere => Some(format!("{does} {bytes} bytes at {address:#x}, {}", self.near_object(address))),
        };
        if let Some(wrong) = wrong {
            let spot = self.spot(thread, site);
            return Err((Error::ILLEGAL_ADDRESS, format!("{wrong}, in {}", self.spot_text(spot))));
        }
        if !address.is_multiple_of(manner.align()) {
            let spot = self.spot(thread, site);
            let wrong = format!("{does} {bytes} bytes at {address:#x}, which is no multiple of {}", manner.align());
            return Err((Error::MISALIGNED_ADDRESS, format!("{wrong}, in {}", self.spot_text(spot))));
        }
        Ok(())
    }

    /// What is near to an address in no variable and no allocation.
    fn near_object(&self, address: usize) -> String {
        let address = address as u64;
        let before = self.objects().iter().filter(|object| object.address + object.size <= address).max_by_key(|object| object.address);
        match before.filter(|object| address - object.address - object.size < 64) {
            Some(object) => {
                // SAFETY: the image's names are strings.
                let name = variable_name(unsafe { CStr::from_ptr(object.name) });
                format!("{} bytes past the end of {name} of {} bytes", address - object.address - object.size, object.size)
            }
            None => self.launch.reach.refuses(address).unwrap_or_else(|| memory::describe(address)),
        }
    }

    /// What is wrong with bytes of shared memory, if they are not all in one variable or in dynamic shared memory.
    fn outside_shared(&self, from: isize, bytes: usize) -> Option<String> {
        let Ok(at) = usize::try_from(from) else { return Some(format!("{} bytes before shared memory", -from)) };
        let dynamic = self.launch.image.dynamic as usize;
        if at >= dynamic {
            let (whole, from) = (self.launch.shape.dynamic_shared as usize, at - dynamic);
            return match whole.checked_sub(from) {
                Some(rest) if rest >= bytes => None,
                Some(rest) if rest > 0 => Some(format!("from byte {from} of dynamic shared memory on, of which the launch has {whole}")),
                _ => Some(format!("{} bytes past the end of dynamic shared memory, of which the launch has {whole}", from - whole)),
            };
        }
        let variable = self.variables().iter().filter(|variable| variable.offset as usize <= at).max_by_key(|variable| variable.offset);
        let Some(variable) = variable else { return Some("of shared memory that is no variable's".into()) };
        // SAFETY: the image's names are strings.
        let name = || variable_name(unsafe { CStr::from_ptr(variable.name) });
        let (from, whole) = (at - variable.offset as usize, variable.size as usize);
        match whole.checked_sub(from) {
            Some(rest) if rest >= bytes => None,
            Some(rest) if rest > 0 => Some(format!("from byte {from} of {} on, which has {whole}", name())),
            _ => Some(format!("{} bytes past the end of {} of {whole} bytes", from - whole, name())),
        }
    }

    /// The name of a place in shared memory.
    fn shared_name(&self, from: isize) -> String {
        let Ok(at) = usize::try_from(from) else { return format!("{} bytes before shared memory", -from) };
        let dynamic = self.launch.image.dynamic as usize;
        if at >= dynamic {
            return format!("byte {} of dynamic shared memory", at - dynamic);
        }
        let variable = self.variables().iter().filter(|variable| variable.offset as usize <= at).max_by_key(|variable| variable.offset);
        match variable {
            Some(variable) => {
                // SAFETY: the image's names are strings.
                let name = unsafe { CStr::from_ptr(variable.name) };
                format!("byte {} of {}", at - variable.offset as usize, variable_name(name))
            }
            None => format!("byte {at} of shared memory"),
        }
    }

    fn place_name(&mut self, thread: &Thread, address: usize) -> String {
        // SAFETY: a thread's place lives while it runs.
        let place = unsafe { &*thread.place };
        match self.region(thread, place, address) {
            Region::Shared { slot, from } if slot == place.slot => self.shared_name(from),
            Region::Shared { from, .. } => format!("{} of another block", self.shared_name(from)),
            Region::Allocation { start, bytes, .. } => {
                format!("byte {} of an allocation of {bytes} bytes", address - start as usize)
            }
            Region::Object(number) => {
                let object = &self.objects()[number];
                // SAFETY: the image's names are strings.
                let name = variable_name(unsafe { CStr::from_ptr(object.name) });
                format!("byte {} of {name}", address - object.address as usize)
            }
            Region::Own | Region::Nowhere => format!("{address:#x}"),
        }
    }

    /// Takes note of what is written, and of reads of what nobody has written.
    #[allow(clippy::too_many_arguments)]
    fn check_written(&mut self, thread: &Thread, site: u32, place: &Place, region: Region, address: usize, bytes: usize, manner: Manner) {
        let (bits, from) = match region {
            Region::Shared { slot, from } => {
                let Ok(from) = usize::try_from(from) else { return };
                match self.shared_written.get_mut(&place.arena().base(slot)) {
                    Some(bits) => (bits, from),
                    None => return,
                }
            }
            Region::Allocation { start, kind: Kind::Device, .. } => {
                let bits = match self.written.entry(start) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(free) => free.insert(memory::take_written(start)),
                };
                match bits {
                    Some(bits) => (bits, address - start as usize),
                    None => return,
                }
            }
            _ => return,
        };
        let range = from..(from + bytes).min(bits.len() * 64);
        let is_unwritten = |byte: &usize| bits[byte / 64] >> (byte % 64) & 1 == 0;
        // Copies take the room between fields along, which nobody writes.
        let is_wrong =
            if bytes > BYTES * 2 { range.clone().all(|byte| is_unwritten(&byte)) } else { range.clone().any(|byte| is_unwritten(&byte)) };
        let reads = !manner.writes() || manner.updates();
        let is_wrong = is_wrong && reads;
        if manner.writes() || is_wrong {
            // What was told of once is not told of again.
            range.for_each(|byte| bits[byte / 64] |= 1 << (byte % 64));
        }
        if !is_wrong {
            return;
        }
        let spot = self.spot(thread, site);
        if self.told.insert((spot, 0, UNWRITTEN)) {
            let what = self.place_name(thread, address);
            let message = format!(
                "{} reads {bytes} bytes that nothing has written, at {what}, in {}",
                self.launch.place(thread),
                self.spot_text(spot)
            );
            self.find(message);
        }
    }

    fn check_race(&mut self, thread: &Thread, site: u32, who: Who, address: usize, bytes: usize, manner: Manner) {
        let spot = self.spot(thread, site);
        let Some((clock, step)) = self.knows(who).map(|knowledge| (knowledge.clock.clone(), knowledge.step)) else { return };
        let how = manner.how();
        let (mut conflicts, mut others) = (Vec::new(), Vec::new());
        for number in address / BYTES..(address + bytes).div_ceil(BYTES) {
            let first = address.max(number * BYTES) - number * BYTES;
            let last = (address + bytes).min((number + 1) * BYTES) - number * BYTES;
            let mask = ((1u16 << last) - (1u16 << first)) as u8;
            let record = Record { who, step, spot, mask, how, value: 0 };
            self.granules.entry(number).or_default().access(record, &clock, self.threads, |other| {
                if how.writes && other.how.writes && !how.atomic && !other.how.atomic {
                    others.push((number, other));
                } else {
                    conflicts.push((number, other));
                }
            });
        }
        if let Some(&(number, other)) = conflicts.first() {
            self.tell_race(thread, spot, address.max(number * BYTES), bytes, manner, other);
        }
        if how.atomic {
            self.order(who, address, manner);
        } else if how.writes {
            // What releases to this address there were do not speak of this store.
            self.released.remove(&address);
            self.pending = Some(Pending { who, address, bytes, spot, others });
        }
    }

    fn tell_race(&mut self, thread: &Thread, spot: u32, address: usize, bytes: usize, manner: Manner, other: Record) {
        if !self.told.insert((spot.min(other.spot), spot.max(other.spot), RACES)) {
            return;
        }
        let what = self.place_name(thread, address);
        let does = describe(manner.how(), manner.updates());
        let did = describe(other.how, false);
        let message = format!(
            "race: {} {does} {bytes} bytes at {what}, in {}\n  {} {did} there in {}, and nothing orders the two",
            self.launch.place(thread),
            self.spot_text(spot),
            self.name(other.who),
            self.spot_text(other.spot),
        );
        self.find(message);
    }

    /// Looks at the value of the store that was made last, to tell a race from threads that all store the same.
    fn finish_pending(&mut self) {
        let Some(Pending { who, address, bytes, spot, others }) = self.pending.take() else { return };
        for number in address / BYTES..(address + bytes).div_ceil(BYTES) {
            let mut value = [0; BYTES];
            for (byte, value) in value.iter_mut().enumerate() {
                let at = number * BYTES + byte;
                if (address..address + bytes).contains(&at) {
                    // SAFETY: the thread has stored there.
                    *value = unsafe { ptr::with_exposed_provenance::<u8>(at).read_volatile() };
                }
            }
            let value = u64::from_le_bytes(value);
            if let Some(granule) = self.granules.get_mut(&number) {
                granule.set_value(who, value);
            }
            let first = address.max(number * BYTES) - number * BYTES;
            let last = (address + bytes).min((number + 1) * BYTES) - number * BYTES;
            let mask = ((1u16 << last) - (1u16 << first)) as u8;
            for (_, other) in others.iter().filter(|(its, _)| *its == number) {
                let is_equal = (value ^ other.value) & spread(mask & other.mask) == 0;
                let kind = if is_equal { EQUAL } else { RACES };
                if !self.told.insert((spot.min(other.spot), spot.max(other.spot), kind)) {
                    continue;
                }
                let (one, two) = (self.spot_text(spot), self.spot_text(other.spot));
                let (who, other) = (self.name(who), self.name(other.who));
                let kernel = self.launch.kernel_name();
                if is_equal {
                    if self.notes.len() < MOST_NOTES {
                        self.notes.push(format!("kernel `{kernel}`: {who} and {other} store the same value at one place in {one}"));
                    }
                } else {
                    let what = self.address_name(number * BYTES + first);
                    let message = format!(
                        "race: kernel `{kernel}`: {who} writes {bytes} bytes at {what}, in {one}\n  {other} writes another value there in {two}, \
                         and nothing orders the two"
                    );
                    self.find(message);
                }
            }
        }
    }

    /// The name of a place outside shared memory, or the address.
    fn address_name(&self, address: usize) -> String {
        if let Some((start, bytes, _)) = memory::find(address as u64).filter(|(.., kind)| *kind != Kind::Global) {
            return format!("byte {} of an allocation of {bytes} bytes", address - start as usize);
        }
        let within = |object: &&Global| (object.address as usize..(object.address + object.size) as usize).contains(&address);
        if let Some(object) = self.objects().iter().find(within) {
            // SAFETY: the image's names are strings.
            let name = variable_name(unsafe { CStr::from_ptr(object.name) });
            return format!("byte {} of {name}", address - object.address as usize);
        }
        let bases = self.shared_written.keys();
        match bases.copied().filter(|base| *base <= address).max() {
            Some(base) => self.shared_name((address - base) as isize),
            None => "one place in shared memory".into(),
        }
    }

    /// A lane has read the value of one that does not take part.
    pub fn read_nobody(&mut self, thread: &Thread, site: u32, lane: u32) {
        let spot = self.spot(thread, site);
        if self.told.insert((spot, lane, NOBODY)) {
            let message = format!(
                "{}, lane {}, reads the value of lane {lane}, which takes no part, in {}",
                self.launch.place(thread),
                thread.lane,
                self.spot_text(spot)
            );
            self.find(message);
        }
    }

    fn find(&mut self, message: String) {
        self.findings.push(message);
    }

    // Words.

    fn spot(&mut self, thread: &Thread, site: u32) -> u32 {
        self.spots.of(thread, site)
    }

    fn spot_text(&self, spot: u32) -> String {
        self.launch.site(spot)
    }

    fn name(&self, who: Who) -> String {
        let shape = &self.launch.shape;
        let (thread, block) = (u64::from(who.thread), u64::from(who.block));
        format!("thread {} of block {}", triple(position(thread, shape.block_dim)), triple(position(block, shape.grid_dim)))
    }
}

fn describe(how: How, updates: bool) -> &'static str {
    match how {
        How { later: true, .. } => "copies asynchronously to",
        How { atomic: false, writes: false, .. } => "reads",
        How { atomic: false, writes: true, .. } => "writes",
        How { in_block: true, writes: true, .. } => "atomically, for its block, writes",
        How { in_block: true, .. } => "atomically, for its block, reads",
        How { writes: true, .. } if updates => "atomically updates",
        How { writes: true, .. } => "atomically writes",
        How { .. } => "atomically reads",
    }
}

/// A variable's name as its author wrote it.
fn variable_name(name: &CStr) -> String {
    format!("`{:#}`", rustc_demangle::demangle(&name.to_string_lossy()))
}
