//! The interface of a checker, and what the checkers of a launch share.

use super::{
    access::Access,
    address::{Addresses, Location},
    findings::Findings,
};
use crate::exec::{
    call_sites::CallSites,
    failure::Failure,
    launch::{Launch, ThreadId},
    shared_memory::Arena,
};

/// A checker of accesses.
pub trait Checker {
    /// A block starts, whose shared memory is that of a slot of the arena.
    fn begin_block(&mut self, _block: u32, _arena: &Arena, _slot: usize) {}

    /// All threads of a block have exited.
    fn end_block(&mut self, _context: &mut Context<'_>, _block: u32, _arena: &Arena, _slot: usize) {}

    /// Checks an access that a thread is about to make.
    ///
    /// # Errors
    ///
    /// A failure that the access must not be made for; others are findings.
    fn access(&mut self, context: &mut Context<'_>, access: &Access<'_>, location: Location) -> Result<(), Failure>;

    /// The launch ends; `completed` says whether all its threads have exited.
    fn end_launch(&mut self, _context: &mut Context<'_>, _completed: bool) {}
}

/// What the checkers of a launch share.
pub struct Context<'a> {
    pub launch: &'a Launch<'a>,
    pub addresses: Addresses<'a>,
    pub sites: CallSites<'a>,
    pub findings: Findings,
}

impl Context<'_> {
    /// The call site of an access.
    pub fn site(&mut self, access: &Access<'_>) -> u32 {
        self.sites.of(access.call_stack, access.site)
    }

    /// The start of a message about a thread.
    pub fn thread_prefix(&self, thread: ThreadId) -> String {
        format!("kernel `{}`: {}", self.launch.kernel_name(), self.launch.thread_name(thread))
    }
}
