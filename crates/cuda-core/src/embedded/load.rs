//! Bundles loaded as modules.

use std::{borrow::Cow, sync::Arc};

use super::{ArtifactPart, ArtifactPayloadKind, EmbeddedModuleError, OwnedArtifactBundle, Unavailable, embedded_modules_from_current_exe};
use crate::{
    CudaContext, CudaModule, DriverError, driver,
    failure::{Cause, Failure},
    image::{self, Target},
    phase::{self, Step},
    sys,
};

/// A bundle with device code in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedModule {
    bundle: OwnedArtifactBundle,
}

impl EmbeddedModule {
    /// `None` for a bundle without device code.
    pub fn new(bundle: OwnedArtifactBundle) -> Option<Self> {
        let kinds = [ArtifactPayloadKind::Ptx, ArtifactPayloadKind::Cubin, ArtifactPayloadKind::NvvmIr, ArtifactPayloadKind::Ltoir];
        kinds.iter().any(|&kind| bundle.payload(kind).is_some()).then_some(Self { bundle })
    }

    /// The package, as Cargo writes it.
    pub fn name(&self) -> &str {
        &self.bundle.name
    }

    /// What the code was made for, for example `sm_90a`; of several targets the smallest.
    pub fn target(&self) -> &str {
        &self.bundle.code[0].target
    }

    /// All that the crate carries.
    pub fn bundle(&self) -> &OwnedArtifactBundle {
        &self.bundle
    }

    /// The device code in one form, for the first target that has it.
    pub fn payload(&self, kind: ArtifactPayloadKind) -> Option<&[u8]> {
        self.bundle.payload(kind)
    }

    /// Loads the code that suits the device best: machine code that runs there, else PTX, which the driver compiles. PTX is taken too
    /// where the driver refuses the machine code.
    ///
    /// # Errors
    ///
    /// `Driver` with what the driver reports of the last that was tried, or `CUDA_ERROR_NO_BINARY_FOR_GPU` where nothing is for this
    /// device. NVVM IR and LTO IR need `cuda_host::load_embedded_module`, which compiles them.
    pub fn load(&self, ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
        load_merged(ctx, &[self], unfinished)
    }
}

/// Which of the bundles are loaded.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// Those of one package: its library's and its binaries'.
    Package(&'a str),
    /// The first.
    First,
    /// All.
    All,
}

/// Loads the kernels of one package. Those of its library and its binaries become one module.
///
/// # Errors
///
/// `ModuleNotFound`, `NoModules`, what finding them reports, and `Driver` as [`EmbeddedModule::load`].
pub fn load_embedded_module(ctx: &Arc<CudaContext>, name: &str) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    load_with(ctx, Which::Package(name), unfinished)
}

/// Loads the first bundle.
///
/// # Errors
///
/// `NoModules`, what finding it reports, and `Driver` as [`EmbeddedModule::load`].
pub fn load_first_embedded_module(ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    load_with(ctx, Which::First, unfinished)
}

/// Loads all bundles as one module.
///
/// # Errors
///
/// `NoModules`, what finding them reports, and `Driver` as [`EmbeddedModule::load`].
pub fn load_all_embedded_modules(ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    load_with(ctx, Which::All, unfinished)
}

/// Loads bundles as one module. Where one is not PTX, `finish` makes machine code of all of them, for a target such as `sm_103a`.
///
/// # Errors
///
/// `ModuleNotFound`, `NoModules`, what finding them reports, `Driver`, and what `finish` reports.
pub fn load_with<E: From<EmbeddedModuleError>>(
    ctx: &Arc<CudaContext>,
    which: Which<'_>,
    finish: impl FnOnce(&[ArtifactPart<'_>], &str) -> Result<Vec<u8>, E>,
) -> Result<Arc<CudaModule>, E> {
    let modules = embedded_modules_from_current_exe()?;
    if modules.is_empty() {
        return Err(EmbeddedModuleError::NoModules.into());
    }
    let chosen: Vec<_> = match which {
        Which::Package(name) => modules.iter().filter(|module| module.name() == name).collect(),
        Which::First => vec![&modules[0]],
        Which::All => modules.iter().collect(),
    };
    if let (Which::Package(name), []) = (which, &chosen[..]) {
        return Err(EmbeddedModuleError::ModuleNotFound { name: name.into() }.into());
    }
    load_merged(ctx, &chosen, finish)
}

/// Loads bundles as one module. Several are linked from what is compiled for the device: machine code that is whole cannot be linked.
fn load_merged<E: From<EmbeddedModuleError>>(
    ctx: &Arc<CudaContext>,
    modules: &[&EmbeddedModule],
    finish: impl FnOnce(&[ArtifactPart<'_>], &str) -> Result<Vec<u8>, E>,
) -> Result<Arc<CudaModule>, E> {
    let mut names: Vec<_> = modules.iter().map(|module| module.name()).collect();
    names.dedup();
    phase::enter(Step::Load { module: &names.join(", ") });
    let device = ctx.compute_capability().map_err(EmbeddedModuleError::from)?;
    let is_cpu_device = driver::is_cpu_device();
    if let [module] = modules
        && let Some(cubin) = module.bundle.cubin_for(device)
    {
        match CudaModule::from_image(ctx, cubin.bytes, &module.bundle.origin()) {
            Err(error) if is_refused(error) && module.bundle.part_for(device, is_cpu_device).is_some() => {}
            loaded => return Ok(loaded.map_err(EmbeddedModuleError::from)?),
        }
    }
    let parts: Result<Vec<_>, _> = modules.iter().map(|module| module.bundle.part_of_several(device, is_cpu_device)).collect();
    let parts = parts.map_err(|failure| EmbeddedModuleError::from(DriverError::from(failure)))?;
    let bytes: Vec<_> = parts.iter().map(|part| part.bytes).collect();
    // The CPU device takes what it has for each text, which it knows as it was written.
    let texts = if is_cpu_device { bytes.into_iter().map(Cow::Borrowed).collect() } else { image::mergeable(&bytes) };
    let parts: Vec<_> = parts.iter().zip(&texts).map(|(&part, bytes)| ArtifactPart { bytes, ..part }).collect();
    let origins: Vec<_> = modules.iter().map(|module| module.bundle.origin()).collect();
    let loaded = if parts.iter().all(|part| part.kind == ArtifactPayloadKind::Ptx) {
        let texts: Vec<_> = origins.iter().zip(&parts).map(|(origin, part)| (origin.as_str(), part.bytes)).collect();
        CudaModule::from_ptx_texts(ctx, &texts)
    } else {
        let targets = parts.iter().filter_map(|part| Target::parse(part.target));
        let image = finish(&parts, &Target::of_device(device, targets).to_string())?;
        CudaModule::from_image(ctx, &image, &origins.join(", "))
    };
    Ok(loaded.map_err(EmbeddedModuleError::from)?)
}

/// Refuses parts that are not PTX.
fn unfinished(parts: &[ArtifactPart<'_>], _arch: &str) -> Result<Vec<u8>, EmbeddedModuleError> {
    let packages = |is_machine_code: bool| -> Vec<String> {
        let unfinished = parts.iter().filter(|part| part.kind != ArtifactPayloadKind::Ptx);
        unfinished.filter(|part| (part.kind == ArtifactPayloadKind::Cubin) == is_machine_code).map(|part| part.package.into()).collect()
    };
    let machine_code = packages(true);
    let cause = if machine_code.is_empty() {
        Unavailable::NotCompiled { packages: packages(false) }
    } else {
        Unavailable::MachineCodeOnly { packages: machine_code }
    };
    let failure = Failure::refusal(sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU, Cause::Unavailable(cause));
    Err(DriverError::from(failure).into())
}

/// Whether a driver does not take an image at all, where another form may do.
fn is_refused(DriverError(code): DriverError) -> bool {
    matches!(
        code,
        sys::cudaError_enum_CUDA_ERROR_INVALID_IMAGE
            | sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU
            | sys::cudaError_enum_CUDA_ERROR_INVALID_SOURCE
            | sys::cudaError_enum_CUDA_ERROR_INVALID_PTX
    )
}

#[cfg(test)]
mod tests {
    use super::{super::ArtifactCode, *};

    #[test]
    fn machine_code_alone_is_not_linked() {
        let code = |target: &str, ptx: Option<&str>| ArtifactCode {
            target: target.into(),
            ptx: ptx.map(|ptx| ptx.into()),
            cubin: Some(b"cubin".into()),
            ..Default::default()
        };
        let bundle = |name: &str, code| OwnedArtifactBundle { name: name.into(), code: vec![code], ..Default::default() };
        let (both, alone) = (bundle("both", code("sm_90", Some("ptx"))), bundle("alone", code("sm_90", None)));
        let parts = [&both, &alone].map(|bundle| bundle.part_of_several((9, 0), false).unwrap());
        assert_eq!(parts.map(|part| part.kind), [ArtifactPayloadKind::Ptx, ArtifactPayloadKind::Cubin]);
        let error = unfinished(&parts, "sm_90").unwrap_err().to_string();
        assert!(error.contains("package `alone`: machine code alone, which cannot be linked with other code; hint: "), "{error}");
        let failure = alone.part_of_several((10, 0), false).unwrap_err();
        assert_eq!(failure.code(), sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU);
        assert_eq!(failure.details().unwrap(), "package `alone` has code for sm_90; the device is sm_100");
    }
}
