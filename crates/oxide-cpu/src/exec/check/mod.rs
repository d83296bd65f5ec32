//! Checks the accesses of images that ask for it (`--check`): [`bounds`], [`init`] and [`race`], a checker each.
//!
//! ```text
//! race: kernel `k`: thread (1, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 4 of `k::TILE`, in `k`: at k.rs:9:5
//!   thread (0, 0, 0) of block (0, 0, 0) writes the same bytes in `k`: at k.rs:9:5, and no synchronization orders the two
//! ```
//!
//! All threads of such a launch run on one thread of the system, so that accesses have one order.

pub mod access;
pub mod address;
pub mod bounds;
pub mod checker;
pub mod clock;
pub mod findings;
pub mod init;
pub mod race;
pub mod shadow;

use self::{
    access::Access,
    address::{Addresses, Region},
    bounds::Bounds,
    checker::{Checker, Context},
    findings::{Findings, Key},
    init::Init,
    race::Race,
};
use super::{
    call_sites::CallSites,
    failure::Failure,
    launch::{Launch, ThreadId},
    shared_memory::Arena,
};

/// The checks of a launch: the sum of these, as `CHECKS` of `src/oxide/export/cpu.py`.
const MEMORY: u32 = 1;
const RACE: u32 = 2;
const INIT: u32 = 4;

/// The checks of a launch.
pub struct Check<'a> {
    context: Context<'a>,
    bounds: Option<Bounds>,
    init: Option<Init<'a>>,
    race: Option<Race>,
    /// Writes to memory that other threads may read.
    pub writes: u64,
}

impl<'a> Check<'a> {
    /// The checks of a launch; `None` where its image asks for none.
    pub fn new(launch: &'a Launch<'a>) -> Option<Self> {
        let flags = launch.image.checks;
        let context = Context {
            launch,
            addresses: Addresses::new(launch),
            sites: CallSites::new(launch.chains, launch.image.site_count),
            findings: Findings::default(),
        };
        (flags != 0).then(|| Self {
            context,
            bounds: (flags & MEMORY != 0).then_some(Bounds),
            init: (flags & INIT != 0).then(|| Init::new(launch.memory)),
            race: (flags & RACE != 0).then(|| Race::new(launch.shape.threads())),
            writes: 0,
        })
    }

    fn checkers(&mut self) -> (impl Iterator<Item = &mut dyn Checker>, &mut Context<'a>) {
        let Self { context, bounds, init, race, .. } = self;
        let bounds = bounds.iter_mut().map(|it| it as &mut dyn Checker);
        let init = init.iter_mut().map(|it| it as &mut dyn Checker);
        (bounds.chain(init).chain(race.iter_mut().map(|it| it as &mut dyn Checker)), context)
    }

    /// The checker of races, which follows what orders threads.
    pub fn race(&mut self) -> Option<&mut Race> {
        self.race.as_mut()
    }

    pub fn begin_block(&mut self, block: u32, arena: &Arena, slot: usize) {
        self.checkers().0.for_each(|checker| checker.begin_block(block, arena, slot));
    }

    /// All threads of a block have exited: its shared memory is no longer accessible.
    pub fn end_block(&mut self, block: u32, arena: &Arena, slot: usize) {
        arena.ended[slot].set(true);
        let (checkers, context) = self.checkers();
        checkers.for_each(|checker| checker.end_block(context, block, arena, slot));
    }

    /// Checks an access that a thread is about to make.
    ///
    /// # Errors
    ///
    /// A failure that the access must not be made for.
    pub fn access(&mut self, access: &Access<'_>) -> Result<(), Failure> {
        let Self { context, bounds, init, race, .. } = self;
        if let Some(race) = race {
            race.compare_values(context);
        }
        if access.bytes == 0 {
            return Ok(());
        }
        let location = context.addresses.locate(access);
        if let Some(bounds) = bounds {
            bounds.access(context, access, location)?;
        }
        if matches!(location.region, Region::Local | Region::Nowhere) {
            return Ok(());
        }
        self.writes += u64::from(access.flags.writes());
        if let Some(init) = init {
            init.access(context, access, location)?;
        }
        match race {
            Some(race) => race.access(context, access, location),
            None => Ok(()),
        }
    }

    /// A thread waits for its asynchronous copies except those of the last groups.
    pub fn wait_for_copies(&mut self, thread: ThreadId, last: usize) {
        if let Some(race) = &mut self.race {
            race.wait_for_copies(&mut self.context, thread, last);
        }
    }

    /// Reports a shuffle from a lane that does not participate, by the lane of a thread.
    pub fn inactive_source(&mut self, thread: ThreadId, lane: u32, call_stack: &[u32], site: u32, source: u32) {
        let context = &mut self.context;
        let site = context.sites.of(call_stack, site);
        if context.findings.is_new(Key::InactiveSource(site, source)) {
            let (prefix, site) = (context.thread_prefix(thread), context.launch.site(site));
            context.findings.add(format!("{prefix}, lane {lane}, reads the value of lane {source}, which does not participate, in {site}"));
        }
    }

    /// The result of the launch with its findings, which come before its failure.
    ///
    /// # Errors
    ///
    /// The findings, or the failure.
    pub fn end_launch(&mut self, result: Result<(), Failure>) -> Result<(), Failure> {
        let (checkers, context) = self.checkers();
        checkers.for_each(|checker| checker.end_launch(context, result.is_ok()));
        self.context.findings.end_launch(result)
    }
}
