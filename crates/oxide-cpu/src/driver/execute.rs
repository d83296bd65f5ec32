//! Runs the work of streams and graphs.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use super::{
    completion::Completion,
    error::{Error, Result},
    memory,
    state::{self, State},
    work::{HostFunction, KernelWork, Work},
};
use crate::exec::{call_sites::Chains, failure::Cause, functions, grid, launch::Launch};

/// Polls of a value before a stream sleeps between polls, and how long it sleeps.
const POLLS: u32 = 100;
const PAUSE: Duration = Duration::from_micros(50);

impl Work {
    /// Whether it may wait for the program.
    pub fn may_wait(&self, state: &State) -> bool {
        match self {
            Self::Host(_) | Self::WaitValue(..) => true,
            Self::Graph(graph) => graph.steps().iter().any(|step| step.may_wait(state)),
            Self::Wait(event) => record_of(state, *event).is_some_and(|record| !record.is_over()),
            _ => false,
        }
    }

    /// Prepares work that is done later; returns whether the call has to wait for it.
    pub fn detach(&mut self) -> bool {
        match self {
            Self::Copy(copy) => copy.detach(),
            _ => false,
        }
    }

    /// Does it.
    ///
    /// # Errors
    ///
    /// What a kernel did wrong, which stays with the context; ranges that are not the device's.
    pub fn run(&self, context: usize) -> Result<()> {
        match self {
            Self::Empty => Ok(()),
            Self::Kernel(kernel) => kernel.run(context),
            Self::Copy(copy) => copy.run(),
            Self::Fill(fill) => fill.run(),
            Self::Host(function) => {
                function.call(0);
                Ok(())
            }
            Self::Free(address) => memory::finish_free(*address),
            Self::Record(event) => {
                if let Some(event) = state::internal().events.get_mut(event) {
                    event.record = Some(Completion::now());
                }
                Ok(())
            }
            Self::Wait(event) => {
                let record = record_of(&state::internal(), *event);
                if let Some(record) = record {
                    record.wait();
                }
                Ok(())
            }
            Self::Graph(graph) => graph.steps().iter().try_for_each(|step| step.run(context)),
            Self::WaitValue(value, condition) => {
                let mut polls = 0;
                while state::failure(context).is_none() {
                    value.check()?;
                    if value.holds(*condition) {
                        break;
                    }
                    polls += 1;
                    if polls > POLLS { thread::sleep(PAUSE) } else { thread::yield_now() }
                }
                Ok(())
            }
            Self::WriteValue(value) => {
                value.check()?;
                value.write();
                Ok(())
            }
        }
    }

    /// What is left of it after an error.
    pub fn skip(&self, error: Error) {
        if let Self::Host(function @ HostFunction::Callback(..)) = self {
            function.call(error.0);
        }
    }
}

fn record_of(state: &State, event: usize) -> Option<Arc<Completion>> {
    state.events.get(&event).and_then(|event| event.record.clone())
}

/// Launches that are checked run one after another.
static CHECKED: Mutex<()> = Mutex::new(());

impl KernelWork {
    fn run(&self, context: usize) -> Result<()> {
        let image = self.function.image().table();
        let _alone = (image.checks != 0).then(|| CHECKED.lock().unwrap_or_else(PoisonError::into_inner));
        if image.checks == 0 {
            memory::mark_all_written();
        }
        let peer_access = state::internal().peer_access(context, self.device);
        let launch = Launch {
            image,
            kernel: self.function.kernel(),
            shape: self.shape,
            parameters: &self.parameters,
            chains: &Chains::default(),
            memory: &peer_access,
        };
        self.function.share_constants();
        let result = grid::run(&launch);
        functions::flush();
        result.map_err(|failure| {
            match failure.cause {
                Cause::Assert => eprintln!("{}", failure.message),
                _ => eprintln!("oxide: {}", failure.message),
            }
            let error = failure.cause.into();
            state::fault(context, error, failure.message);
            error
        })
    }
}
