//! Device code that is not ready to load: NVVM IR and LTO IR.

use std::path::PathBuf;

use cuda_core::DriverError;
use thiserror::Error;

/// Why device code could not be made ready or loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LtoirError {
    /// None of the files that hold device code is there.
    #[error("no device code of `{name}` in `{}`: expected {name}.ptx or {name}.cubin", folder.display())]
    NotFound {
        /// The name looked for.
        name: String,
        /// Where.
        folder: PathBuf,
    },
    /// Only code in a form that cannot be loaded is there.
    #[error("`{}` would have to be finished by libNVVM or nvJitLink, which is not yet supported", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
    },
    /// The driver's error.
    #[error(transparent)]
    Driver(#[from] DriverError),
}
