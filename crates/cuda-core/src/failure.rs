//! Failed driver calls: a [`DriverError`] is only the code, and the record here holds the rest.
//!
//! ```text
//! let address = unsafe { error::output(|address| sys::checked::cuMemAlloc_v2(address, bytes)) }   // Result<CUdeviceptr, Failure>
//!     .map_err(|failure| failure.because(Cause::allocation(bytes)))?;                             // `?` makes it a DriverError
//! ```
//!
//! The rule: each thread remembers the failure that was last returned to it as an error, and a `DriverError` prints it where both have the
//! same code. A failure is returned where `From` makes a `DriverError` of it, and where a function of [`sys`] that a program calls returns
//! its code. A failed call of [`sys::checked`] that is answered within this crate is not remembered.

mod cause;
mod hint;
mod launch;

use std::{cell::RefCell, fmt, sync::Arc};

pub(crate) use self::{
    cause::Cause,
    hint::hint,
    launch::{FunctionHandle, Launch},
};
use crate::{DriverError, driver, sys};

/// A failed call: its code, its name and the cause, as values.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    code: sys::CUresult,
    /// `None` where this crate refuses without a call, or there is no driver.
    call: Option<&'static str>,
    cause: Option<Arc<Cause>>,
    /// Whether a later call returns it, because the failed one could not.
    is_deferred: bool,
}

/// What a thread remembers.
struct Memory {
    failure: Option<Failure>,
    /// The last launch that the driver accepted: a kernel's fault is reported by a later call.
    launch: Option<Launch>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = const { RefCell::new(Memory { failure: None, launch: None }) };
}

/// Uses what this thread remembers; `None` while the thread ends.
fn with_memory<T>(run: impl FnOnce(&mut Memory) -> T) -> Option<T> {
    MEMORY.try_with(|memory| run(&mut memory.borrow_mut())).ok()
}

impl Failure {
    /// A call that returned `code`. For a kernel's fault the cause is the thread's last launch.
    pub(crate) fn of_call(call: &'static str, code: sys::CUresult) -> Self {
        let launch = if hint::is_fault(code) { with_memory(|memory| memory.launch.clone()).flatten() } else { None };
        Self { call: Some(call), cause: launch.map(|launch| Arc::new(Cause::LastLaunch(launch))), ..Self::of_code(code) }
    }

    /// A call of a function that the opened driver does not have.
    pub(crate) fn no_such_function(call: &'static str) -> Self {
        let cause = if driver::is_cpu_device() { Cause::NotInCpuDevice } else { Cause::NotInDriver };
        Self { call: Some(call), ..Self::refusal(sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED, cause) }
    }

    /// A call without a driver, whose absence the error's text explains.
    pub(crate) fn no_driver() -> Self {
        Self::of_code(sys::cudaError_enum_CUDA_ERROR_NO_DEVICE)
    }

    /// What this crate refuses without a call, with the driver's code for it.
    pub(crate) fn refusal(code: sys::CUresult, cause: Cause) -> Self {
        Self { cause: Some(Arc::new(cause)), ..Self::of_code(code) }
    }

    /// The failure that a `DriverError` of this thread prints.
    pub(crate) fn of_error(error: DriverError) -> Self {
        let remembered = with_memory(|memory| memory.failure.clone()).flatten();
        remembered.filter(|failure| failure.code == error.0).unwrap_or(Self::of_code(error.0))
    }

    fn of_code(code: sys::CUresult) -> Self {
        Self { code, call: None, cause: None, is_deferred: false }
    }

    pub(crate) fn code(&self) -> sys::CUresult {
        self.code
    }

    /// The same failure with its cause.
    pub(crate) fn because(self, cause: Cause) -> Self {
        Self { cause: Some(Arc::new(cause)), ..self }
    }

    /// The same failure, returned by a later call.
    pub(crate) fn deferred(self) -> Self {
        Self { is_deferred: true, ..self }
    }

    /// The text of [`DriverError::details`]; `None` where only the code is known.
    pub(crate) fn details(&self) -> Option<String> {
        (self.call.is_some() || self.cause.is_some()).then(|| self.to_string())
    }
}

/// Returning a failure makes it the one that this thread remembers.
impl From<Failure> for DriverError {
    fn from(failure: Failure) -> Self {
        let code = failure.code;
        // `cuEventQuery` and `cuStreamQuery` answer with this code.
        if code != sys::cudaError_enum_CUDA_ERROR_NOT_READY {
            with_memory(|memory| memory.failure = Some(failure));
        }
        Self(code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_deferred { "an earlier " } else { "" })?;
        match (self.call, &self.cause) {
            (Some(call), Some(cause)) => write!(f, "{call}: {cause}"),
            (Some(call), None) => f.write_str(call),
            (None, Some(cause)) => write!(f, "{cause}"),
            (None, None) => f.write_str("failure"),
        }
    }
}

/// Remembers a launch that the driver accepted.
pub(crate) fn launched(launch: Launch) {
    with_memory(|memory| memory.launch = Some(launch));
}
