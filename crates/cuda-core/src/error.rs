//! What the driver reports.

use std::{
    ffi::{CStr, c_char, c_uint},
    fmt,
    mem::MaybeUninit,
};

use crate::{
    driver,
    failure::{self, Failure},
    sys,
};

/// A result code of the driver other than `CUDA_SUCCESS`; compare `.0` with `sys::cudaError_enum_…`.
///
/// It prints as its code and the driver's text, then its name, and, on the thread that got it, the call that failed with what it was
/// asked and the likely cause: see [`DriverError::details`]. A `hint:` ends it where there is something to do.
///
/// ```text
/// DriverError(701, "too many resources requested for launch"): CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: cuLaunchKernel: `saxpy` with
/// grid (4, 1, 1), block (1024, 1, 1), 0 bytes of dynamic shared memory; got 81920 registers (80 a thread × 1024 threads), a block has at
/// most 65536; hint: launch smaller blocks, or bound the kernel's registers with `#[launch_bounds]`
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DriverError(pub sys::CUresult);

impl DriverError {
    /// The code's name in `cuda.h`, for example `CUDA_ERROR_INVALID_VALUE`.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_INVALID_VALUE` for a code that the driver does not know.
    pub fn error_name(&self) -> Result<&CStr, DriverError> {
        self.text(sys::checked::cuGetErrorName)
    }

    /// The driver's description of the code.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_INVALID_VALUE` for a code that the driver does not know.
    pub fn error_string(&self) -> Result<&CStr, DriverError> {
        self.text(sys::checked::cuGetErrorString)
    }

    /// Whether the PTX is of a newer version than the driver reads.
    pub fn is_unsupported_ptx_version(&self) -> bool {
        self.0 == sys::cudaError_enum_CUDA_ERROR_UNSUPPORTED_PTX_VERSION
    }

    /// The call behind this error: its name in the driver API, the kernel and the shape of a launch, the bytes of an allocation, the name
    /// that was not found, and each limit that was exceeded. A kernel's fault, which a later call reports, names the last launch.
    ///
    /// `None` where the last failed call of this thread has another code. The error itself is only the code: of several failures with the
    /// same one, this is the last.
    pub fn details(&self) -> Option<String> {
        Failure::of_error(*self).details()
    }

    fn text(&self, get: unsafe fn(sys::CUresult, *mut *const c_char) -> Result<(), Failure>) -> Result<&CStr, DriverError> {
        // SAFETY: the driver stores a pointer to a constant of its own. That it does not know a code is not remembered.
        let text = unsafe { output(|text| get(self.0, text)) }.map_err(|failure| DriverError(failure.code()))?;
        if text.is_null() {
            return Err(DriverError(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE));
        }
        // SAFETY: on success it points to a NUL-terminated string that lives as long as the driver, which is never unloaded.
        Ok(unsafe { CStr::from_ptr(text) })
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DriverError({}, ", self.0)?;
        match (driver::driver(), self.error_string()) {
            (Err(missing), _) => write!(f, "{missing:?}")?,
            (Ok(_), Ok(text)) => write!(f, "{:?}", text.to_string_lossy())?,
            (Ok(_), Err(_)) => f.write_str("unknown to the driver")?,
        }
        f.write_str(")")?;
        if driver::driver().is_ok()
            && let Ok(name) = self.error_name()
        {
            write!(f, ": {}", name.to_string_lossy())?;
        }
        if let Some(details) = self.details() {
            write!(f, ": {details}")?;
        }
        failure::hint(self.0, driver::is_cpu_device()).map_or(Ok(()), |hint| write!(f, "; hint: {hint}"))
    }
}

impl fmt::Debug for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for DriverError {}

/// Turns what a driver call returned into a `Result`.
pub trait IntoResult<T> {
    /// The value on `CUDA_SUCCESS`.
    ///
    /// # Errors
    ///
    /// Every other code.
    fn result(self) -> Result<T, DriverError>;
}

impl IntoResult<()> for sys::CUresult {
    fn result(self) -> Result<(), DriverError> {
        match self {
            sys::cudaError_enum_CUDA_SUCCESS => Ok(()),
            code => Err(DriverError(code)),
        }
    }
}

/// A code with the value that the call wrote if it succeeded.
impl<T> IntoResult<T> for (sys::CUresult, MaybeUninit<T>) {
    fn result(self) -> Result<T, DriverError> {
        self.0.result()?;
        // SAFETY: a driver call that succeeds has written its outputs.
        Ok(unsafe { self.1.assume_init() })
    }
}

/// Initialises the driver; [`crate::CudaContext::new`] does so itself. A second call does nothing.
///
/// # Errors
///
/// `CUDA_ERROR_NO_DEVICE` where there is neither a driver nor a CPU device; its text names what is missing.
///
/// # Safety
///
/// `flags` is 0, the only value that the driver API defines.
pub unsafe fn init(flags: c_uint) -> Result<(), DriverError> {
    // SAFETY: passed on.
    unsafe { sys::cuInit(flags) }.result()
}

/// Calls a driver function whose first argument is where it stores its result.
///
/// # Safety
///
/// `call` writes its argument where it succeeds.
pub(crate) unsafe fn output<T>(call: impl FnOnce(*mut T) -> Result<(), Failure>) -> Result<T, Failure> {
    let mut value = MaybeUninit::uninit();
    call(value.as_mut_ptr())?;
    // SAFETY: the caller vouches that a call which succeeds has written it.
    Ok(unsafe { value.assume_init() })
}
