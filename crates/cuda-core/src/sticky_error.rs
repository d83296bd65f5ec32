//! The error of a place that could not return it, such as a `Drop`, until a call takes it.

#[cfg(all(test, loom))]
use loom::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};
use std::sync::PoisonError;
#[cfg(not(all(test, loom)))]
use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};

use crate::{DriverError, failure::Failure, sys};

/// The last error that was kept, and what was asked when it occurred. Any thread keeps one, and any thread takes it, once.
#[derive(Debug)]
pub(crate) struct StickyError {
    /// `CUDA_SUCCESS` for none: all that a call reads where there is none. Written under the lock.
    code: AtomicU32,
    failure: Mutex<Option<Failure>>,
}

impl StickyError {
    pub(crate) fn none() -> Self {
        Self { code: AtomicU32::new(sys::cudaError_enum_CUDA_SUCCESS), failure: Mutex::new(None) }
    }

    /// Keeps an error, in place of an earlier one.
    pub(crate) fn keep(&self, error: DriverError, failure: Option<Failure>) {
        let mut kept = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = failure;
        self.code.store(error.0, Ordering::Release);
    }

    /// Takes the error.
    pub(crate) fn take(&self) -> Option<(DriverError, Option<Failure>)> {
        if self.code.load(Ordering::Acquire) == sys::cudaError_enum_CUDA_SUCCESS {
            return None;
        }
        let mut kept = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match self.code.swap(sys::cudaError_enum_CUDA_SUCCESS, Ordering::AcqRel) {
            // Another thread has taken it meanwhile.
            sys::cudaError_enum_CUDA_SUCCESS => None,
            code => Some((DriverError(code), kept.take())),
        }
    }
}

#[cfg(all(test, loom))]
mod tests {
    use loom::{sync::Arc, thread};

    use super::StickyError;
    use crate::{DriverError, failure::Failure};

    /// Two threads keep an error each and one takes while they do: each is taken once or overwritten, and never with the other's failure.
    #[test]
    fn an_error_is_taken_once_with_its_own_failure() {
        loom::model(|| {
            let sticky = Arc::new(StickyError::none());
            let keepers = [1, 2].map(|code| {
                let sticky = sticky.clone();
                thread::spawn(move || sticky.keep(DriverError(code), Some(Failure::of_code(code))))
            });
            let first = sticky.take();
            keepers.into_iter().for_each(|keeper| keeper.join().unwrap());
            let second = sticky.take();
            assert!(sticky.take().is_none());
            assert!(first.is_some() || second.is_some());
            let taken: Vec<_> = [first, second].into_iter().flatten().collect();
            assert!(taken.iter().all(|(error, failure)| failure.as_ref().map(Failure::code) == Some(error.0)));
            assert!(taken.len() < 2 || taken[0].0 != taken[1].0);
        });
    }
}
