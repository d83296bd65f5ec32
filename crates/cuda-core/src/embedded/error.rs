//! Why embedded device code cannot be read or loaded.

use std::{io, path::PathBuf};

use thiserror::Error;

use super::record::{RecordError, SECTION, VERSION};
use crate::{DriverError, image::Capability};

/// Why embedded device code could not be loaded.
#[derive(Debug, Error)]
pub enum EmbeddedModuleError {
    /// The file that this code was loaded from is not known.
    #[error("cannot find the file of the running code: {source}")]
    CurrentExe {
        /// Why.
        source: io::Error,
    },
    /// The file that holds this code could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What the file carries could not be understood.
    #[error(transparent)]
    Artifacts(#[from] ArtifactError),
    /// There are bundles, but none of this name.
    #[error("the program carries no kernels of package `{name}`")]
    ModuleNotFound {
        /// The name looked for.
        name: String,
    },
    /// There are no bundles.
    #[error("the program carries no kernels; hint: build it with `oxide run` or `oxide build`")]
    NoModules,
    /// The driver's error.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// Why the section is not what this version writes.
#[derive(Debug, Error)]
pub enum ArtifactError {
    /// Not an executable or library in the platform's format.
    #[error("not an ELF file: {0}")]
    Object(#[from] object::Error),
    /// Something other than a record.
    #[error("offset {offset} of section {SECTION}: got something else, expected a record")]
    NoRecord {
        /// Where, in bytes from the section's start.
        offset: usize,
    },
    /// A record of a version that this code does not read.
    #[error("section {SECTION}: got a record of version {0}, expected {VERSION}; hint: build program and crates with one version of oxide")]
    UnknownVersion(u32),
    /// An entry of a kind that this code does not read.
    #[error(
        "section {SECTION}: got an entry of kind {0}, which is not known here; hint: build program and crates with one version of oxide"
    )]
    UnknownKind(u32),
    /// An option that this code does not know.
    #[error("section {SECTION}: got the option `{0}`, which is not known here; hint: build program and crates with one version of oxide")]
    UnknownOption(String),
    /// A name or path that is not text.
    #[error("section {SECTION}: the entry of kind {0} is not UTF-8")]
    NoText(u32),
    /// A length that goes beyond the section's end.
    #[error("section {SECTION} ends inside a record")]
    Truncated,
}

impl From<RecordError> for ArtifactError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::NotARecord(offset) => Self::NoRecord { offset },
            RecordError::UnknownVersion(version) => Self::UnknownVersion(version),
            RecordError::Truncated => Self::Truncated,
        }
    }
}

/// Why a program that carries device code has none for a device or a loader.
#[derive(Debug, Error)]
pub(crate) enum Unavailable {
    #[error("{origin} has code for {}; the device is sm_{}{}", .targets.join(", "), .device.0, .device.1)]
    OtherTargets { origin: String, targets: Vec<String>, device: Capability },
    #[error("{}: NVVM IR or LTO IR; hint: load it with `cuda_host`, which compiles it", listed(.packages))]
    NotCompiled { packages: Vec<String> },
    #[error("{}: machine code alone, which cannot be linked with other code; hint: embed PTX, NVVM IR or LTO IR too", listed(.packages))]
    MachineCodeOnly { packages: Vec<String> },
}

fn listed(packages: &[String]) -> String {
    packages.iter().map(|package| format!("package `{package}`")).collect::<Vec<_>>().join(", ")
}
