//! What all functions use that images call: their table, waiting, and failing.

use crate::exec::{
    block::BlockContext,
    check::{
        Check,
        access::{Access, AccessFlags},
        race::Race,
    },
    failure::{Cause, Failure},
    launch::ThreadId,
    thread::Thread,
    wait::{Wait, WaitReason},
};

/// Functions by name.
pub type Functions = &'static [(&'static str, Address)];

#[derive(Clone, Copy)]
pub struct Address(pub *const ());

// SAFETY: the address of code.
unsafe impl Sync for Address {}

/// The table of some functions.
macro_rules! functions {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), $crate::exec::functions::call::Address($name as *const ()))),*] };
}
pub(crate) use functions;

/// Suspends the fiber of `thread`, which runs on it, until the scheduler has a result for it.
///
/// # Safety
///
/// `thread` is the one that calls this.
pub unsafe fn wait(thread: *mut Thread, site: u32, reason: WaitReason) -> u32 {
    // SAFETY: a thread is alive while it runs, and its suspender is that of the fiber that it runs on.
    unsafe { &*(*thread).suspender }.suspend(Wait { site, reason })
}

/// Ends the launch; the message continues the thread's name.
///
/// # Safety
///
/// As for [`wait`]; the caller has nothing to drop, since this never returns.
pub unsafe fn fail(thread: *mut Thread, site: u32, cause: Cause, message: String) -> ! {
    // SAFETY: as above.
    unsafe {
        (*thread).failure = Some(Failure { cause, message });
        loop {
            wait(thread, site, WaitReason::Failure);
        }
    }
}

/// The block of a thread.
///
/// # Safety
///
/// `thread` is the one that calls this.
pub unsafe fn block<'a>(thread: *mut Thread) -> &'a BlockContext {
    // SAFETY: a block lives while its threads run.
    unsafe { &*(*thread).block_context }
}

/// The thread in the grid.
///
/// # Safety
///
/// `thread` is the one that calls this.
pub unsafe fn id(thread: *mut Thread) -> ThreadId {
    // SAFETY: the caller's.
    unsafe { (*thread).id() }
}

/// The checks of accesses, where the image asks for them.
///
/// # Safety
///
/// As for [`wait`]; nobody else uses it while the fiber runs.
pub unsafe fn checks<'a>(thread: *mut Thread) -> Option<&'a mut Check<'static>> {
    // SAFETY: the scheduler's, which waits for the fiber.
    unsafe { block(thread).check.as_mut() }
}

/// The checker of races, where the image asks for it.
///
/// # Safety
///
/// As for [`checks`].
pub unsafe fn race<'a>(thread: *mut Thread) -> Option<&'a mut Race> {
    // SAFETY: passed on.
    unsafe { checks(thread) }.and_then(Check::race)
}

/// Checks an access that the thread is about to make, where the image asks for it.
///
/// # Safety
///
/// As for [`fail`].
pub unsafe fn check_access(thread: *mut Thread, site: u32, address: usize, bytes: usize, flags: AccessFlags) {
    // SAFETY: the caller's.
    unsafe {
        let Some(checks) = checks(thread) else { return };
        let (it, block) = (&*thread, block(thread));
        let access = Access {
            thread: it.id(),
            arena: block.arena(),
            slot: block.slot,
            stack: it.stack,
            call_stack: it.call_stack(),
            site,
            address,
            bytes,
            flags,
        };
        if let Err(Failure { cause, message }) = checks.access(&access) {
            fail(thread, u32::MAX, cause, message);
        }
    }
}

/// The block that an address in shared memory belongs to, by its slot, and the offset from its start.
///
/// # Safety
///
/// As for [`fail`].
pub unsafe fn shared(thread: *mut Thread, site: u32, address: usize) -> (usize, usize) {
    // SAFETY: as above.
    let arena = unsafe { block(thread) }.arena();
    let found = arena.find(address).and_then(|(slot, offset)| Some((slot, usize::try_from(offset).ok()?)));
    match found {
        // The end of an array is an address too.
        Some((slot, offset)) if offset <= arena.bytes() => (slot, offset),
        // SAFETY: as above.
        _ => unsafe { fail(thread, site, Cause::LaunchFailed, format!("uses {address:#x} as an address in shared memory")) },
    }
}
