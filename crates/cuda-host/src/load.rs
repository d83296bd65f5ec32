//! Loading what a program carries, and what lies beside it.

use std::{env, path::PathBuf, sync::Arc};

use cuda_core::{CudaContext, CudaModule, DriverError, embedded};
use thiserror::Error;

use crate::ltoir::LtoirError;

/// Why embedded kernels could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmbeddedModuleError {
    /// What the program carries could not be found or read.
    #[error(transparent)]
    Core(cuda_core::EmbeddedModuleError),
    /// There are kernels, but none of this package.
    #[error("the program carries no kernels of package `{name}`")]
    ModuleNotFound {
        /// The package looked for.
        name: String,
    },
    /// There are no kernels.
    #[error("the program carries no kernels; hint: build it with `oxide run` or `oxide build`")]
    NoModules,
    /// The kernels are there in a form that cannot be loaded.
    #[error("the kernels of package `{name}` are in a form that cannot be loaded")]
    UnsupportedPayload {
        /// The package.
        name: String,
    },
    /// They could not be made ready.
    #[error(transparent)]
    Ltoir(#[from] LtoirError),
    /// The driver's error.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

impl From<cuda_core::EmbeddedModuleError> for EmbeddedModuleError {
    fn from(error: cuda_core::EmbeddedModuleError) -> Self {
        match error {
            cuda_core::EmbeddedModuleError::ModuleNotFound { name } => Self::ModuleNotFound { name },
            cuda_core::EmbeddedModuleError::NoModules => Self::NoModules,
            cuda_core::EmbeddedModuleError::Driver(error) => Self::Driver(error),
            error => Self::Core(error),
        }
    }
}

/// Loads the kernels that the program carries for one package.
///
/// # Errors
///
/// `ModuleNotFound`, `NoModules`, `Core` with what finding them reports, and `Driver`.
pub fn load_embedded_module(ctx: &Arc<CudaContext>, name: &str) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    Ok(embedded::load_embedded_module(ctx, name)?)
}

/// Loads the first kernels that the program carries.
///
/// # Errors
///
/// `NoModules`, `Core` with what finding them reports, and `Driver`.
pub fn load_first_embedded_module(ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    Ok(embedded::load_first_embedded_module(ctx)?)
}

/// Loads all kernels that the program carries, as one module.
///
/// # Errors
///
/// `NoModules`, `Core` with what finding them reports, and `Driver`.
pub fn load_all_ptx_bundles_merged(ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    Ok(embedded::load_all_embedded_modules(ctx)?)
}

/// Loads `NAME.ptx`, or else `NAME.cubin`, from the folder of the running package (`CARGO_MANIFEST_DIR`), or from the working directory
/// where no package is running.
///
/// # Errors
///
/// `NotFound`, `Unsupported` where only NVVM IR or LTO IR is there, and `Driver`.
pub fn load_kernel_module(ctx: &Arc<CudaContext>, name: &str) -> Result<Arc<CudaModule>, LtoirError> {
    let folder = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let file = |suffix| Some(folder.join(format!("{name}.{suffix}"))).filter(|path| path.is_file());
    // Where a target is named, what was made for it goes first.
    let unfinished = || ["ll", "ltoir"].into_iter().find_map(file);
    if file("target").is_some()
        && let Some(path) = unfinished()
    {
        return Err(LtoirError::Unsupported { path });
    }
    if let Some(path) = ["ptx", "cubin"].into_iter().find_map(file) {
        return Ok(ctx.load_module_from_file(&path.to_string_lossy())?);
    }
    Err(match unfinished() {
        Some(path) => LtoirError::Unsupported { path },
        None => LtoirError::NotFound { name: name.into(), folder },
    })
}
