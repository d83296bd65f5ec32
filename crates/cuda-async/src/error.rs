//! What can go wrong with an operation.

use cuda_core::{DriverError, LaunchContractError};
use thiserror::Error;

/// Why an operation has no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DeviceError {
    /// The driver's error, with its code.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// Something about the device's context on this thread.
    #[error("device {device_id}: {message}")]
    Context {
        /// The device's number.
        device_id: usize,
        /// What.
        message: String,
    },
    /// A kernel that is not in the cache.
    #[error("kernel cache: {0}")]
    KernelCache(String),
    /// No stream could be chosen.
    #[error("scheduling: {0}")]
    Scheduling(String),
    /// A launch that cannot be right.
    #[error("launch: {0}")]
    Launch(String),
    /// A mistake of this crate.
    #[error("internal: {0}")]
    Internal(String),
    /// An error of the program's own.
    #[error("{0}")]
    Anyhow(String),
}

impl From<LaunchContractError> for DeviceError {
    fn from(error: LaunchContractError) -> Self {
        match error {
            LaunchContractError::Driver(error) => Self::Driver(error),
            error => Self::Launch(error.to_string()),
        }
    }
}

/// The whole chain of causes, in one line.
impl From<anyhow::Error> for DeviceError {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => error,
            Err(error) => match error.downcast::<DriverError>() {
                Ok(error) => Self::Driver(error),
                Err(error) => Self::Anyhow(format!("{error:#}")),
            },
        }
    }
}

/// A [`DeviceError::Context`].
pub fn device_error(device_id: usize, message: &str) -> DeviceError {
    DeviceError::Context { device_id, message: message.into() }
}

/// Fails where something about a device does not hold.
///
/// # Errors
///
/// `Context` with `message`, where `pred` is false.
pub fn device_assert(device_id: usize, pred: bool, message: &str) -> Result<(), DeviceError> {
    if pred { Ok(()) } else { Err(device_error(device_id, message)) }
}

/// Fails where something about a launch does not hold.
///
/// # Errors
///
/// `Launch` with `message`, where `pred` is false.
pub fn kernel_launch_assert(pred: bool, message: &str) -> Result<(), DeviceError> {
    if pred { Ok(()) } else { Err(DeviceError::Launch(message.into())) }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;
    use cuda_core::sys;

    use super::*;

    #[test]
    fn the_driver_keeps_its_code() {
        let code = DriverError(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE);
        assert_eq!(DeviceError::from(code), DeviceError::Driver(code));
        assert_eq!(DeviceError::from(anyhow::Error::from(code)), DeviceError::Driver(code));
        assert_eq!(DeviceError::from(anyhow::Error::from(code).context("while copying")), DeviceError::Driver(code));
    }

    #[test]
    fn texts() {
        let error: Result<(), _> = Err(anyhow::anyhow!("no such file")).context("reading weights");
        assert_eq!(DeviceError::from(error.unwrap_err()).to_string(), "reading weights: no such file");
        assert_eq!(device_assert(2, false, "no stream").unwrap_err().to_string(), "device 2: no stream");
        assert_eq!(kernel_launch_assert(false, "no blocks"), Err(DeviceError::Launch("no blocks".into())));
        let text = LaunchContractError::EmptyKernelName.to_string();
        assert_eq!(DeviceError::from(LaunchContractError::EmptyKernelName), DeviceError::Launch(text));
        assert_eq!(DeviceError::from(LaunchContractError::Driver(DriverError(1))), DeviceError::Driver(DriverError(1)));
        assert_eq!((device_assert(0, true, ""), kernel_launch_assert(true, "")), (Ok(()), Ok(())));
    }
}
