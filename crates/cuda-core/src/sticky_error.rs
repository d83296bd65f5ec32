//! The error of a place that could not return it, such as a `Drop`, until a call takes it.

use std::sync::{PoisonError, atomic::Ordering};

use crate::{
    DriverError,
    failure::Failure,
    primitives::{AtomicU32, Mutex},
    sys,
};

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
