//! The device code that a program carries: the records of the section `.oxide` of the executable or library that this code is in.
//!
//! A record is a bundle: what was made from the kernels of one crate. The section's format is in the project's `docs/formats.md`.

use std::{
    borrow::Cow,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use object::{Object, ObjectSection, ReadCache};
use thiserror::Error;

use crate::{
    CudaContext, CudaModule, DriverError, driver, failure,
    image::{self, Capability, Target},
    phase::{self, Step},
    sys,
};

const SECTION: &str = ".oxide";
const MAGIC: [u8; 8] = *b"OXIDEART";
const VERSION: u32 = 2;

/// Why embedded device code could not be loaded.
#[derive(Debug, Error)]
pub enum EmbeddedModuleError {
    /// The file that holds this code could not be told.
    #[error("cannot tell which file holds the running code: {source}")]
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

/// How much a debugger is told of device code that is finished at run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArtifactDebugPolicy {
    /// Nothing.
    #[default]
    None,
    /// Which line each instruction comes from.
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
    /// What a debugger is told.
    pub debug: ArtifactDebugPolicy,
}

impl Default for ArtifactCompileOptions {
    fn default() -> Self {
        Self { allow_fma_contraction: true, flush_subnormals: false, optimise: true, debug: ArtifactDebugPolicy::None }
    }
}

impl ArtifactCompileOptions {
    /// The options that differ from the default, a word each.
    fn parse(words: &str) -> Result<Self, ArtifactError> {
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
    fn cubin_for(&self, device: Capability) -> Option<ArtifactPart<'_>> {
        let (target, bytes) = self.best(ArtifactPayloadKind::Cubin, |target| target.runs_on(device))?;
        Some(self.part(ArtifactPayloadKind::Cubin, target, bytes))
    }

    /// What suits a device best of the code that is compiled for it: PTX, which its driver compiles, else NVVM IR, else LTO IR. For the CPU
    /// device it is the PTX by which that finds the image.
    fn part_for(&self, device: Capability, is_cpu_device: bool) -> Option<ArtifactPart<'_>> {
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

    /// [`part_for`](Self::part_for), or else machine code, which whoever finishes the parts refuses.
    fn part_of_several(&self, device: Capability, is_cpu_device: bool) -> Result<ArtifactPart<'_>, DriverError> {
        let part = self.part_for(device, is_cpu_device).or_else(|| self.cubin_for(device));
        part.ok_or_else(|| nothing_for(device, self))
    }

    /// One form of the code for the largest target that fits, and that target.
    fn best(&self, kind: ArtifactPayloadKind, fits: impl Fn(Target) -> bool) -> Option<(&str, &[u8])> {
        let there = self.code.iter().filter_map(|code| Some((Target::parse(&code.target)?, (code.target.as_str(), code.payload(kind)?))));
        there.filter(|&(target, _)| fits(target)).max_by_key(|&(target, _)| target).map(|(_, found)| found)
    }

    /// Where the code is from, for messages.
    fn origin(&self) -> String {
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
    /// device. NVVM IR and LTO IR are for nobody here: `cuda_host::load_embedded_module` finishes them.
    pub fn load(&self, ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
        load_merged(ctx, &[self], unfinished)
    }
}

/// The bundles that the executable or library with this code carries.
///
/// # Errors
///
/// `CurrentExe`, `Io` and `Artifacts`. Carrying nothing is no error.
pub fn artifact_bundles_from_current_exe() -> Result<Vec<OwnedArtifactBundle>, EmbeddedModuleError> {
    let path = path_of_this_code().map_err(|source| EmbeddedModuleError::CurrentExe { source })?;
    artifact_bundles_from_binary_path(path)
}

/// The bundles that an executable or shared library carries.
///
/// # Errors
///
/// `Io` and `Artifacts`. Carrying nothing is no error.
pub fn artifact_bundles_from_binary_path(path: impl AsRef<Path>) -> Result<Vec<OwnedArtifactBundle>, EmbeddedModuleError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|source| EmbeddedModuleError::Io { path: path.into(), source })?;
    let cache = ReadCache::new(file);
    let binary = object::File::parse(&cache).map_err(ArtifactError::from)?;
    let Some(section) = binary.section_by_name(SECTION) else { return Ok(Vec::new()) };
    let mut bundles = parse_section(section.data().map_err(ArtifactError::from)?)?;
    // What the link to the executable leads to is the better name.
    let file = fs::read_link(path).unwrap_or_else(|_| path.into());
    for bundle in &mut bundles {
        bundle.file.clone_from(&file);
    }
    Ok(bundles)
}

/// The bundles with device code that the executable or library with this code carries.
///
/// # Errors
///
/// `CurrentExe`, `Io` and `Artifacts`. Carrying nothing is no error.
pub fn embedded_modules_from_current_exe() -> Result<Vec<EmbeddedModule>, EmbeddedModuleError> {
    Ok(artifact_bundles_from_current_exe()?.into_iter().filter_map(EmbeddedModule::new).collect())
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

/// The path of the CPU device that the program was built with.
pub(crate) fn cpu_device_path() -> Option<PathBuf> {
    artifact_bundles_from_current_exe().ok()?.into_iter().find_map(|bundle| bundle.cpu_device)
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
    let parts = parts.map_err(EmbeddedModuleError::from)?;
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

/// The error for code that is to be finished, where nobody is there to do it.
fn unfinished(parts: &[ArtifactPart<'_>], _arch: &str) -> Result<Vec<u8>, EmbeddedModuleError> {
    let packages = |kinds: &[ArtifactPayloadKind]| {
        let of_kinds = parts.iter().filter(|part| kinds.contains(&part.kind));
        of_kinds.map(|part| format!("package `{}`", part.package)).collect::<Vec<_>>().join(", ")
    };
    let whole = packages(&[ArtifactPayloadKind::Cubin]);
    let about = if whole.is_empty() {
        let unfinished = packages(&[ArtifactPayloadKind::NvvmIr, ArtifactPayloadKind::Ltoir]);
        format!("{unfinished}: NVVM IR or LTO IR; hint: load it with `cuda_host`, which finishes it")
    } else {
        format!("{whole}: machine code alone, which is not linked with other code; hint: embed PTX, NVVM IR or LTO IR too")
    };
    Err(failure::refuse(sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU, about).into())
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

/// The error for a bundle that has no code for a device.
fn nothing_for((major, minor): Capability, bundle: &OwnedArtifactBundle) -> DriverError {
    let targets: Vec<_> = bundle.code.iter().map(|code| code.target.as_str()).filter(|target| !target.is_empty()).collect();
    let about = format!("{} has code for {}; the device is sm_{major}{minor}", bundle.origin(), targets.join(", "));
    failure::refuse(sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU, about)
}

/// The file that the code of this function was loaded from: the executable, or a library such as a Python extension module.
fn path_of_this_code() -> io::Result<PathBuf> {
    let here = path_of_this_code as *const () as usize;
    let maps = fs::read_to_string("/proc/self/maps")?;
    let path = maps.lines().find_map(|line| mapping_of(here, line)).map(PathBuf::from);
    let path = path.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no file is mapped at this code's address"))?;
    // This link opens the executable even where its file has been replaced since, as a rebuild does.
    let executable = Path::new("/proc/self/exe");
    let is_executable = fs::read_link(executable).is_ok_and(|target| target == path);
    Ok(if is_executable { executable.into() } else { path })
}

/// The path of a line of `/proc/self/maps`, `START-END PERMISSIONS OFFSET DEVICE INODE PATH`, if the address lies in it.
fn mapping_of(address: usize, line: &str) -> Option<&str> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let start = usize::from_str_radix(start, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    let path = &rest[rest.find('/')?..];
    (start..end).contains(&address).then_some(path)
}

/// Reads all records of a section.
fn parse_section(section: &[u8]) -> Result<Vec<OwnedArtifactBundle>, ArtifactError> {
    let mut bundles = Vec::new();
    let mut reader = Reader { bytes: section };
    // The linker puts zero bytes between records.
    while let Some(padding) = reader.bytes.iter().position(|&byte| byte != 0) {
        reader.take(padding)?;
        let offset = section.len() - reader.bytes.len();
        bundles.push(parse_record(&mut reader, offset)?);
    }
    Ok(bundles)
}

fn parse_record(reader: &mut Reader<'_>, offset: usize) -> Result<OwnedArtifactBundle, ArtifactError> {
    let start = reader.bytes;
    if !start.starts_with(&MAGIC) {
        return Err(ArtifactError::NoRecord { offset });
    }
    reader.take(MAGIC.len())?;
    let version = reader.u32()?;
    if version != VERSION {
        return Err(ArtifactError::UnknownVersion(version));
    }
    let entries = reader.u32()?;
    let length = reader.length()?;
    let header = start.len() - reader.bytes.len();
    let mut record = Reader { bytes: reader.take(length.checked_sub(header).ok_or(ArtifactError::Truncated)?)? };
    let mut bundle = OwnedArtifactBundle::default();
    let mut code: Option<ArtifactCode> = None;
    for _ in 0..entries {
        let kind = record.u32()?;
        record.u32()?;
        let length = record.length()?;
        let bytes = record.take(length)?;
        record.take((length.next_multiple_of(8) - length).min(record.bytes.len()))?;
        let text = || str::from_utf8(bytes).map_err(|_| ArtifactError::NoText(kind));
        match kind {
            1 => bundle.name = text()?.into(),
            2 => bundle.crate_name = text()?.into(),
            3 => code.get_or_insert_default().ptx = Some(bytes.into()),
            // The CPU image: the CPU device looks for it itself.
            4 => {}
            5 => bundle.cpu_device = Some(text()?.into()),
            // The dump, for the driver.
            6 => {}
            // The target of what follows.
            7 => bundle.code.extend(code.replace(ArtifactCode { target: text()?.into(), ..Default::default() })),
            8 => code.get_or_insert_default().cubin = Some(bytes.into()),
            9 => code.get_or_insert_default().nvvm_ir = Some(bytes.into()),
            10 => code.get_or_insert_default().ltoir = Some(bytes.into()),
            11 => bundle.options = ArtifactCompileOptions::parse(text()?)?,
            _ => return Err(ArtifactError::UnknownKind(kind)),
        }
    }
    bundle.code.extend(code);
    Ok(bundle)
}

/// Takes little-endian numbers and bytes from the front of a slice.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ArtifactError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(ArtifactError::Truncated)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, ArtifactError> {
        let (number, rest) = self.bytes.split_first_chunk().ok_or(ArtifactError::Truncated)?;
        self.bytes = rest;
        Ok(u32::from_le_bytes(*number))
    }

    /// A `u64` number of bytes.
    fn length(&mut self) -> Result<usize, ArtifactError> {
        let (number, rest) = self.bytes.split_first_chunk().ok_or(ArtifactError::Truncated)?;
        self.bytes = rest;
        // A length beyond `usize` is beyond the section.
        usize::try_from(u64::from_le_bytes(*number)).map_err(|_| ArtifactError::Truncated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(version: u32, entries: &[(u32, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, bytes) in entries {
            body.extend(kind.to_le_bytes());
            body.extend([0; 4]);
            body.extend((bytes.len() as u64).to_le_bytes());
            body.extend(*bytes);
            body.resize(body.len().next_multiple_of(8), 0);
        }
        let mut record = MAGIC.to_vec();
        record.extend(version.to_le_bytes());
        record.extend((entries.len() as u32).to_le_bytes());
        record.extend((24 + body.len() as u64).to_le_bytes());
        record.extend(body);
        record
    }

    #[test]
    fn every_entry_of_two_records() {
        let mut section = record(
            2,
            &[
                (1, b"vec-add"),
                (2, b"vec_add"),
                (7, b"sm_80"),
                (3, b"// oxide"),
                (8, b"cubin"),
                (7, b"sm_90a"),
                (3, b"// second"),
                (9, b"define"),
                (7, b"sm_100"),
                (10, b"\xedCN\x7f"),
                (11, b"no-fma O0 lines"),
                (4, b"\x7fELF"),
                (5, b"/cpu.so"),
                (6, b"/vec_add.mir.json"),
            ],
        );
        section.extend([0; 24]);
        section.extend(record(2, &[(1, b"other")]));
        section.extend([0; 3]);
        let first = OwnedArtifactBundle {
            name: "vec-add".into(),
            crate_name: "vec_add".into(),
            file: PathBuf::new(),
            cpu_device: Some("/cpu.so".into()),
            code: vec![
                ArtifactCode { target: "sm_80".into(), ptx: Some(b"// oxide".into()), cubin: Some(b"cubin".into()), ..Default::default() },
                ArtifactCode {
                    target: "sm_90a".into(),
                    ptx: Some(b"// second".into()),
                    nvvm_ir: Some(b"define".into()),
                    ..Default::default()
                },
                ArtifactCode { target: "sm_100".into(), ltoir: Some(b"\xedCN\x7f".into()), ..Default::default() },
            ],
            options: ArtifactCompileOptions {
                allow_fma_contraction: false,
                flush_subnormals: false,
                optimise: false,
                debug: ArtifactDebugPolicy::LineTables,
            },
        };
        let second = OwnedArtifactBundle { name: "other".into(), ..Default::default() };
        assert_eq!(parse_section(&section).unwrap(), [first.clone(), second.clone()]);
        let module = EmbeddedModule::new(first).unwrap();
        assert_eq!(module.payload(ArtifactPayloadKind::Ptx), Some(&b"// oxide"[..]));
        assert_eq!(module.payload(ArtifactPayloadKind::Cubin), Some(&b"cubin"[..]));
        assert_eq!(module.payload(ArtifactPayloadKind::NvvmIr), Some(&b"define"[..]));
        assert_eq!(module.payload(ArtifactPayloadKind::Ltoir), Some(&b"\xedCN\x7f"[..]));
        assert_eq!(module.target(), "sm_80");
        assert_eq!(EmbeddedModule::new(second), None);
    }

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
        assert!(error.contains("package `alone`: machine code alone, which is not linked with other code; hint: "), "{error}");
        let error = alone.part_of_several((10, 0), false).unwrap_err();
        assert_eq!(error, DriverError(sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU));
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

    #[test]
    fn nothing_is_no_error() {
        assert_eq!(parse_section(&[]).unwrap(), []);
        assert_eq!(parse_section(&[0; 16]).unwrap(), []);
        assert!(artifact_bundles_from_current_exe().unwrap().is_empty());
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let message = |section: &[u8]| parse_section(section).unwrap_err().to_string();
        assert!(message(b"\0\0rubbish").starts_with("offset 2 of section .oxide: got something else"));
        assert!(message(&record(1, &[])).contains("got a record of version 1, expected 2"));
        assert!(message(&record(2, &[(12, b"")])).contains("got an entry of kind 12"));
        assert!(message(&record(2, &[(11, b"fma")])).contains("got the option `fma`"));
        assert!(message(&record(2, &[(1, b"\xff")])).contains("kind 1 is not UTF-8"));
        let whole = record(2, &[(3, b"0123456789")]);
        for length in 8..whole.len() {
            assert!(parse_section(&whole[..length]).is_err(), "{length} bytes of {}", whole.len());
        }
    }

    #[test]
    fn lines_of_the_memory_map() {
        let line = "7f00-7f10 r-xp 00001000 fd:01 42    /usr/lib/a b.so";
        assert_eq!(mapping_of(0x7f00, line), Some("/usr/lib/a b.so"));
        assert_eq!(mapping_of(0x7f10, line), None);
        assert_eq!(mapping_of(0x7f00, "7f00-7f10 rw-p 00000000 00:00 0"), None);
    }
}
