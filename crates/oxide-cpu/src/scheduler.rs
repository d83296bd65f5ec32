//! Runs the threads of blocks: each on a fiber once it has to wait, those that never wait one after another on the same.
//!
//! Blocks that may wait for one another run together: those of a cluster, and all of a cooperative launch. Where all threads of such a
//! group only look at memory that others are to change, the next group begins beside it, as on a GPU that has room for it.

use std::{
    cell::Cell,
    ptr::{self, NonNull},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    abi::Thread,
    block::{Failure, Launch, Place, no_memory, position},
    check::Check,
    clocks::Who,
    fiber::{Exit, Fiber, Step, Suspender},
    meeting::{self, BARRIERS, Barrier, Exchange, Misuse, Spin, State, WARP, Wait, Why},
    shared::Arena,
    spots::Spots,
};

/// How long threads may look at memory that nobody changes, and meet before somebody is told.
const PATIENCE: Duration = Duration::from_secs(20);

/// The same where accesses are checked, when all run on one thread of the system.
const CHECKED_PATIENCE: Duration = Duration::from_secs(5);

/// How often threads may meet without that anyone has written anything, where accesses are checked and that is known.
const CHECKED_MEETINGS: u32 = 10_000;

/// How often threads may look at what changes before other groups begin beside them.
const LONG_AROUND: u32 = 64;

/// How often a group's threads go on before those of another one do.
const MANY_PASSES: u32 = 256;

/// How long, and how often, threads may look at an mbarrier that none of their group is left to arrive at.
const MBARRIER_PATIENCE: Duration = Duration::from_secs(1);
const MBARRIER_LOOKS: u32 = 1000;

/// How often a worker looks again before it sleeps between looks, and how long it sleeps.
const QUICK_LOOKS: u32 = 200;
const SLEEP: Duration = Duration::from_micros(50);

/// How the workers of a launch get on.
pub struct Progress {
    /// Counted whenever a thread has come further.
    steps: AtomicU64,
    /// How often each worker has looked at all its threads in vain; the most there is once it has ended.
    looks: Vec<AtomicU64>,
    /// Set when a worker has failed: the others need not go on.
    pub stop: AtomicBool,
    /// Whether somebody was told of threads that meet again and again.
    is_told: AtomicBool,
}

impl Progress {
    pub fn new(workers: usize) -> Self {
        let looks = (0..workers).map(|_| AtomicU64::new(0)).collect();
        Self { steps: AtomicU64::new(0), looks, stop: AtomicBool::new(false), is_told: AtomicBool::new(false) }
    }

    /// For a worker that the system did not start, or that has ended.
    pub fn end(&self, worker: usize) {
        self.looks[worker].store(u64::MAX, Ordering::Relaxed);
    }

    fn looks(&self) -> Vec<u64> {
        self.looks.iter().map(|looks| looks.load(Ordering::Relaxed)).collect()
    }
}

/// What one thread of the system runs.
pub struct Worker<'a> {
    launch: &'a Launch<'a>,
    progress: &'a Progress,
    number: usize,
    /// Threads that it may have on fibers at a time.
    most_threads: u64,
    /// Fibers that run no thread.
    spare: Vec<Runner>,
    /// Groups that have ended, for others to begin in their place.
    ended: Vec<Group>,
    spots: Spots<'a>,
    /// The block barrier that was complete last.
    met: Cell<Option<Wait>>,
    /// What checks accesses, or null; its own box, which all that runs may use in turn.
    check: *mut Check<'static>,
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if !self.check.is_null() {
            // SAFETY: made from a box in `new`; no fiber runs.
            drop(unsafe { Box::from_raw(self.check) });
        }
    }
}

/// A fiber with the thread that it runs.
struct Runner {
    fiber: Fiber,
    thread: NonNull<Thread>,
}

impl Drop for Runner {
    fn drop(&mut self) {
        // SAFETY: made from a box, and nobody else frees it; the fiber does not run.
        drop(unsafe { Box::from_raw(self.thread.as_ptr()) });
    }
}

impl Runner {
    fn thread(&mut self) -> &mut Thread {
        // SAFETY: alive as long as `self`; the fiber does not run while the scheduler does.
        unsafe { self.thread.as_mut() }
    }
}

/// A block that runs.
struct Block {
    place: Box<Place>,
    states: Vec<State>,
    runners: Vec<Option<Runner>>,
    barriers: [Barrier; BARRIERS],
    /// The phase that the cluster's barrier is in.
    cluster_phase: u64,
    /// The one that each thread has come to and not waited for; empty for kernels whose threads do not meet.
    cluster_phases: Vec<Option<u64>>,
    /// Threads that have not exited.
    alive: usize,
    /// Threads that spin.
    spinning: usize,
}

/// Blocks that run together.
struct Group {
    number: u64,
    arena: Box<Arena>,
    blocks: Vec<Block>,
    /// How often its threads have gone on.
    passes: u32,
    /// Since when, and how often, its threads have looked at mbarriers in vain.
    in_vain: Option<(Instant, u32)>,
}

/// How far a thread, or some of them, got.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Got {
    Nowhere,
    /// It looks again, and at something else than before.
    Around,
    Further,
}

/// What came of running a group until none of its threads could go on by itself.
enum Outcome {
    Ended,
    Got(Got),
}

type Numbered<T> = Result<T, (u64, Failure)>;

impl<'a> Worker<'a> {
    pub fn new(launch: &'a Launch<'a>, progress: &'a Progress, number: usize, most_threads: u64) -> Self {
        let spots = Spots::new(launch.chains, launch.image.site_count);
        let check = Check::new(launch).map_or(ptr::null_mut(), |check| Box::into_raw(Box::new(check)).cast());
        Self { launch, progress, number, most_threads, spare: Vec::new(), ended: Vec::new(), spots, met: Cell::new(None), check }
    }

    /// What checks accesses, where that is asked for.
    #[allow(clippy::mut_from_ref)]
    fn checking(&self) -> Option<&mut Check<'a>> {
        // SAFETY: used in turn with the fibers, which do not run now, and for no longer than a statement.
        unsafe { self.check.cast::<Check<'a>>().as_mut() }
    }

    /// Runs the groups that `next` gives by number, until it gives none.
    ///
    /// # Errors
    ///
    /// The first failure, with the number of its group.
    pub fn run(&mut self, next: impl FnMut() -> Option<u64>) -> Numbered<()> {
        let result = self.run_groups(next);
        let number = result.as_ref().err().map_or(0, |(number, _)| *number);
        match self.checking() {
            Some(check) => check.finish(result.map_err(|(_, failure)| failure)).map_err(|failure| (number, failure)),
            None => result,
        }
    }

    fn run_groups(&mut self, mut next: impl FnMut() -> Option<u64>) -> Numbered<()> {
        let mut groups: Vec<Group> = Vec::new();
        let mut waits: Option<Idle> = None;
        let mut unwritten: Option<Unwritten> = None;
        let mut last_end = Instant::now();
        let mut have_met = false;
        let mut around = 0;
        loop {
            if groups.is_empty() {
                let Some(number) = next() else { return Ok(()) };
                groups.push(self.start(number).map_err(|failure| (number, failure))?);
            }
            let mut got = Got::Nowhere;
            let mut has_ended = false;
            let mut at = 0;
            while at < groups.len() {
                match self.pass(&mut groups[at]).map_err(|failure| (groups[at].number, failure))? {
                    Outcome::Ended => {
                        (got, has_ended) = (Got::Further, true);
                        self.ended.push(groups.remove(at));
                    }
                    Outcome::Got(Got::Further) => {
                        got = Got::Further;
                        groups[at].passes += 1;
                        if groups[at].passes.is_multiple_of(MANY_PASSES) {
                            at += 1;
                            around += LONG_AROUND / 4;
                        }
                    }
                    Outcome::Got(its) => {
                        got = got.max(its);
                        at += 1;
                    }
                }
            }
            if got > Got::Nowhere {
                waits = None;
                self.progress.steps.fetch_add(1, Ordering::Relaxed);
            }
            // Threads that only spin are idle, which is told below.
            if got == Got::Further
                && let Some(writes) = self.checking().map(|check| check.writes)
            {
                let since = unwritten.get_or_insert_with(|| Unwritten::new(writes));
                if has_ended || since.writes != writes {
                    *since = Unwritten::new(writes);
                }
                if let Some(group) = groups.first().filter(|_| since.is_for_long()) {
                    let block = group.blocks.iter().find(|block| block.alive > 0).unwrap_or(&group.blocks[0]);
                    return Err((group.number, self.launch.meeting_in_vain(&block.place, self.met.get(), CHECKED_PATIENCE)));
                }
            }
            // Threads that go around for long, with barriers or without, may do so until other groups have run.
            around = if has_ended { 0 } else { around + 1 };
            have_met |= got == Got::Further;
            if has_ended {
                last_end = Instant::now();
            }
            if got > Got::Nowhere && around < LONG_AROUND {
                continue;
            }
            around = 0;
            if std::mem::take(&mut have_met) && self.launch.image.checks == 0 && last_end.elapsed() > PATIENCE {
                self.tell_of_meetings(&groups);
            }
            let running: u64 = groups.iter().map(Group::threads).sum();
            let of_one = groups.first().map_or(1, Group::threads);
            if running + of_one <= self.most_threads
                && let Some(number) = next()
            {
                groups.push(self.start(number).map_err(|failure| (number, failure))?);
                continue;
            }
            if self.progress.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if got > Got::Nowhere {
                continue;
            }
            let idle = waits.get_or_insert_with(|| Idle::new(self.progress));
            if idle.is_over(self.progress, self.number, self.patience()) {
                let blocks = groups.iter().flat_map(|group| group.blocks.iter().map(|block| (&*block.place, &block.states[..])));
                return Err((groups[0].number, self.launch.spinning(blocks)));
            }
        }
    }

    /// Tells, once a launch, of threads that have met for long: whether they ever end is not known.
    fn tell_of_meetings(&self, groups: &[Group]) {
        let block = groups.iter().flat_map(|group| &group.blocks).find(|block| block.alive > 0);
        if let Some(block) = block
            && !self.progress.is_told.swap(true, Ordering::Relaxed)
        {
            let more = "; `oxide run --check all` ends them where none writes anything";
            eprintln!("oxide: {}", self.launch.meeting(&block.place, self.met.get(), PATIENCE, more));
        }
    }

    fn patience(&self) -> Duration {
        if self.launch.image.checks == 0 { PATIENCE } else { CHECKED_PATIENCE }
    }

    /// Prepares a group, of which no thread has started.
    fn start(&mut self, number: u64) -> Result<Group, Failure> {
        let spare = self.ended.pop();
        let mut group = spare.map_or_else(|| self.group(number == 0).ok_or_else(no_memory), Ok)?;
        group.arena.clear();
        (group.number, group.passes, group.in_vain) = (number, 0, None);
        let shape = &self.launch.shape;
        let in_cluster = shape.in_cluster();
        let first = number * (group.blocks.len() as u64 / in_cluster);
        for (slot, block) in group.blocks.iter_mut().enumerate() {
            let (cluster, rank) = (first + slot as u64 / in_cluster, slot as u64 % in_cluster);
            let (cluster, within) = (position(cluster, shape.clusters()), position(rank, shape.cluster_dim));
            block.place.position = [0, 1, 2].map(|axis| cluster[axis] * shape.cluster_dim[axis] + within[axis]);
            block.place.cluster = cluster;
            block.place.next.set(0);
            block.states.fill(State::New);
            block.barriers = [Barrier::default(); BARRIERS];
            block.cluster_phases.fill(None);
            (block.cluster_phase, block.alive, block.spinning) = (0, block.states.len(), 0);
            if let Some(check) = self.checking() {
                check.begin(&block.place);
            }
        }
        Ok(group)
    }

    /// A new group, of the first blocks or of others.
    fn group(&self, is_first: bool) -> Option<Group> {
        let shape = self.launch.shape;
        let (count, threads) = (shape.group() as usize, shape.threads());
        let arena = Box::new(Arena::new(count, (self.launch.image.dynamic + shape.dynamic_shared) as usize, is_first)?);
        let blocks = (0..count).map(|slot| {
            let place = Place {
                shape,
                position: [0; 3],
                rank: (slot as u64 % shape.in_cluster()) as u32,
                cluster: [0; 3],
                slot,
                arena: &raw const *arena,
                worker: self.number as u32,
                next: 0.into(),
                check: self.check,
            };
            Block {
                place: Box::new(place),
                states: vec![State::New; threads],
                runners: (0..threads).map(|_| None).collect(),
                barriers: [Barrier::default(); BARRIERS],
                cluster_phases: vec![None; if self.launch.kernel.meets == 0 { 0 } else { threads }],
                cluster_phase: 0,
                alive: threads,
                spinning: 0,
            }
        });
        let blocks = blocks.collect();
        Some(Group { number: 0, arena, blocks, passes: 0, in_vain: None })
    }

    /// Runs each thread that can go on until it waits.
    fn pass(&mut self, group: &mut Group) -> Result<Outcome, Failure> {
        let mut got = Got::Nowhere;
        for block in group.blocks.iter_mut().filter(|block| block.alive > 0) {
            if block.spinning > 0 {
                block.wake();
            }
            for first in (0..block.states.len()).step_by(WARP) {
                got = got.max(self.run_warp(block, first)?);
            }
            if block.alive == 0
                && let Some(check) = self.checking()
            {
                check.end(&block.place);
            }
        }
        let met = meet_clusters(group, self.launch.shape.in_cluster() as usize, self.checking()) | meet_grid(group, self.checking());
        got = if met { Got::Further } else { got };
        if group.blocks.iter().all(|block| block.alive == 0) {
            return Ok(Outcome::Ended);
        }
        if got > Got::Nowhere {
            group.in_vain = None;
            return Ok(Outcome::Got(got));
        }
        if group.blocks.iter().all(|block| block.spinning == 0) || self.waits_in_vain(group) {
            return Err(self.launch.stuck(group.blocks.iter().map(|block| (&*block.place, &block.states[..]))));
        }
        Ok(Outcome::Got(got))
    }

    /// Whether threads of a group have looked often enough at mbarriers that nobody else can arrive at.
    fn waits_in_vain(&self, group: &mut Group) -> bool {
        let looks_elsewhere = group.blocks.iter().any(|block| {
            block.states.iter().zip(&block.runners).any(|(state, runner)| {
                let looked_at = runner.as_ref().and_then(|runner| {
                    // SAFETY: the thread is the runner's, and does not run.
                    unsafe { runner.thread.as_ref() }.looked_at
                });
                state.spins() && !matches!(looked_at, Some((_, Spin::Mbarrier, ..)))
            })
        });
        if looks_elsewhere {
            group.in_vain = None;
            return false;
        }
        let (since, looks) = group.in_vain.get_or_insert_with(|| (Instant::now(), 0));
        *looks += 1;
        *looks > MBARRIER_LOOKS && since.elapsed() > MBARRIER_PATIENCE
    }

    /// Runs the threads of a warp, whose first has the number `first`, until none can go on by itself; how far any got.
    fn run_warp(&mut self, block: &mut Block, first: usize) -> Result<Got, Failure> {
        let mut got = Got::Nowhere;
        let last = block.states.len().min(first + WARP);
        loop {
            let mut ran = false;
            for number in first..last {
                let answer = match block.states[number] {
                    State::Ready(answer) => answer,
                    State::New => 0,
                    State::Waits(_) | State::Exited => continue,
                };
                ran = true;
                got = got.max(self.step(block, number, answer)?);
            }
            if !ran && !block.states[first..last].iter().any(|state| state.waits().is_some()) {
                return Ok(got);
            }
            let warp = &mut block.states[first..last];
            let number = block.place.number();
            let runners = &mut block.runners;
            let met = meeting::meet_lanes(warp, |came, strangers| {
                let Some(check) = self.checking() else { return };
                // Of what the lanes of a warp do together, only their barrier orders memory (PTX ISA, `bar.warp.sync`).
                if came.iter().any(|(_, exchange)| *exchange == Exchange::Barrier) {
                    check.meet(came.iter().map(|(lane, _)| Who { block: number, thread: (first + lane) as u32 }));
                }
                for &(lane, source, site) in strangers {
                    if let Some(runner) = &mut runners[first + lane] {
                        check.read_nobody(runner.thread(), site, source);
                    }
                }
            });
            let met = met.map_err(|lane| {
                let state = warp[lane];
                let thread = block.runners[first + lane].as_mut().map(Runner::thread);
                thread.map_or_else(no_memory, |thread| self.launch.outside_mask(thread, state))
            })?;
            if !met && !meeting::meet_active(warp) {
                return Ok(got);
            }
            got = Got::Further;
        }
    }

    /// Runs a thread until it waits or exits; how far it got.
    fn step(&mut self, block: &mut Block, number: usize, answer: u32) -> Result<Got, Failure> {
        let started = block.place.next.get();
        let mut runner = match block.runners[number].take() {
            Some(runner) => runner,
            None => {
                let mut runner = self.spare.pop().map_or_else(|| self.runner(), Ok)?;
                runner.thread().move_to(&block.place);
                runner.thread().start_next(&block.place);
                runner
            }
        };
        let before = started.max(number + 1);
        // SAFETY: the image gives the address of a variable of this thread of the system.
        unsafe { *(self.launch.image.current)() = runner.thread.as_ptr() };
        let step = runner.fiber.resume(answer);
        // The fiber has run all threads between to their end.
        let now = runner.thread().number as usize;
        if now != number {
            block.states[number] = State::Exited;
            block.states[before..now].fill(State::Exited);
            block.alive -= 1 + now - before;
        }
        let mut wait = match step {
            Step::Waits(wait) => wait,
            Step::Ended(Exit::Fault(fault)) => return Err(self.launch.faulted(runner.thread(), fault)),
            // A fiber runs for ever.
            Step::Ended(Exit::Returned) => Wait { site: 0, why: Why::NextThread },
        };
        wait.site = self.spots.of(runner.thread(), wait.site);
        let mut got = Got::Further;
        block.states[now] = match wait.why {
            Why::NextThread => {
                block.alive -= 1;
                self.spare.push(runner);
                block.states[now] = State::Exited;
                return Ok(Got::Further);
            }
            Why::Trap => return Err(self.launch.panicked(runner.thread(), wait.site)),
            Why::OutOfBounds { index, length } => return Err(self.launch.out_of_bounds(runner.thread(), wait.site, index, length)),
            Why::Failure => return Err(self.launch.failed(runner.thread(), wait.site)),
            Why::Spin { what, address, value } => {
                let looks = Some((wait.site, what, address, value));
                got = if what != Spin::Sleep && runner.thread().looked_at != looks { Got::Around } else { Got::Nowhere };
                if what != Spin::Sleep {
                    runner.thread().looked_at = looks;
                }
                block.spinning += 1;
                State::Waits(wait)
            }
            Why::ClusterArrive { releases } if block.arrive_at_cluster(now) => {
                if let Some(check) = self.checking() {
                    check.arrive_at_cluster(block.who(now), block.place.cluster, block.cluster_phase, releases);
                }
                State::Ready(0)
            }
            Why::ClusterArrive { .. } => {
                return Err(self.launch.failed_at(runner.thread(), wait, "a second time before it has waited there"));
            }
            Why::ClusterWait if block.cluster_phases[now].is_none() => {
                return Err(self.launch.failed_at(runner.thread(), wait, "to wait without having arrived"));
            }
            Why::Grid if !block.place.shape.cooperative => {
                return Err(self.launch.failed_at(runner.thread(), wait, "in a launch that is not cooperative"));
            }
            _ => State::Waits(wait),
        };
        block.runners[now] = Some(runner);
        if let Why::Barrier { number, count, .. } | Why::Arrive { number, count } = wait.why {
            self.come(block, now, wait, number, count)?;
        }
        Ok(if now == number { got } else { Got::Further })
    }

    /// Takes note of a thread that has come to a barrier of its block, and lets those go on that wait there once all have.
    fn come(&self, block: &mut Block, thread: usize, wait: Wait, number: u32, count: u32) -> Result<(), Failure> {
        let threads = block.states.len();
        let came = match block.barriers.get_mut(number as usize) {
            Some(barrier) => barrier.come(thread, count, threads),
            None => Err(Misuse::Number),
        };
        let is_complete = match came {
            Ok(is_complete) => is_complete,
            Err(misuse) => {
                let thread = block.runners[thread].as_mut().map(Runner::thread);
                return Err(thread.map_or_else(no_memory, |thread| self.launch.misused(thread, wait, misuse)));
            }
        };
        if let Why::Arrive { .. } = wait.why {
            block.states[thread] = State::Ready(0);
        }
        if let Some(check) = self.checking() {
            check.come_to_barrier(block.who(thread), number);
        }
        if is_complete { self.complete(block, number) } else { Ok(()) }
    }

    /// Lets the threads go on that wait at a barrier of their block, which is complete.
    fn complete(&self, block: &mut Block, number: u32) -> Result<(), Failure> {
        block.barriers[number as usize] = Barrier::default();
        let here = |state: &State| match state.waits() {
            Some(Wait { site, why: Why::Barrier { number: its, reduce, .. } }) if its == number => Some((site, reduce)),
            _ => None,
        };
        // The aligned form takes all threads of a warp to one instruction.
        let diverged = block.states.chunks(WARP).any(|warp| {
            let mut calls = warp.iter().filter_map(|state| here(state).map(|(site, _)| site));
            calls.next().is_some_and(|first| calls.any(|site| site != first))
        });
        let kinds = |state: &State| here(state).map(|(_, reduce)| reduce.map(|(reduce, _)| reduce));
        let mut reduce = block.states.iter().filter_map(kinds);
        let first = reduce.next().flatten();
        if diverged || reduce.any(|other| other != first) {
            return Err(self.launch.diverged(&block.place, &block.states));
        }
        let predicates = block.states.iter().filter_map(|state| here(state)?.1).map(|(_, predicate)| predicate);
        let answer = first.map_or(0, |reduce| meeting::reduce_predicates(reduce, predicates));
        if let Some(check) = self.checking() {
            self.met.set(block.states.iter().find(|state| here(state).is_some()).and_then(|state| state.waits()));
            let waiting = block.states.iter().enumerate().filter(|(_, state)| here(state).is_some());
            check.complete_barrier(block.place.number(), number, waiting.map(|(thread, _)| thread as u32));
        }
        block.states.iter_mut().filter(|state| here(state).is_some()).for_each(|state| *state = State::Ready(answer));
        Ok(())
    }

    /// A fiber that will run the threads that it is given, and after each the next of its block.
    fn runner(&self) -> Result<Runner, Failure> {
        let (entry, parameters) = (self.launch.kernel.entry, self.launch.parameters.as_ptr().cast());
        let thread = Box::into_raw(Box::new(Thread::new()));
        // SAFETY: the fiber is dropped before the thread and the parameters; kernels own nothing that is dropped.
        let fiber = unsafe {
            Fiber::new(move |suspender: &Suspender| {
                (*thread).suspender = suspender;
                loop {
                    entry(parameters);
                    let place = (*thread).place;
                    if !(*thread).start_next(&*place) {
                        suspender.suspend(Wait { site: 0, why: Why::NextThread });
                    }
                }
            })
        };
        // SAFETY: it comes from a box, so it is not null.
        let thread = unsafe { NonNull::new_unchecked(thread) };
        match fiber {
            Some(fiber) => {
                // SAFETY: made above, and the fiber has not started.
                unsafe { (*thread.as_ptr()).stack = fiber.stack };
                Ok(Runner { fiber, thread })
            }
            None => {
                // SAFETY: made above.
                drop(unsafe { Box::from_raw(thread.as_ptr()) });
                Err(no_memory())
            }
        }
    }
}

impl Group {
    fn threads(&self) -> u64 {
        self.blocks.iter().map(|block| block.states.len() as u64).sum()
    }
}

impl Block {
    fn who(&self, thread: usize) -> Who {
        Who { block: self.place.number(), thread: thread as u32 }
    }

    /// Lets the threads that spin look again.
    fn wake(&mut self) {
        self.spinning = 0;
        self.states.iter_mut().filter(|state| state.spins()).for_each(|state| *state = State::Ready(0));
    }

    /// Takes note of a thread that has come to its cluster's barrier; `false` where it has before.
    fn arrive_at_cluster(&mut self, thread: usize) -> bool {
        let is_new = self.cluster_phases[thread].is_none();
        self.cluster_phases[thread].get_or_insert(self.cluster_phase);
        is_new
    }
}

/// Lets threads go on that wait at the barriers of their clusters; whether there were any.
fn meet_clusters(group: &mut Group, in_cluster: usize, mut check: Option<&mut Check<'_>>) -> bool {
    let waits = |state: &State| matches!(state.waits(), Some(Wait { why: Why::ClusterWait, .. }));
    let mut any = false;
    for blocks in group.blocks.chunks_mut(in_cluster) {
        if !blocks.iter().any(|block| !block.cluster_phases.is_empty() && block.states.iter().any(waits)) {
            continue;
        }
        let has_come = |block: &Block| {
            let mut threads = block.states.iter().zip(&block.cluster_phases);
            threads.all(|(state, came)| *state == State::Exited || *came == Some(block.cluster_phase))
        };
        let is_complete = blocks.iter().all(has_come);
        for block in blocks {
            block.cluster_phase += u64::from(is_complete);
            let number = block.place.number();
            let mut released = Vec::new();
            for (thread, (state, came)) in block.states.iter_mut().zip(&mut block.cluster_phases).enumerate() {
                if waits(state) && came.is_some_and(|came| came < block.cluster_phase) {
                    (*state, *came) = (State::Ready(0), None);
                    released.push(Who { block: number, thread: thread as u32 });
                }
            }
            any |= !released.is_empty();
            if let Some(check) = &mut check {
                check.wait_at_cluster(&released, block.place.cluster, block.cluster_phase - 1);
            }
        }
    }
    any
}

/// Lets the threads of a cooperative launch go on that all wait at the grid's barrier; whether they do.
fn meet_grid(group: &mut Group, check: Option<&mut Check<'_>>) -> bool {
    let waits = |state: &State| matches!(state.waits(), Some(Wait { why: Why::Grid, .. }));
    let all = group.blocks.iter().all(|block| block.states.iter().all(waits));
    if all {
        if let Some(check) = check {
            check.meet(group.blocks.iter().flat_map(|block| (0..block.states.len()).map(|thread| block.who(thread))));
        }
        group.blocks.iter_mut().for_each(|block| block.states.fill(State::Ready(0)));
    }
    all
}

/// Since when, and how often, threads have met while nobody wrote anything.
struct Unwritten {
    writes: u64,
    since: Instant,
    meetings: u32,
}

impl Unwritten {
    fn new(writes: u64) -> Self {
        Self { writes, since: Instant::now(), meetings: 0 }
    }

    fn is_for_long(&mut self) -> bool {
        self.meetings = self.meetings.saturating_add(1);
        self.meetings > CHECKED_MEETINGS && self.since.elapsed() > CHECKED_PATIENCE
    }
}

/// A worker all of whose threads spin.
struct Idle {
    looks: u32,
    since: Instant,
    steps: u64,
    /// What the workers had looked at then.
    others: Vec<u64>,
}

impl Idle {
    fn new(progress: &Progress) -> Self {
        Self { looks: 0, since: Instant::now(), steps: progress.steps.load(Ordering::Relaxed), others: progress.looks() }
    }

    /// Waits a little; whether no worker has got on for too long.
    fn is_over(&mut self, progress: &Progress, worker: usize, patience: Duration) -> bool {
        progress.looks[worker].fetch_add(1, Ordering::Relaxed);
        self.looks += 1;
        if self.looks < QUICK_LOOKS {
            thread::yield_now();
            return false;
        }
        thread::sleep(SLEEP);
        if progress.steps.load(Ordering::Relaxed) != self.steps {
            *self = Self { looks: self.looks, ..Self::new(progress) };
        }
        // A worker that does not look again is at work.
        let all_look = progress.looks().iter().zip(&self.others).all(|(now, before)| *now > before.saturating_add(1) || *now == u64::MAX);
        all_look && self.since.elapsed() > patience
    }
}
