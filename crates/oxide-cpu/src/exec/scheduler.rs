//! Runs the threads of blocks: each on a fiber once it has to wait; threads that never wait run one after another on one fiber.
//!
//! Blocks that may wait for one another are resident together: those of a cluster, and all of a cooperative launch. Where all threads of
//! such a group only poll memory that others may change, the next group starts beside it, as on a GPU with room for it.

use std::{
    cell::Cell,
    ptr::{self, NonNull},
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use super::{
    barrier::{self, BARRIERS, Barrier, Misuse},
    block::BlockContext,
    call_sites::CallSites,
    check::{Check, race::Race},
    failure::{Cause, Failure},
    fault::Exit,
    fiber::{Fiber, Step, Suspender},
    group::{Block, Group, Runner, complete_cluster_barriers, complete_grid_barrier},
    launch::{Launch, position},
    limits::WARP,
    progress::{CHECKED_SPIN_TIMEOUT, Idle, Progress, SPIN_TIMEOUT, SilentBarriers},
    shared_memory::Arena,
    thread::Thread,
    wait::{Collective, Spin, ThreadState, Wait, WaitReason},
    warp::{InactiveSource, complete_active_masks, complete_collectives},
};

/// Rounds of polling, or of completed barriers, before other groups start beside those that run.
const ROUNDS_BEFORE_NEXT_GROUP: u32 = 64;

/// Turns of a group's threads before those of another group.
const PASSES_PER_TURN: u32 = 256;

/// How long, and how often, threads may poll an mbarrier at which no thread of their group is left to arrive.
const MBARRIER_TIMEOUT: Duration = Duration::from_secs(1);
const MBARRIER_POLLS: u32 = 1000;

/// What one thread of the system runs of a launch.
pub struct Worker<'a> {
    launch: &'a Launch<'a>,
    progress: &'a Progress,
    number: usize,
    /// Threads that may be on fibers at a time.
    max_threads: u64,
    /// Fibers that run no thread.
    spare: Vec<Runner>,
    /// Groups that have ended, for reuse.
    ended: Vec<Group>,
    sites: CallSites<'a>,
    /// The block barrier that was completed last.
    last_barrier: Cell<Option<Wait>>,
    /// The checks of accesses, or null: a box of its own, which scheduler and fibers use in turn.
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

/// How far threads have advanced, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Advance {
    /// Not at all: they wait, or have polled the same value again.
    Stalled,
    /// They have polled another address or value than before.
    Polled,
    Advanced,
}

/// The result of running a group until none of its threads could continue.
enum Outcome {
    Ended,
    Continues(Advance),
}

type Numbered<T> = Result<T, (u64, Failure)>;

impl<'a> Worker<'a> {
    pub fn new(launch: &'a Launch<'a>, progress: &'a Progress, number: usize, max_threads: u64) -> Self {
        let sites = CallSites::new(launch.chains, launch.image.site_count);
        let check = Check::new(launch).map_or(ptr::null_mut(), |check| Box::into_raw(Box::new(check)).cast());
        Self { launch, progress, number, max_threads, spare: Vec::new(), ended: Vec::new(), sites, last_barrier: Cell::new(None), check }
    }

    /// The checks of accesses, where the image asks for them.
    #[allow(clippy::mut_from_ref)]
    fn checks(&self) -> Option<&mut Check<'a>> {
        // SAFETY: used in turn with the fibers, which do not run now, and for no longer than a statement.
        unsafe { self.check.cast::<Check<'a>>().as_mut() }
    }

    /// The checker of races, where the image asks for it.
    #[allow(clippy::mut_from_ref)]
    fn race(&self) -> Option<&mut Race> {
        self.checks().and_then(Check::race)
    }

    /// Runs the groups whose numbers `next` returns, until it returns none.
    ///
    /// # Errors
    ///
    /// The first failure, with the number of its group.
    pub fn run(&mut self, next: impl FnMut() -> Option<u64>) -> Numbered<()> {
        let result = self.run_groups(next);
        let number = result.as_ref().err().map_or(0, |(number, _)| *number);
        match self.checks() {
            Some(checks) => checks.end_launch(result.map_err(|(_, failure)| failure)).map_err(|failure| (number, failure)),
            None => result,
        }
    }

    fn run_groups(&mut self, mut next: impl FnMut() -> Option<u64>) -> Numbered<()> {
        let mut groups: Vec<Group> = Vec::new();
        let mut idle: Option<Idle> = None;
        let mut silent: Option<SilentBarriers> = None;
        let mut last_end = Instant::now();
        let mut have_advanced = false;
        let mut rounds = 0;
        loop {
            if groups.is_empty() {
                let Some(number) = next() else { return Ok(()) };
                groups.push(self.start(number).map_err(|failure| (number, failure))?);
            }
            let mut advance = Advance::Stalled;
            let mut has_ended = false;
            let mut at = 0;
            while at < groups.len() {
                match self.pass(&mut groups[at]).map_err(|failure| (groups[at].number, failure))? {
                    Outcome::Ended => {
                        (advance, has_ended) = (Advance::Advanced, true);
                        self.ended.push(groups.remove(at));
                    }
                    Outcome::Continues(Advance::Advanced) => {
                        advance = Advance::Advanced;
                        groups[at].passes += 1;
                        if groups[at].passes.is_multiple_of(PASSES_PER_TURN) {
                            at += 1;
                            rounds += ROUNDS_BEFORE_NEXT_GROUP / 4;
                        }
                    }
                    Outcome::Continues(its) => {
                        advance = advance.max(its);
                        at += 1;
                    }
                }
            }
            if advance > Advance::Stalled {
                idle = None;
                self.progress.step();
            }
            // Threads that only spin are idle, which has a timeout below.
            if advance == Advance::Advanced
                && let Some(writes) = self.checks().map(|checks| checks.writes)
            {
                let since = silent.get_or_insert_with(|| SilentBarriers::new(writes));
                if has_ended || since.writes != writes {
                    *since = SilentBarriers::new(writes);
                }
                if let Some(group) = groups.first().filter(|_| since.is_timeout()) {
                    let block = group.blocks.iter().find(|block| block.alive > 0).unwrap_or(&group.blocks[0]);
                    let failure = self.launch.barrier_timeout(&block.context, self.last_barrier.get(), CHECKED_SPIN_TIMEOUT);
                    return Err((group.number, failure));
                }
            }
            // Threads that loop, with barriers or without, may do so until other groups have run.
            rounds = if has_ended { 0 } else { rounds + 1 };
            have_advanced |= advance == Advance::Advanced;
            if has_ended {
                last_end = Instant::now();
            }
            if advance > Advance::Stalled && rounds < ROUNDS_BEFORE_NEXT_GROUP {
                continue;
            }
            rounds = 0;
            if std::mem::take(&mut have_advanced) && self.launch.image.checks == 0 && last_end.elapsed() > SPIN_TIMEOUT {
                self.report_barrier_loop(&groups);
            }
            let running: u64 = groups.iter().map(Group::threads).sum();
            let of_one = groups.first().map_or(1, Group::threads);
            if running + of_one <= self.max_threads
                && let Some(number) = next()
            {
                groups.push(self.start(number).map_err(|failure| (number, failure))?);
                continue;
            }
            if self.progress.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if advance > Advance::Stalled {
                continue;
            }
            let idle = idle.get_or_insert_with(|| Idle::new(self.progress));
            if idle.is_timeout(self.progress, self.number, self.spin_timeout()) {
                let blocks = groups.iter().flat_map(|group| group.blocks.iter().map(|block| (&*block.context, &block.states[..])));
                return Err((groups[0].number, self.launch.spin_timeout(blocks)));
            }
        }
    }

    /// Reports, once a launch, threads that have looped over barriers for long: whether they ever end is unknown.
    fn report_barrier_loop(&self, groups: &[Group]) {
        let block = groups.iter().flat_map(|group| &group.blocks).find(|block| block.alive > 0);
        if let Some(block) = block
            && self.progress.is_first_report()
        {
            let more = "; `oxide run --check all` ends such a loop where no thread writes to memory";
            eprintln!("oxide: {}", self.launch.barrier_loop(&block.context, self.last_barrier.get(), SPIN_TIMEOUT, more));
        }
    }

    fn spin_timeout(&self) -> Duration {
        if self.launch.image.checks == 0 { SPIN_TIMEOUT } else { CHECKED_SPIN_TIMEOUT }
    }

    /// Prepares a group, of which no thread has started.
    fn start(&mut self, number: u64) -> Result<Group, Failure> {
        let spare = self.ended.pop();
        let mut group = spare.map_or_else(|| self.group(number == 0).ok_or_else(no_memory), Ok)?;
        group.arena.clear();
        (group.number, group.passes, group.mbarrier_polls) = (number, 0, None);
        let shape = &self.launch.shape;
        let in_cluster = shape.in_cluster();
        let first = number * (group.blocks.len() as u64 / in_cluster);
        for (slot, block) in group.blocks.iter_mut().enumerate() {
            let (cluster, rank) = (first + slot as u64 / in_cluster, slot as u64 % in_cluster);
            let (cluster, within) = (position(cluster, shape.clusters()), position(rank, shape.cluster_dim));
            block.context.position = [0, 1, 2].map(|axis| cluster[axis] * shape.cluster_dim[axis] + within[axis]);
            block.context.cluster = cluster;
            block.context.next.set(0);
            block.states.fill(ThreadState::New);
            block.barriers = [Barrier::default(); BARRIERS];
            block.cluster_phases.fill(None);
            (block.cluster_phase, block.alive, block.spinning) = (0, block.states.len(), 0);
            if let Some(checks) = self.checks() {
                checks.begin_block(block.context.number(), &group.arena, slot);
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
            let context = BlockContext {
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
                context: Box::new(context),
                states: vec![ThreadState::New; threads],
                runners: (0..threads).map(|_| None).collect(),
                barriers: [Barrier::default(); BARRIERS],
                cluster_phases: vec![None; if self.launch.kernel.synchronizes == 0 { 0 } else { threads }],
                cluster_phase: 0,
                alive: threads,
                spinning: 0,
            }
        });
        let blocks = blocks.collect();
        Some(Group { number: 0, arena, blocks, passes: 0, mbarrier_polls: None })
    }

    /// Runs each thread that can continue until it waits.
    fn pass(&mut self, group: &mut Group) -> Result<Outcome, Failure> {
        let mut advance = Advance::Stalled;
        for block in group.blocks.iter_mut().filter(|block| block.alive > 0) {
            if block.spinning > 0 {
                block.wake();
            }
            for first in (0..block.states.len()).step_by(WARP) {
                advance = advance.max(self.run_warp(block, first)?);
            }
            if block.alive == 0
                && let Some(checks) = self.checks()
            {
                checks.end_block(block.context.number(), &group.arena, block.context.slot);
            }
        }
        let in_cluster = self.launch.shape.in_cluster() as usize;
        if complete_cluster_barriers(group, in_cluster, self.race()) | complete_grid_barrier(group, self.race()) {
            advance = Advance::Advanced;
        }
        if group.blocks.iter().all(|block| block.alive == 0) {
            return Ok(Outcome::Ended);
        }
        if advance > Advance::Stalled {
            group.mbarrier_polls = None;
            return Ok(Outcome::Continues(advance));
        }
        if group.blocks.iter().all(|block| block.spinning == 0) || is_mbarrier_timeout(group) {
            return Err(self.launch.deadlock(group.blocks.iter().map(|block| (&*block.context, &block.states[..]))));
        }
        Ok(Outcome::Continues(advance))
    }

    /// Runs the threads of a warp, whose first has the number `first`, until none can continue; how far any advanced.
    fn run_warp(&mut self, block: &mut Block, first: usize) -> Result<Advance, Failure> {
        let mut advance = Advance::Stalled;
        let last = block.states.len().min(first + WARP);
        loop {
            let mut ran = false;
            for number in first..last {
                let result = match block.states[number] {
                    ThreadState::Ready(result) => result,
                    ThreadState::New => 0,
                    ThreadState::Waits(_) | ThreadState::Exited => continue,
                };
                ran = true;
                advance = advance.max(self.step(block, number, result)?);
            }
            if !ran && !block.states[first..last].iter().any(|state| state.waits().is_some()) {
                return Ok(advance);
            }
            let warp = &mut block.states[first..last];
            let (context, runners) = (&block.context, &mut block.runners);
            let completed = complete_collectives(warp, |participants, inactive| {
                // Of the collective operations of a warp, only its barrier orders memory (PTX ISA, `bar.warp.sync`).
                if participants.iter().any(|(_, collective)| *collective == Collective::Barrier)
                    && let Some(race) = self.race()
                {
                    race.synchronize(participants.iter().map(|(lane, _)| context.id(first + lane)));
                }
                let Some(checks) = self.checks() else { return };
                for &InactiveSource { lane, source, site } in inactive {
                    if let Some(runner) = &mut runners[first + lane] {
                        let thread = runner.thread();
                        checks.inactive_source(thread.id(), thread.lane, thread.call_stack(), site, source);
                    }
                }
            });
            let completed = completed.map_err(|lane| {
                let state = warp[lane];
                let thread = block.runners[first + lane].as_mut().map(Runner::thread);
                thread.map_or_else(no_memory, |thread| self.launch.outside_mask(thread, state))
            })?;
            if !completed && !complete_active_masks(warp) {
                return Ok(advance);
            }
            advance = Advance::Advanced;
        }
    }

    /// Runs a thread until it waits or exits; how far it advanced.
    fn step(&mut self, block: &mut Block, number: usize, result: u32) -> Result<Advance, Failure> {
        let started = block.context.next.get();
        let mut runner = match block.runners[number].take() {
            Some(runner) => runner,
            None => {
                let mut runner = self.spare.pop().map_or_else(|| self.runner(), Ok)?;
                runner.thread().move_to(&block.context);
                runner.thread().start_next(&block.context);
                runner
            }
        };
        let before = started.max(number + 1);
        // SAFETY: the image gives the address of a variable of this thread of the system.
        unsafe { *(self.launch.image.current)() = runner.thread.as_ptr().cast() };
        let step = runner.fiber.resume(result);
        // The fiber has run all threads before this one to their end.
        let now = runner.thread().number as usize;
        if now != number {
            block.states[number] = ThreadState::Exited;
            block.states[before..now].fill(ThreadState::Exited);
            block.alive -= 1 + now - before;
        }
        let mut wait = match step {
            Step::Waits(wait) => wait,
            Step::Ended(Exit::Fault(fault)) => return Err(self.launch.faulted(runner.thread(), fault)),
            // Fibers do not return.
            Step::Ended(Exit::Returned) => Wait { site: 0, reason: WaitReason::Exited },
        };
        wait.site = self.sites.of(runner.thread().call_stack(), wait.site);
        let mut advance = Advance::Advanced;
        block.states[now] = match wait.reason {
            WaitReason::Exited => {
                block.alive -= 1;
                self.spare.push(runner);
                block.states[now] = ThreadState::Exited;
                return Ok(Advance::Advanced);
            }
            WaitReason::Trap => return Err(self.launch.panicked(runner.thread(), wait.site)),
            WaitReason::OutOfBounds { index, length } => return Err(self.launch.out_of_bounds(runner.thread(), wait.site, index, length)),
            WaitReason::Failure => return Err(self.launch.failed(runner.thread(), wait.site)),
            WaitReason::Spin { what, address, value } => {
                let poll = Some((wait.site, what, address, value));
                advance = if what != Spin::Sleep && runner.thread().last_poll != poll { Advance::Polled } else { Advance::Stalled };
                if what != Spin::Sleep {
                    runner.thread().last_poll = poll;
                }
                block.spinning += 1;
                ThreadState::Waits(wait)
            }
            WaitReason::ClusterArrive { releases } if block.arrive_at_cluster(now) => {
                if let Some(race) = self.race() {
                    race.arrive_at_cluster(block.context.id(now), block.context.cluster, block.cluster_phase, releases);
                }
                ThreadState::Ready(0)
            }
            WaitReason::ClusterArrive { .. } => {
                return Err(self.launch.illegal_arrival(runner.thread(), wait, "a second time before it has waited there"));
            }
            WaitReason::ClusterWait if block.cluster_phases[now].is_none() => {
                return Err(self.launch.illegal_arrival(runner.thread(), wait, "to wait, but has not arrived before"));
            }
            WaitReason::Grid if !block.context.shape.cooperative => {
                return Err(self.launch.illegal_arrival(runner.thread(), wait, "in a launch that is not cooperative"));
            }
            _ => ThreadState::Waits(wait),
        };
        block.runners[now] = Some(runner);
        if let WaitReason::Barrier { number, count, .. } | WaitReason::Arrive { number, count } = wait.reason {
            self.arrive(block, now, wait, number, count)?;
        }
        Ok(if now == number { advance } else { Advance::Advanced })
    }

    /// Counts the arrival of a thread at a barrier of its block, and completes the barrier where it is the last.
    fn arrive(&self, block: &mut Block, thread: usize, wait: Wait, number: u32, count: u32) -> Result<(), Failure> {
        let threads = block.states.len();
        let arrival = match block.barriers.get_mut(number as usize) {
            Some(barrier) => barrier.arrive(thread, count, threads),
            None => Err(Misuse::Number),
        };
        let is_complete = match arrival {
            Ok(is_complete) => is_complete,
            Err(misuse) => {
                let thread = block.runners[thread].as_mut().map(Runner::thread);
                return Err(thread.map_or_else(no_memory, |thread| self.launch.barrier_misuse(thread, wait, misuse)));
            }
        };
        if let WaitReason::Arrive { .. } = wait.reason {
            block.states[thread] = ThreadState::Ready(0);
        }
        if let Some(race) = self.race() {
            race.arrive_at_barrier(block.context.id(thread), number);
        }
        if is_complete { self.complete(block, number) } else { Ok(()) }
    }

    /// Makes the threads ready that wait at a barrier of their block, which is complete.
    fn complete(&self, block: &mut Block, number: u32) -> Result<(), Failure> {
        block.barriers[number as usize] = Barrier::default();
        let here = |state: &ThreadState| match state.waits() {
            Some(Wait { site, reason: WaitReason::Barrier { number: its, reduce, .. } }) if its == number => Some((site, reduce)),
            _ => None,
        };
        // The aligned form takes all threads of a warp to one instruction.
        let diverged = block.states.chunks(WARP).any(|warp| {
            let mut calls = warp.iter().filter_map(|state| here(state).map(|(site, _)| site));
            calls.next().is_some_and(|first| calls.any(|site| site != first))
        });
        let kinds = |state: &ThreadState| here(state).map(|(_, reduce)| reduce.map(|(reduce, _)| reduce));
        let mut reduce = block.states.iter().filter_map(kinds);
        let first = reduce.next().flatten();
        if diverged || reduce.any(|other| other != first) {
            return Err(self.launch.diverged(&block.context, &block.states));
        }
        let predicates = block.states.iter().filter_map(|state| here(state)?.1).map(|(_, predicate)| predicate);
        let result = first.map_or(0, |reduce| barrier::reduce_predicates(reduce, predicates));
        if self.checks().is_some() {
            self.last_barrier.set(block.states.iter().find(|state| here(state).is_some()).and_then(|state| state.waits()));
        }
        if let Some(race) = self.race() {
            let waiting = block.states.iter().enumerate().filter(|(_, state)| here(state).is_some());
            race.complete_barrier(block.context.number(), number, waiting.map(|(thread, _)| thread as u32));
        }
        block.states.iter_mut().filter(|state| here(state).is_some()).for_each(|state| *state = ThreadState::Ready(result));
        Ok(())
    }

    /// A fiber that runs the thread that it is given, and after it the next ones of its block.
    fn runner(&self) -> Result<Runner, Failure> {
        let (entry, parameters) = (self.launch.kernel.entry, self.launch.parameters.as_ptr().cast());
        let thread = Box::into_raw(Box::new(Thread::new()));
        // SAFETY: the fiber is dropped before the thread and the parameters; kernels own nothing that is dropped.
        let fiber = unsafe {
            Fiber::new(move |suspender: &Suspender| {
                (*thread).suspender = suspender;
                loop {
                    entry(parameters);
                    let block = (*thread).block_context;
                    if !(*thread).start_next(&*block) {
                        suspender.suspend(Wait { site: 0, reason: WaitReason::Exited });
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

/// Whether threads of a group have polled long enough mbarriers at which no other thread can arrive.
fn is_mbarrier_timeout(group: &mut Group) -> bool {
    let polls_others = group.blocks.iter().any(|block| {
        block.states.iter().zip(&block.runners).any(|(state, runner)| {
            let last_poll = runner.as_ref().and_then(|runner| {
                // SAFETY: the thread is the runner's, and does not run.
                unsafe { runner.thread.as_ref() }.last_poll
            });
            state.spins() && !matches!(last_poll, Some((_, Spin::Mbarrier, ..)))
        })
    });
    if polls_others {
        group.mbarrier_polls = None;
        return false;
    }
    let (since, polls) = group.mbarrier_polls.get_or_insert_with(|| (Instant::now(), 0));
    *polls += 1;
    *polls > MBARRIER_POLLS && since.elapsed() > MBARRIER_TIMEOUT
}

fn no_memory() -> Failure {
    Failure { cause: Cause::OutOfMemory, message: "the system has no memory for the stacks of a block's threads".into() }
}
