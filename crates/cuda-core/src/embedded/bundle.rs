//! What was made from the kernels of one crate, and which of it a device gets.

use std::path::PathBuf;

use super::{ArtifactError, Unavailable};
use crate::{
    failure::{Cause, Failure},
    image::{Capability, Target},
    sys,
};

/// The forms in which a bundle may hold device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactPayloadKind {
    /// PTX text.
    Ptx,
    /// NVVM IR, for libNVVM.
    NvvmIr,
    /// LTO IR, for nvJitLink.
    Ltoir,
    /// Machine code.
    Cubin,
}

/// Debug information of device code that is compiled at run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArtifactDebugPolicy {
    /// Nothing.
    #[default]
    None,
    /// Line tables.
    LineTables,
    /// Variables too; the code is not optimised.
    Full,
}

/// How device code that is finished at run time, NVVM IR or LTO IR, is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArtifactCompileOptions {
    /// Whether a multiplication and an addition may become one rounding.
    pub allow_fma_contraction: bool,
    /// Whether subnormal numbers of `f32` are taken for zero.
    pub flush_subnormals: bool,
    /// Whether it is optimised: libNVVM and nvJitLink know this or not.
    pub optimise: bool,
    /// Debug information.
    pub debug: ArtifactDebugPolicy,
}

impl Default for ArtifactCompileOptions {
    fn default() -> Self {
        Self { allow_fma_contraction: true, flush_subnormals: false, optimise: true, debug: ArtifactDebugPolicy::None }
    }
}

impl ArtifactCompileOptions {
    /// The options that differ from the default, a word each.
    pub(super) fn parse(words: &str) -> Result<Self, ArtifactError> {
        let mut options = Self::default();
        for word in words.split_whitespace() {
            match word {
                "no-fma" => options.allow_fma_contraction = false,
                "O0" => options.optimise = false,
                "ftz" => options.flush_subnormals = true,
                "lines" => options.debug = ArtifactDebugPolicy::LineTables,
                "debug" => options.debug = ArtifactDebugPolicy::Full,
                _ => return Err(ArtifactError::UnknownOption(word.into())),
            }
        }
        Ok(options)
    }
}

/// The kernels of one crate for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArtifactCode {
    /// What it was made for, for example `sm_90a`. It is empty where the PTX is for the CPU device alone, which finds its image by it.
    pub target: String,
    /// PTX text, without a final NUL.
    pub ptx: Option<Vec<u8>>,
    /// Machine code.
    pub cubin: Option<Vec<u8>>,
    /// LLVM IR text, of which libNVVM makes PTX.
    pub nvvm_ir: Option<Vec<u8>>,
    /// LTO IR, of which nvJitLink makes machine code.
    pub ltoir: Option<Vec<u8>>,
}

impl ArtifactCode {
    fn payload(&self, kind: ArtifactPayloadKind) -> Option<&[u8]> {
        let bytes = match kind {
            ArtifactPayloadKind::Ptx => &self.ptx,
            ArtifactPayloadKind::Cubin => &self.cubin,
            ArtifactPayloadKind::NvvmIr => &self.nvvm_ir,
            ArtifactPayloadKind::Ltoir => &self.ltoir,
        };
        bytes.as_deref()
    }
}

/// What was made from the kernels of one crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedArtifactBundle {
    /// The package, as Cargo writes it.
    pub name: String,
    /// The crate.
    pub crate_name: String,
    /// The executable or library that carries it.
    pub file: PathBuf,
    /// The path of the CPU device that the program was built with.
    pub cpu_device: Option<PathBuf>,
    /// The code, one for each target, the smallest first.
    pub code: Vec<ArtifactCode>,
    /// How its NVVM IR and LTO IR are compiled.
    pub options: ArtifactCompileOptions,
}

impl OwnedArtifactBundle {
    /// The device code in one form, for the first target that has it.
    pub fn payload(&self, kind: ArtifactPayloadKind) -> Option<&[u8]> {
        self.code.iter().find_map(|code| code.payload(kind))
    }

    /// The machine code that suits a device best, if one runs there.
    pub(super) fn cubin_for(&self, device: Capability) -> Option<ArtifactPart<'_>> {
        let (target, bytes) = self.best(ArtifactPayloadKind::Cubin, |target| target.runs_on(device))?;
        Some(self.part(ArtifactPayloadKind::Cubin, target, bytes))
    }

    /// What suits a device best of the code that is compiled for it: PTX, which its driver compiles, else NVVM IR, else LTO IR. For the CPU
    /// device it is the PTX by which that finds the image.
    pub(super) fn part_for(&self, device: Capability, is_cpu_device: bool) -> Option<ArtifactPart<'_>> {
        let of_cpu_device = || self.code.iter().find(|code| code.target.is_empty())?.ptx.as_deref();
        if is_cpu_device && let Some(ptx) = of_cpu_device() {
            return Some(self.part(ArtifactPayloadKind::Ptx, "", ptx));
        }
        [ArtifactPayloadKind::Ptx, ArtifactPayloadKind::NvvmIr, ArtifactPayloadKind::Ltoir].into_iter().find_map(|kind| {
            let (target, bytes) = self.best(kind, |target| target.is_read_by(device))?;
            Some(self.part(kind, target, bytes))
        })
    }

    fn part<'a>(&'a self, kind: ArtifactPayloadKind, target: &'a str, bytes: &'a [u8]) -> ArtifactPart<'a> {
        ArtifactPart { kind, package: &self.name, target, bytes, options: self.options }
    }

    /// [`part_for`](Self::part_for), or else machine code, which cannot be linked.
    pub(super) fn part_of_several(&self, device: Capability, is_cpu_device: bool) -> Result<ArtifactPart<'_>, Failure> {
        self.part_for(device, is_cpu_device).or_else(|| self.cubin_for(device)).ok_or_else(|| {
            let targets = self.code.iter().map(|code| code.target.clone()).filter(|target| !target.is_empty()).collect();
            let cause = Unavailable::OtherTargets { origin: self.origin(), targets, device };
            Failure::refusal(sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU, Cause::Unavailable(cause))
        })
    }

    /// One form of the code for the largest target that fits, and that target.
    fn best(&self, kind: ArtifactPayloadKind, fits: impl Fn(Target) -> bool) -> Option<(&str, &[u8])> {
        let there = self.code.iter().filter_map(|code| Some((Target::parse(&code.target)?, (code.target.as_str(), code.payload(kind)?))));
        there.filter(|&(target, _)| fits(target)).max_by_key(|&(target, _)| target).map(|(_, found)| found)
    }

    /// Where the code is from, for messages.
    pub(super) fn origin(&self) -> String {
        if self.file.as_os_str().is_empty() {
            return format!("package `{}`", self.name);
        }
        format!("package `{}` in `{}`", self.name, self.file.display())
    }
}

/// What is taken of one bundle for a device: PTX, code that is finished first, or machine code where there is nothing else, which is whole, so
/// that nobody links it with other bundles' code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArtifactPart<'a> {
    /// The form.
    pub kind: ArtifactPayloadKind,
    /// The package, as Cargo writes it.
    pub package: &'a str,
    /// What it was made for.
    pub target: &'a str,
    /// The code.
    pub bytes: &'a [u8],
    /// How it is compiled.
    pub options: ArtifactCompileOptions,
}

#[cfg(test)]
mod tests {
    use super::{super::EmbeddedModule, *};

    #[test]
    fn each_device_gets_what_suits_it_best() {
        let both = |target: &str| ArtifactCode {
            target: target.into(),
            ptx: Some(format!("ptx {target}").into()),
            cubin: Some(format!("cubin {target}").into()),
            ..Default::default()
        };
        let code = ["sm_80", "sm_86", "sm_90", "sm_90a", "sm_100f"].map(both).to_vec();
        let bundle = OwnedArtifactBundle { code, ..Default::default() };
        let text = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
        let part = |device| bundle.part_for(device, false).map(|part| part.bytes);
        let chosen = |device| (text(bundle.cubin_for(device).map(|part| part.bytes)), text(part(device)));
        let pair = |cubin: &str, ptx: &str| (cubin.to_owned(), ptx.to_owned());
        assert_eq!(chosen((8, 0)), pair("cubin sm_80", "ptx sm_80"));
        assert_eq!(chosen((8, 9)), pair("cubin sm_86", "ptx sm_86"));
        assert_eq!(chosen((9, 0)), pair("cubin sm_90a", "ptx sm_90a"));
        assert_eq!(chosen((10, 3)), pair("cubin sm_100f", "ptx sm_100f"));
        assert_eq!(chosen((12, 0)), pair("", "ptx sm_90"));
        assert_eq!(chosen((7, 5)), pair("", ""));
    }

    #[test]
    fn what_is_finished_comes_after_ptx() {
        let some = |text: &str| Some(text.as_bytes().to_vec());
        let code = |target: &str| ArtifactCode { target: target.into(), ..Default::default() };
        let code = vec![
            ArtifactCode { ptx: some("ptx"), ..code("sm_120") },
            ArtifactCode { nvvm_ir: some("ir"), ltoir: some("lto"), ..code("sm_100") },
            ArtifactCode { ltoir: some("lto 103"), ..code("sm_103a") },
            ArtifactCode { ltoir: some("lto 90"), ..code("sm_90") },
            ArtifactCode { ptx: some("for the CPU"), ..code("") },
        ];
        let bundle = OwnedArtifactBundle { name: "p".into(), code, ..Default::default() };
        let chosen = |device, is_cpu_device| {
            let part = bundle.part_for(device, is_cpu_device)?;
            Some((part.kind, part.target, str::from_utf8(part.bytes).unwrap()))
        };
        assert_eq!(chosen((12, 0), false), Some((ArtifactPayloadKind::Ptx, "sm_120", "ptx")));
        assert_eq!(chosen((10, 3), false), Some((ArtifactPayloadKind::NvvmIr, "sm_100", "ir")));
        assert_eq!(chosen((9, 0), false), Some((ArtifactPayloadKind::Ltoir, "sm_90", "lto 90")));
        assert_eq!(chosen((8, 0), false), None);
        assert_eq!(chosen((9, 0), true), Some((ArtifactPayloadKind::Ptx, "", "for the CPU")));
        assert_eq!(EmbeddedModule::new(bundle).unwrap().target(), "sm_120");
    }
}
