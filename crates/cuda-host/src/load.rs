//! Loading what a program carries, and what lies beside it.

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

use cuda_core::{
    CudaContext, CudaModule, DriverError,
    embedded::{self, Which},
};
use thiserror::Error;

use crate::ltoir::{self, LtoirError};

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
    /// The kernels are machine code alone, which is whole: it cannot be linked with the code of other crates.
    #[error(
        "the kernels of package `{name}` are machine code alone, which cannot be linked with other code; hint: embed PTX, NVVM IR or LTO IR too"
    )]
    UnsupportedPayload {
        /// The package.
        name: String,
    },
    /// They are NVVM IR or LTO IR, and could not be finished.
    #[error("cannot finish the program's kernels, which are NVVM IR or LTO IR: {0}")]
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

/// Loads the kernels that the program carries for one package: machine code that runs on the device, else PTX, else NVVM IR or LTO IR, which
/// [`crate::ltoir`]'s libraries finish for the device.
///
/// # Errors
///
/// `ModuleNotFound`, `NoModules`, `Core` with what finding them reports, `UnsupportedPayload` for one of several crates in the package,
/// `Ltoir` with what finishing them reports, and `Driver`.
pub fn load_embedded_module(ctx: &Arc<CudaContext>, name: &str) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    load(ctx, Which::Package(name))
}

/// Loads the first kernels that the program carries, as [`load_embedded_module`].
///
/// # Errors
///
/// `NoModules`, `Core` with what finding them reports, `Ltoir` with what finishing them reports, and `Driver`.
pub fn load_first_embedded_module(ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    load(ctx, Which::First)
}

/// Loads all kernels that the program carries, as one module: linked from PTX, NVVM IR and LTO IR.
///
/// # Errors
///
/// `NoModules`, `Core` with what finding them reports, `UnsupportedPayload`, `Ltoir` with what finishing them reports, and `Driver`.
pub fn load_all_ptx_bundles_merged(ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    load(ctx, Which::All)
}

fn load(ctx: &Arc<CudaContext>, which: Which<'_>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    embedded::load_with(ctx, which, ltoir::finish)
}

/// Loads what lies in the folder of the running package (`CARGO_MANIFEST_DIR`), or in the working directory where no package is running:
///
/// 1. where there is `NAME.target`, which names a target, `NAME.ll` or `NAME.ltoir`, finished for it as [`crate::ltoir`] does;
/// 2. `NAME.ptx`;
/// 3. where the environment names a target (`OXIDE_ARCH`, `CUDA_OXIDE_TARGET`), `NAME.ll` or `NAME.ltoir`;
/// 4. `NAME.cubin`.
///
/// # Errors
///
/// `NotFound`, `Driver`, and what finishing it reports.
pub fn load_kernel_module(ctx: &Arc<CudaContext>, name: &str) -> Result<Arc<CudaModule>, LtoirError> {
    let folder = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let cubin = match SideFile::find(&folder, name, ltoir::named_target)? {
        SideFile::Ready(path) => return Ok(ctx.load_module_from_file(&path.to_string_lossy())?),
        SideFile::LlvmIr { path, arch } => ltoir::build_cubin_from_nvvm_ir(&ltoir::read(&path)?, name, &arch)?,
        SideFile::Ltoir { path, arch } => ltoir::link_ltoir_to_cubin(&ltoir::read(&path)?, name, &arch)?,
    };
    Ok(ctx.load_module_from_image(&cubin)?)
}

/// A file with device code.
#[derive(Debug, PartialEq)]
enum SideFile {
    /// PTX or machine code.
    Ready(PathBuf),
    LlvmIr {
        path: PathBuf,
        arch: String,
    },
    Ltoir {
        path: PathBuf,
        arch: String,
    },
}

impl SideFile {
    /// The first one there is, in the order that [`load_kernel_module`] says.
    fn find(folder: &Path, name: &str, named_target: impl FnOnce() -> Result<Option<String>, LtoirError>) -> Result<Self, LtoirError> {
        let file = |suffix| Some(folder.join(format!("{name}.{suffix}"))).filter(|path| path.is_file());
        let unfinished = |arch: String| match file("ll") {
            Some(path) => Some(Self::LlvmIr { path, arch }),
            None => file("ltoir").map(|path| Self::Ltoir { path, arch }),
        };
        if let Some(target) = file("target") {
            let arch = String::from_utf8_lossy(&ltoir::read(&target)?).trim().to_owned();
            if let Some(found) = unfinished(arch) {
                return Ok(found);
            }
        }
        if let Some(path) = file("ptx") {
            return Ok(Self::Ready(path));
        }
        if let Some(found) = named_target()?.and_then(unfinished) {
            return Ok(found);
        }
        file("cubin").map(Self::Ready).ok_or_else(|| LtoirError::NotFound { name: name.into(), folder: folder.into() })
    }
}

/// [`load_kernel_module`] in the context of a device that asynchronous operations use on this thread.
///
/// # Errors
///
/// `Driver`, or else `Context` with the text of what was reported.
#[cfg(feature = "async")]
pub fn load_kernel_module_async(name: &str, device_id: usize) -> Result<Arc<CudaModule>, cuda_async::error::DeviceError> {
    cuda_async::device_context::with_cuda_context(device_id, |ctx| load_kernel_module(ctx, name))?.map_err(|error| match error {
        LtoirError::Driver(error) => error.into(),
        error => cuda_async::error::device_error(device_id, &error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn side_files_are_looked_for_in_order() {
        let folder = env::temp_dir().join(format!("oxide-side-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = |suffix: &str| folder.join(format!("k.{suffix}"));
        let find = |named: Option<&str>| SideFile::find(&folder, "k", || Ok(named.map(Into::into)));
        let error = find(Some("sm_80")).unwrap_err();
        assert!(error.to_string().starts_with("no device code of `k` in "), "{error}");
        fs::write(path("cubin"), "").unwrap();
        assert_eq!(find(Some("sm_80")).unwrap(), SideFile::Ready(path("cubin")));
        fs::write(path("ltoir"), "").unwrap();
        assert_eq!(find(None).unwrap(), SideFile::Ready(path("cubin")));
        assert_eq!(find(Some("sm_80")).unwrap(), SideFile::Ltoir { path: path("ltoir"), arch: "sm_80".into() });
        fs::write(path("ll"), "").unwrap();
        assert_eq!(find(Some("sm_80")).unwrap(), SideFile::LlvmIr { path: path("ll"), arch: "sm_80".into() });
        fs::write(path("ptx"), "").unwrap();
        assert_eq!(find(Some("sm_80")).unwrap(), SideFile::Ready(path("ptx")));
        fs::write(path("target"), "sm_100a\n").unwrap();
        assert_eq!(find(Some("sm_80")).unwrap(), SideFile::LlvmIr { path: path("ll"), arch: "sm_100a".into() });
        fs::remove_file(path("ll")).unwrap();
        assert_eq!(find(None).unwrap(), SideFile::Ltoir { path: path("ltoir"), arch: "sm_100a".into() });
        fs::remove_file(path("ltoir")).unwrap();
        assert_eq!(find(None).unwrap(), SideFile::Ready(path("ptx")));
        fs::remove_dir_all(&folder).unwrap();
    }
}
