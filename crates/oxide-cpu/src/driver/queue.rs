//! Queueing work in streams: the order in which it runs, and waiting for it.
//!
//! Work is done before the call that queues it returns, by the thread that makes the call, so that a kernel's error is that of its launch.
//! Host functions are the exception: they run on a thread of their stream, since they may wait for the program; work that is queued behind
//! one that has not returned runs on that thread too, and its errors are those of the context.

use std::{ops::DerefMut, sync::Arc};

use super::{
    completion::{CompleteOnDrop, Completion},
    error::{Error, Result},
    state::{self, State},
    stream::Stream,
    work::Work,
};

impl State {
    /// The work that has to end before work that is queued in a stream now: that of the stream, of the legacy default stream, and those that
    /// block with it hold (CUDA Runtime API, "Stream synchronization behavior").
    fn before(&self, stream: usize) -> Vec<Arc<Completion>> {
        let Some(own) = self.streams.get(&stream) else { return Vec::new() };
        let mut before: Vec<_> = own.unfinished().into_iter().collect();
        if self.is_legacy(stream) {
            let blocking =
                self.streams.iter().filter(|(number, other)| **number != stream && other.context == own.context && other.blocks());
            before.extend(blocking.filter_map(|(_, other)| other.unfinished()));
        } else if own.blocks() {
            before.extend(self.legacy(own.context).and_then(|legacy| self.streams[&legacy].unfinished()));
        }
        before
    }

    /// All that a stream still has to do, or a context, which has several.
    pub fn unfinished(&self, of: impl Fn(usize, &Stream) -> bool) -> Vec<Arc<Completion>> {
        self.streams.iter().filter(|(number, stream)| of(**number, stream)).filter_map(|(_, stream)| stream.unfinished()).collect()
    }

    /// What a call that waits for a stream waits for.
    pub fn until(&self, stream: usize) -> Vec<Arc<Completion>> {
        self.before(stream)
    }
}

/// Waits for all.
pub fn wait(all: &[Arc<Completion>]) {
    all.iter().for_each(|done| done.wait());
}

/// Queues work in a stream, behind `more` too, and returns its end. The locked state is unlocked while the work runs.
///
/// # Errors
///
/// Those of the work where it has run.
pub fn submit(
    mut state: impl DerefMut<Target = State>,
    stream: usize,
    mut work: Work,
    more: Vec<Arc<Completion>>,
) -> Result<Arc<Completion>> {
    let mut before = state.before(stream);
    before.extend(more.into_iter().filter(|done| !done.is_over()));
    let may_block = work.may_wait(&state) || before.iter().any(|done| done.may_block);
    let done = Completion::new(may_block);
    let ending = CompleteOnDrop(done.clone());
    let found = state.streams.get_mut(&stream).ok_or(Error::INVALID_HANDLE)?;
    let context = found.context;
    if !may_block {
        found.tail = Some(done.clone());
        drop(state);
        wait(&before);
        work.run(context)?;
        drop(ending);
        return Ok(done);
    }
    let waits = work.detach();
    found.run_behind(Box::new(move || {
        let ending = ending;
        wait(&before);
        if let Some(error) = state::failure(context) {
            work.skip(error);
        } else if let Err(error) = work.run(context) {
            state::fail(context, error);
        }
        drop(ending);
    }))?;
    found.tail = Some(done.clone());
    drop(state);
    if waits {
        done.wait();
        return state::failure(context).map_or(Ok(done), Err);
    }
    Ok(done)
}
