//! The findings of a launch: each is reported once, and so many at most.

use std::collections::HashSet;

use crate::exec::failure::{Cause, Failure};

/// Findings and notes that are reported of a launch.
const MAX_FINDINGS: usize = 20;
const MAX_NOTES: usize = 5;

/// What a finding is about: two are the same where their call sites are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A read of uninitialised memory.
    Uninitialised(u32),
    /// A race between two call sites, the lower number first.
    Race(u32, u32),
    /// The same, where both write the same value.
    EqualWrites(u32, u32),
    /// An access to shared memory of a block that may have exited.
    Exited(u32),
    /// A shuffle from a lane that does not participate.
    InactiveSource(u32, u32),
}

#[derive(Default)]
pub struct Findings {
    messages: Vec<String>,
    notes: Vec<String>,
    reported: HashSet<Key>,
}

impl Findings {
    /// Whether nothing was reported of this yet; from now on it counts as reported.
    pub fn is_new(&mut self, key: Key) -> bool {
        self.reported.insert(key)
    }

    /// Adds an error of the kernel.
    pub fn add(&mut self, message: String) {
        self.messages.push(message);
    }

    /// Adds something that may be meant.
    pub fn add_note(&mut self, message: impl FnOnce() -> String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(message());
        }
    }

    /// Prints the notes; the result of the launch with its findings, which come before its failure.
    ///
    /// # Errors
    ///
    /// The findings, or the failure.
    pub fn end_launch(&mut self, result: Result<(), Failure>) -> Result<(), Failure> {
        self.notes.iter().for_each(|note| eprintln!("oxide: note: {note}"));
        let count = self.messages.len();
        if count > MAX_FINDINGS {
            self.messages.truncate(MAX_FINDINGS);
            self.messages.push(format!("and {} more findings", count - MAX_FINDINGS));
        }
        let mut lines = std::mem::take(&mut self.messages);
        let cause = match result {
            Ok(()) if lines.is_empty() => return Ok(()),
            Ok(()) => Cause::LaunchFailed,
            Err(Failure { cause, message }) => {
                lines.push(message);
                cause
            }
        };
        Err(Failure { cause, message: lines.join("\noxide: ") })
    }
}
