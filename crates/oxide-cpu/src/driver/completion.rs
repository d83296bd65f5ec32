//! The completion of queued work, and waiting for it.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Instant,
};

/// Something that ends, and when it did.
pub struct Completion {
    at: Mutex<Option<Instant>>,
    changed: Condvar,
    /// Whether it may wait for the program.
    pub may_block: bool,
}

impl Completion {
    pub fn new(may_block: bool) -> Arc<Self> {
        Arc::new(Self { at: Mutex::new(None), changed: Condvar::new(), may_block })
    }

    /// Something that has just ended.
    pub fn now() -> Arc<Self> {
        Arc::new(Self { at: Mutex::new(Some(Instant::now())), changed: Condvar::new(), may_block: false })
    }

    pub fn at(&self) -> Option<Instant> {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_over(&self) -> bool {
        self.at().is_some()
    }

    pub fn wait(&self) {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        while at.is_none() {
            at = self.changed.wait(at).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends it when dropped, whatever happened.
pub struct CompleteOnDrop(pub Arc<Completion>);

impl Drop for CompleteOnDrop {
    fn drop(&mut self) {
        *self.0.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.0.changed.notify_all();
    }
}
