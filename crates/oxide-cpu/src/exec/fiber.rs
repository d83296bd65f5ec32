//! Fibers: stacks of their own, on which GPU threads run, are suspended and resumed.
//!
//! A fiber ends by returning, by a fault of the processor, which [`crate::exec::fault`] turns into a return, or by being dropped where it has
//! stopped. Kernels own nothing, so dropping one there leaks nothing.

use std::sync::{Mutex, PoisonError};

use corosensei::{
    Coroutine, CoroutineResult, Yielder,
    stack::{DefaultStack, Stack},
};

use super::{
    fault::{self, Exit},
    wait::Wait,
};

/// Bytes of a fiber's stack, above a page that faults: the local memory that a GPU's thread may have (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"), and some for the device's own frames. Only what is used takes memory.
const STACK_BYTES: usize = (512 + 64) << 10;

/// Unused stacks, for later fibers.
static STACKS: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());
const MAX_STACKS: usize = 4096;

/// Suspends a fiber from within: takes the wait and returns its result.
pub type Suspender = Yielder<u32, Wait>;

/// The result of running a fiber.
pub enum Step {
    Waits(Wait),
    Ended(Exit),
}

pub struct Fiber {
    /// The start and the end of its stack.
    pub stack: (usize, usize),
    /// `None` only while it is dropped.
    coroutine: Option<Coroutine<u32, Wait, Exit, DefaultStack>>,
}

impl Fiber {
    /// A fiber that will call `run` with its suspender; `None` where the system has no memory for its stack.
    ///
    /// # Safety
    ///
    /// What `run` borrows outlives the fiber, and none of its values needs to be dropped where it is suspended or faults.
    pub unsafe fn new(run: impl FnOnce(&Suspender)) -> Option<Self> {
        let spare = STACKS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let stack = spare.map_or_else(|| DefaultStack::new(STACK_BYTES), Ok).ok()?;
        let range = (stack.limit().get(), stack.base().get());
        // SAFETY: the caller keeps alive what `run` borrows.
        let coroutine = unsafe {
            Coroutine::with_stack_unchecked(stack, move |suspender: &Suspender, _: u32| {
                run(suspender);
                Exit::Returned
            })
        };
        Some(Self { stack: range, coroutine: Some(coroutine) })
    }

    /// Runs until the fiber is suspended or ends. `result` is that of its wait; the first one is ignored.
    pub fn resume(&mut self, result: u32) -> Step {
        let Some(coroutine) = &mut self.coroutine else { return Step::Ended(Exit::Returned) };
        let _catching = fault::TrapScope::new(coroutine.trap_handler());
        match coroutine.resume(result) {
            CoroutineResult::Yield(wait) => Step::Waits(wait),
            CoroutineResult::Return(exit) => Step::Ended(exit),
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        let Some(mut coroutine) = self.coroutine.take() else { return };
        // SAFETY: by `new`'s contract nothing on the stack needs to be dropped.
        unsafe { coroutine.force_reset() };
        let mut stacks = STACKS.lock().unwrap_or_else(PoisonError::into_inner);
        if stacks.len() < MAX_STACKS {
            stacks.push(coroutine.into_stack());
        }
    }
}
