//! The failure of a place that could not return it, such as a `Drop`, until a call takes it.

use std::sync::{PoisonError, atomic::Ordering};

use crate::{
    failure::Failure,
    primitives::{AtomicBool, Mutex},
};

/// The last failure that was stored. Any thread stores one, and any thread takes it, once.
#[derive(Debug)]
pub(crate) struct StickyError {
    failure: Mutex<Option<Failure>>,
    /// Whether there is one: all that a call reads where there is none. Written under the lock.
    is_stored: AtomicBool,
}

impl StickyError {
    pub(crate) fn none() -> Self {
        Self { failure: Mutex::new(None), is_stored: AtomicBool::new(false) }
    }

    /// Stores a failure, in place of an earlier one.
    pub(crate) fn store(&self, failure: Failure) {
        let mut stored = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *stored = Some(failure);
        self.is_stored.store(true, Ordering::Release);
    }

    /// Takes the failure.
    pub(crate) fn take(&self) -> Option<Failure> {
        if !self.is_stored.load(Ordering::Acquire) {
            return None;
        }
        let mut stored = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_stored.store(false, Ordering::Release);
        stored.take()
    }
}
