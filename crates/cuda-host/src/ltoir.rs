//! Device code that is not ready to load: NVVM IR and LTO IR, finished by NVIDIA's libNVVM and nvJitLink.
//!
//! Both libraries are opened when they are needed: `libnvvm.so.4` and `libnvJitLink.so.13` or another version. They are looked for under
//! `CUDA_HOME` and `CUDA_PATH`, then where the system's loader looks (`LD_LIBRARY_PATH`), then under `/usr/local/cuda`. A root may be an
//! installed toolkit, or the folder of NVIDIA's packages from PyPI, `nvidia-nvvm` and `nvidia-nvjitlink`: `…/site-packages/nvidia/cu13`.
//!
//! libNVVM 13 reads today's LLVM IR for compute capability 10.0 and later; before, it reads LLVM 7's, whose pointers have types. LLVM IR as
//! `oxide build --emit=ll` writes it is today's, so that it is refused for an earlier target: there the PTX beside it is what to load.
//!
//! Targets are written as `sm_90a`; see the [libNVVM API](https://docs.nvidia.com/cuda/libnvvm-api/), the
//! [NVVM IR specification](https://docs.nvidia.com/cuda/nvvm-ir-spec/) and [nvJitLink](https://docs.nvidia.com/cuda/nvjitlink/).

mod jitlink;
mod nvvm;
mod toolkit;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use cuda_core::{
    CudaContext, DriverError,
    embedded::{ArtifactCompileOptions, ArtifactPart, ArtifactPayloadKind},
};
use thiserror::Error;

use self::{
    jitlink::{Input, Part},
    nvvm::Nvvm,
};
use crate::EmbeddedModuleError;
pub use crate::load::load_kernel_module;

/// Why device code could not be made ready or loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LtoirError {
    /// None of the files that hold device code is there.
    #[error("no device code of `{name}` in `{}`: expected {name}.ptx or {name}.cubin, or {name}.ll or {name}.ltoir with a target", folder.display())]
    NotFound {
        /// The name looked for.
        name: String,
        /// Where.
        folder: PathBuf,
    },
    /// A file could not be read or written.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A library or file of the toolkit is not there.
    #[error(
        "cannot find {what}: looked for {looked}; hint: set CUDA_HOME to a CUDA toolkit, or to the folder of NVIDIA's packages from PyPI"
    )]
    Toolkit {
        /// What.
        what: &'static str,
        /// Where it was looked for, and what was wrong there.
        looked: String,
    },
    /// A library is too old for a function that is needed.
    #[error("`{}` has no function {function}; hint: it is too old, set CUDA_HOME to a newer CUDA toolkit", library.display())]
    Outdated {
        /// The library.
        library: PathBuf,
        /// The function.
        function: String,
    },
    /// No target that the libraries know.
    #[error("got the target `{0}`, expected one like sm_90a")]
    Target(String),
    /// LLVM IR of today for a target for which libNVVM reads an older one.
    #[error(
        "`{module}` has opaque pointers, and for {arch} libNVVM reads LLVM {llvm}'s IR, whose pointers have types; hint: build it for sm_100 or \
         later, or load its PTX"
    )]
    TypedPointers {
        /// The module.
        module: String,
        /// The target.
        arch: String,
        /// The version of LLVM whose IR is read.
        llvm: i32,
    },
    /// NVVM IR with an intrinsic that libNVVM does not know.
    #[error(
        "`{module}` uses {intrinsic}, which `{}` does not know; hint: it is too old, set CUDA_HOME to a newer CUDA toolkit", library.display()
    )]
    UnknownIntrinsic {
        /// The library.
        library: PathBuf,
        /// The module.
        module: String,
        /// The intrinsic.
        intrinsic: String,
    },
    /// Nothing is left of LTO IR.
    #[error(
        "what is linked of `{module}` has no kernels: the linker left them out; hint: name them in @llvm.used of the NVVM IR, as `oxide \
         emit-ltoir` does"
    )]
    NoKernels {
        /// The module.
        module: String,
    },
    /// A library refuses the code.
    #[error("{call} failed: {reason}{}{log}", if log.is_empty() { "" } else { "\n" })]
    Refused {
        /// The function that failed.
        call: &'static str,
        /// What the library calls it.
        reason: String,
        /// The library's log.
        log: String,
    },
    /// The driver's error.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// Compiles a file of LLVM IR to machine code for a target, writes that beside it, `NAME.cubin`, and returns its path.
///
/// # Errors
///
/// `Io`, and what [`build_cubin_from_nvvm_ir`] reports.
pub fn build_cubin_from_ll(ll_path: &Path, arch: &str) -> Result<PathBuf, LtoirError> {
    let ir = read(ll_path)?;
    let name = ll_path.file_stem().unwrap_or_default().to_string_lossy();
    let cubin = build_cubin_from_nvvm_ir(&ir, &name, arch)?;
    let path = ll_path.with_extension("cubin");
    fs::write(&path, cubin).map_err(|source| LtoirError::Io { path: path.clone(), source })?;
    Ok(path)
}

/// Each function with the two others that take options.
macro_rules! with_options {
    ($(#[doc = $doc:literal])* $name:ident $with_options:ident $with_compile_options:ident($code:ident) = $make:path) => {
        $(#[doc = $doc])*
        ///
        /// `module_name` is for the libraries' messages.
        ///
        /// # Errors
        ///
        /// `Toolkit`, `Outdated`, `Target`, `TypedPointers`, `UnknownIntrinsic`, and `Refused` with the library's log.
        pub fn $name($code: &[u8], module_name: &str, arch: &str) -> Result<Vec<u8>, LtoirError> {
            $with_compile_options($code, module_name, arch, ArtifactCompileOptions::default())
        }

        #[doc = concat!("[`", stringify!($name), "`], saying whether a multiplication and an addition may become one rounding.")]
        ///
        /// # Errors
        ///
        #[doc = concat!("As [`", stringify!($name), "`].")]
        pub fn $with_options(
            $code: &[u8],
            module_name: &str,
            arch: &str,
            allow_fma_contraction: bool,
        ) -> Result<Vec<u8>, LtoirError> {
            let options = ArtifactCompileOptions { allow_fma_contraction, ..ArtifactCompileOptions::default() };
            $with_compile_options($code, module_name, arch, options)
        }

        #[doc = concat!("[`", stringify!($name), "`] with all options.")]
        ///
        /// # Errors
        ///
        #[doc = concat!("As [`", stringify!($name), "`].")]
        pub fn $with_compile_options(
            $code: &[u8],
            module_name: &str,
            arch: &str,
            options: ArtifactCompileOptions,
        ) -> Result<Vec<u8>, LtoirError> {
            $make($code, module_name, arch, options)
        }
    };
}

with_options! {
    /// Compiles NVVM IR, text or bitcode, to PTX. libdevice is linked where the text calls its functions. LLVM IR as `oxide build` writes it
    /// gets what makes NVVM IR of it.
    build_ptx_from_nvvm_ir build_ptx_from_nvvm_ir_with_options build_ptx_from_nvvm_ir_with_compile_options(nvvm_ir) = ptx_of_nvvm_ir
}

with_options! {
    /// Compiles NVVM IR to machine code, as [`build_ptx_from_nvvm_ir`] and an assembler do.
    build_cubin_from_nvvm_ir build_cubin_from_nvvm_ir_with_options build_cubin_from_nvvm_ir_with_compile_options(nvvm_ir) = cubin_of_nvvm_ir
}

with_options! {
    /// Compiles LTO IR to machine code.
    link_ltoir_to_cubin link_ltoir_to_cubin_with_options link_ltoir_to_cubin_with_compile_options(ltoir) = cubin_of_ltoir
}

with_options! {
    /// Compiles LTO IR to PTX.
    link_ltoir_to_ptx link_ltoir_to_ptx_with_options link_ltoir_to_ptx_with_compile_options(ltoir) = ptx_of_ltoir
}

fn ptx_of_nvvm_ir(ir: &[u8], name: &str, arch: &str, options: ArtifactCompileOptions) -> Result<Vec<u8>, LtoirError> {
    Ok(without_nul(Nvvm::open()?.compile(ir, name, check(arch)?, options)?))
}

fn cubin_of_nvvm_ir(ir: &[u8], name: &str, arch: &str, options: ArtifactCompileOptions) -> Result<Vec<u8>, LtoirError> {
    let ptx = Nvvm::open()?.compile(ir, name, check(arch)?, options)?;
    jitlink::cubin_of(&[Part { input: Input::Ptx, code: ptx.into(), name }], arch, options)
}

fn cubin_of_ltoir(ltoir: &[u8], name: &str, arch: &str, options: ArtifactCompileOptions) -> Result<Vec<u8>, LtoirError> {
    jitlink::cubin_of(&[Part { input: Input::Ltoir, code: ltoir.into(), name }], check(arch)?, options)
}

fn ptx_of_ltoir(ltoir: &[u8], name: &str, arch: &str, options: ArtifactCompileOptions) -> Result<Vec<u8>, LtoirError> {
    Ok(without_nul(jitlink::ptx_of_ltoir(ltoir, name, check(arch)?, options)?))
}

/// Machine code of what a program carries, for a target.
pub(crate) fn finish(parts: &[ArtifactPart<'_>], arch: &str) -> Result<Vec<u8>, EmbeddedModuleError> {
    let part = |&ArtifactPart { kind, package: name, target, bytes, options }: &_| {
        let (input, code) = match kind {
            ArtifactPayloadKind::Ptx => (Input::Ptx, bytes.into()),
            ArtifactPayloadKind::NvvmIr => (Input::Ptx, Nvvm::open()?.compile(bytes, name, check(target)?, options)?.into()),
            ArtifactPayloadKind::Ltoir => (Input::Ltoir, bytes.into()),
            ArtifactPayloadKind::Cubin => return Err(EmbeddedModuleError::UnsupportedPayload { name: name.into() }),
        };
        Ok(Part { input, code, name })
    };
    // A link has one set of options: what several differ in takes the most exact value of any.
    let most_exact = |one: ArtifactCompileOptions, other: ArtifactCompileOptions| ArtifactCompileOptions {
        allow_fma_contraction: one.allow_fma_contraction && other.allow_fma_contraction,
        flush_subnormals: one.flush_subnormals && other.flush_subnormals,
        optimise: one.optimise && other.optimise,
        debug: one.debug.max(other.debug),
    };
    let unfinished = parts.iter().filter(|part| part.kind != ArtifactPayloadKind::Ptx);
    let options = unfinished.map(|part| part.options).reduce(most_exact).unwrap_or_default();
    Ok(jitlink::cubin_of(&parts.iter().map(part).collect::<Result<Vec<_>, EmbeddedModuleError>>()?, arch, options)?)
}

fn without_nul(mut text: Vec<u8>) -> Vec<u8> {
    while text.pop_if(|byte| *byte == 0).is_some() {}
    text
}

/// The target, if it has a target's form.
fn check(arch: &str) -> Result<&str, LtoirError> {
    let number = arch.strip_prefix("sm_").unwrap_or_default();
    let digits = number.strip_suffix(['a', 'f']).unwrap_or(number);
    if digits.len() >= 2 && digits.bytes().all(|digit| digit.is_ascii_digit()) { Ok(arch) } else { Err(LtoirError::Target(arch.into())) }
}

/// NVIDIA's library of mathematical functions as LLVM bitcode: `OXIDE_LIBDEVICE`, or else the toolkit's.
///
/// # Errors
///
/// `Toolkit` with where it was looked for.
pub fn find_libdevice() -> Result<PathBuf, LtoirError> {
    toolkit::find_libdevice()
}

/// The target that the environment names, the first of `OXIDE_ARCH` or `CUDA_OXIDE_TARGET`; or else that of device 0.
///
/// # Errors
///
/// `Target` where the environment's has not a target's form, and `Driver`.
pub fn target_arch() -> Result<String, LtoirError> {
    if let Some(arch) = named_target()? {
        return Ok(arch);
    }
    let (major, minor) = CudaContext::new(0)?.compute_capability()?;
    Ok(format!("sm_{major}{minor}"))
}

/// The target that the environment names.
pub(crate) fn named_target() -> Result<Option<String>, LtoirError> {
    let named =
        ["OXIDE_ARCH", "CUDA_OXIDE_TARGET"].into_iter().filter_map(|variable| env::var(variable).ok()).find(|value| !value.is_empty());
    let Some(named) = named else { return Ok(None) };
    let first = named.split(',').next().unwrap_or_default().trim();
    check(first).map(|arch| Some(arch.into()))
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, LtoirError> {
    fs::read(path).map_err(|source| LtoirError::Io { path: path.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_alone_is_not_linked() {
        let part =
            |kind, package| ArtifactPart { kind, package, target: "sm_90", bytes: b"code", options: ArtifactCompileOptions::default() };
        let parts = [part(ArtifactPayloadKind::Ptx, "first"), part(ArtifactPayloadKind::Cubin, "second")];
        let error = finish(&parts, "sm_90").unwrap_err();
        assert!(matches!(&error, EmbeddedModuleError::UnsupportedPayload { name } if name == "second"), "{error}");
    }

    #[test]
    fn targets() {
        for arch in ["sm_75", "sm_90a", "sm_100f", "sm_120"] {
            assert_eq!(check(arch).unwrap(), arch);
        }
        for arch in ["", "sm_", "sm_9", "sm_90b", "compute_90", "90", "sm_9a0"] {
            assert!(matches!(check(arch), Err(LtoirError::Target(got)) if got == arch), "{arch}");
        }
    }
}
