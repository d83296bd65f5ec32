//! The device code that a program carries: the records of the section `.oxide` of the executable or library that this code is in.
//!
//! ```no_run
//! use cuda_core::{CudaContext, embedded};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let module = embedded::load_embedded_module(&CudaContext::new(0)?, "vecadd")?;
//! let kernel = module.load_function("vecadd")?;
//! # Ok(())
//! # }
//! ```
//!
//! A record is a bundle: what was made from the kernels of one crate. The section's format is in the project's `docs/formats.md`.

mod bundle;
mod error;
mod load;
mod locate;
mod read;
pub(crate) mod record;

pub use self::{
    bundle::{ArtifactCode, ArtifactCompileOptions, ArtifactDebugPolicy, ArtifactPart, ArtifactPayloadKind, OwnedArtifactBundle},
    error::{ArtifactError, EmbeddedModuleError},
    load::{EmbeddedModule, Which, load_all_embedded_modules, load_embedded_module, load_first_embedded_module, load_with},
    read::{artifact_bundles_from_binary_path, artifact_bundles_from_current_exe, embedded_modules_from_current_exe},
};
pub(crate) use self::{error::Unavailable, read::cpu_device_path};
