//! What an image of device code holds and which devices run it, for choosing among several and for telling why one cannot be loaded.

use std::{borrow::Cow, collections::BTreeSet, fmt};

use object::{Object, ObjectSection};

use crate::{error, sys};

/// A compute capability: major and minor.
pub(crate) type Capability = (i32, i32);

/// What device code is made for: `sm_90`, `sm_90a` with what only that device has, `sm_100f` with what its family has.
///
/// CUDA C++ Programming Guide, "Compute Capabilities", and PTX ISA, ".target".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    capability: Capability,
    suffix: Suffix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Suffix {
    Plain,
    Family,
    Device,
}

impl Target {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("sm_")?;
        let digits = rest.trim_end_matches(['a', 'f']);
        let suffix = match &rest[digits.len()..] {
            "" => Suffix::Plain,
            "f" => Suffix::Family,
            "a" => Suffix::Device,
            _ => return None,
        };
        let number: i32 = digits.parse().ok()?;
        Some(Self { capability: (number / 10, number % 10), suffix })
    }

    /// What code for several targets becomes machine code for, on a device that reads all of them: what only they have stays available.
    pub(crate) fn of_device(device: Capability, targets: impl IntoIterator<Item = Self>) -> Self {
        let suffix = targets.into_iter().map(|target| target.suffix).max().unwrap_or(Suffix::Plain);
        Self { capability: device, suffix }
    }

    /// Whether a device runs machine code for this target: its own, or that of an earlier minor revision.
    pub(crate) fn runs_on(self, device: Capability) -> bool {
        self.is_read_by(device) && self.capability.0 == device.0
    }

    /// Whether a device's driver compiles PTX for this target.
    pub(crate) fn is_read_by(self, device: Capability) -> bool {
        match self.suffix {
            Suffix::Plain => self.capability <= device,
            Suffix::Family => self.capability <= device && family(self.capability) == family(device),
            Suffix::Device => self.capability == device,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.suffix {
            Suffix::Plain => "",
            Suffix::Family => "f",
            Suffix::Device => "a",
        };
        write!(f, "sm_{}{}{suffix}", self.capability.0, self.capability.1)
    }
}

/// The devices that share features: those of one major revision, but for 10.1, whose later name is 11.0.
fn family((major, minor): Capability) -> i32 {
    if (major, minor) == (10, 1) { 11 } else { major }
}

/// The kind of an image, by its first bytes, and the names of its kernels where they can be read.
#[derive(Debug)]
pub(crate) enum Contents {
    Ptx { version: String, target: String, kernels: Vec<String> },
    Cubin { target: Option<u32>, kernels: Vec<String> },
    FatBinary,
    Unknown { bytes: usize },
}

/// Whether an image with a size of its own is that long: the driver takes only its address.
pub(crate) fn is_whole(image: &[u8]) -> bool {
    if image.starts_with(b"\x7fELF") {
        return object::File::parse(image).is_ok_and(|file| file.sections().all(|section| section.data().is_ok()));
    }
    if let Some(rest) = image.strip_prefix(&FAT_BINARY) {
        // A version and the size of this header, 16 bits each, then the size of what follows it (fatbinary_section.h of the CUDA toolkit).
        let sizes = rest.split_at_checked(4).and_then(|(head, rest)| Some((head, rest.first_chunk::<8>()?)));
        return sizes.is_some_and(|(head, size)| {
            let header = u64::from(u16::from_le_bytes([head[2], head[3]]));
            u64::from_le_bytes(*size).checked_add(header).is_some_and(|size| size <= image.len() as u64)
        });
    }
    true
}

const FAT_BINARY: [u8; 4] = 0xBA55_ED50_u32.to_le_bytes();

impl Contents {
    pub(crate) fn of(image: &[u8]) -> Self {
        if image.starts_with(b"\x7fELF") {
            return cubin(image);
        }
        if image.starts_with(&FAT_BINARY) {
            return Self::FatBinary;
        }
        let text = image.strip_suffix(b"\0").unwrap_or(image);
        let Some(text) = str::from_utf8(text).ok().filter(|text| text.lines().any(|line| line.starts_with(".version"))) else {
            return Self::Unknown { bytes: image.len() };
        };
        let directive = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let target = directive(".target").split(',').next().unwrap_or_default().trim();
        let kernels = text.lines().filter_map(|line| line.split_once(".entry ")?.1.split(['(', ' ']).next());
        let kernels = kernels.map(str::to_owned).collect();
        Self::Ptx { version: directive(".version").trim().into(), target: target.into(), kernels }
    }

    pub(crate) fn kernels(&self) -> &[String] {
        match self {
            Self::Ptx { kernels, .. } | Self::Cubin { kernels, .. } => kernels,
            Self::FatBinary | Self::Unknown { .. } => &[],
        }
    }
}

/// Images as they are linked into one: an instance of a generic kernel that several PTX texts hold is weak, so that one of them is taken. Two
/// kernels of one name that are not instances stay as they are, and are refused.
pub(crate) fn mergeable<'a>(images: &[&'a [u8]]) -> Vec<Cow<'a, [u8]>> {
    let texts: Vec<_> = images.iter().map(|image| str::from_utf8(image).unwrap_or_default()).collect();
    let instances: Vec<BTreeSet<_>> = texts.iter().map(|text| text.lines().filter_map(instance).collect()).collect();
    let held_elsewhere = |here: usize, name: &str| (0..instances.len()).any(|other| other != here && instances[other].contains(name));
    let mergeable = images.iter().enumerate().map(|(here, &image)| {
        if !instances[here].iter().any(|name| held_elsewhere(here, name)) {
            return image.into();
        }
        let line = |line: &str| match instance(line) {
            Some(name) if held_elsewhere(here, name) => line.replacen(".visible", ".weak", 1),
            _ => line.into(),
        };
        texts[here].split_inclusive('\n').map(line).collect::<String>().into_bytes().into()
    });
    mergeable.collect()
}

/// The name of the instance of a generic kernel whose definition a line of PTX begins: `KERNEL_TID_` and 32 hexadecimal digits.
fn instance(line: &str) -> Option<&str> {
    let name = line.strip_prefix(".visible .entry ")?.split('(').next()?;
    let (_, digits) = name.rsplit_once("_TID_")?;
    (digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())).then_some(name)
}

/// The contents of a cubin, by its header and sections: each kernel has a section `.text.KERNEL` (CUDA Binary Utilities, "cuobjdump").
fn cubin(image: &[u8]) -> Contents {
    let Ok(file) = object::File::parse(image) else {
        return Contents::Unknown { bytes: image.len() };
    };
    let object::FileFlags::Elf { abi_version, e_flags, .. } = file.flags() else {
        return Contents::Unknown { bytes: image.len() };
    };
    // CUDA 13 has moved the target by a byte and raised the version of the ABI from 7 to 8.
    let target = if abi_version >= 8 { e_flags.0 >> 8 & 0xff } else { e_flags.0 & 0xff };
    let kernels = file.sections().filter_map(|section| Some(section.name().ok()?.strip_prefix(".text.")?.to_owned()));
    Contents::Cubin { target: Some(target).filter(|&target| target != 0), kernels: kernels.collect() }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ptx { version, target, .. } => write!(f, "PTX {version} for {target}")?,
            Self::Cubin { target: Some(target), .. } => write!(f, "a cubin for sm_{target}")?,
            Self::Cubin { target: None, .. } => f.write_str("a cubin")?,
            Self::FatBinary => f.write_str("a fat binary")?,
            Self::Unknown { bytes } => write!(f, "{bytes} bytes that are not PTX, a cubin or a fat binary")?,
        }
        let kernels = self.kernels();
        if !kernels.is_empty() {
            write!(f, " with {}", listed(kernels))?;
        }
        Ok(())
    }
}

/// Names in backquotes; of many the first.
pub(crate) fn listed(names: &[String]) -> String {
    /// More would hide the rest of the message.
    const SHOWN: usize = 8;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let rest = names.len().saturating_sub(SHOWN);
    format!("{}{}", shown.join(", "), if rest == 0 { String::new() } else { format!(" and {rest} more") })
}

/// The newest PTX that a driver reads.
#[derive(Debug)]
pub(crate) struct NewestPtx {
    cuda: (i32, i32),
    ptx: String,
}

/// The newest PTX that this driver reads, where that is known: PTX ISA, "Release Notes".
pub(crate) fn newest_ptx() -> Option<NewestPtx> {
    // SAFETY: the driver stores an int.
    let version = unsafe { error::output(|version| sys::checked::cuDriverGetVersion(version)) }.ok()?;
    let cuda = (version / 1000, version % 1000 / 10);
    Some(NewestPtx { cuda, ptx: ptx_of_cuda(cuda)? })
}

impl fmt::Display for NewestPtx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the driver is CUDA {}.{}'s and reads PTX up to {}", self.cuda.0, self.cuda.1, self.ptx)
    }
}

fn ptx_of_cuda((major, minor): (i32, i32)) -> Option<String> {
    Some(match (major, minor) {
        (11, 0..=8) => format!("7.{minor}"),
        (12, 0..=5) => format!("8.{minor}"),
        (12, 6..=9) => format!("8.{}", minor - 1),
        (13, _) => format!("9.{minor}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn devices(matching: impl Fn(Target, Capability) -> bool, target: &str) -> Vec<Capability> {
        let all = [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (10, 1), (10, 3), (11, 0), (12, 0), (12, 1)];
        let target = Target::parse(target).unwrap();
        all.into_iter().filter(|&device| matching(target, device)).collect()
    }

    #[test]
    fn machine_code_runs_on_its_major_revision() {
        assert_eq!(devices(Target::runs_on, "sm_80"), [(8, 0), (8, 6), (8, 9)]);
        assert_eq!(devices(Target::runs_on, "sm_86"), [(8, 6), (8, 9)]);
        assert_eq!(devices(Target::runs_on, "sm_90a"), [(9, 0)]);
        assert_eq!(devices(Target::runs_on, "sm_100a"), [(10, 0)]);
        assert_eq!(devices(Target::runs_on, "sm_100f"), [(10, 0), (10, 3)]);
        assert_eq!(devices(Target::runs_on, "sm_103f"), [(10, 3)]);
        assert_eq!(devices(Target::runs_on, "sm_120f"), [(12, 0), (12, 1)]);
        assert_eq!(devices(Target::runs_on, "sm_121"), [(12, 1)]);
    }

    #[test]
    fn ptx_is_read_by_later_devices() {
        assert_eq!(devices(Target::is_read_by, "sm_100"), [(10, 0), (10, 1), (10, 3), (11, 0), (12, 0), (12, 1)]);
        assert_eq!(devices(Target::is_read_by, "sm_100f"), [(10, 0), (10, 3)]);
        assert_eq!(devices(Target::is_read_by, "sm_101f"), [(10, 1), (11, 0)]);
        assert_eq!(devices(Target::is_read_by, "sm_90a"), [(9, 0)]);
        for name in ["", "sm_", "sm_x", "sm_90af", "sm_90b", "compute_90"] {
            assert_eq!(Target::parse(name), None, "{name}");
        }
    }

    #[test]
    fn what_machine_code_is_made_for() {
        let made = |device, targets: &[&str]| Target::of_device(device, targets.iter().filter_map(|name| Target::parse(name))).to_string();
        assert_eq!(made((10, 3), &["sm_100", "sm_90"]), "sm_103");
        assert_eq!(made((10, 3), &["sm_100f", "sm_90"]), "sm_103f");
        assert_eq!(made((9, 0), &["sm_90a", "sm_80"]), "sm_90a");
        assert_eq!(made((12, 0), &[]), "sm_120");
    }

    #[test]
    fn what_is_in_an_image() {
        let ptx = b"// oxide 00\n//\n.version 8.0\n.target sm_90a, debug\n.visible .entry add(\n)\n.weak .entry scale(\n.func helper(\n\0";
        assert_eq!(Contents::of(ptx).to_string(), "PTX 8.0 for sm_90a with `add`, `scale`");
        assert_eq!(Contents::of(&FAT_BINARY).to_string(), "a fat binary");
        assert_eq!(Contents::of(b"nonsense").to_string(), "8 bytes that are not PTX, a cubin or a fat binary");
        assert_eq!(Contents::of(b"\x7fELF").to_string(), "4 bytes that are not PTX, a cubin or a fat binary");
        let many: String = (0..10).map(|number| format!(".visible .entry k{number}(\n")).collect();
        assert!(Contents::of(format!(".version 7.0\n{many}").as_bytes()).to_string().ends_with("`k7` and 2 more"));
    }

    #[test]
    fn what_several_texts_hold_is_weak() {
        let ptx = |names: &[&str]| -> String {
            let entries = names.iter().map(|name| format!(".visible .entry {name}(\n)\n{{ ret; }}\n"));
            std::iter::once(".version 8.0\n".into()).chain(entries).collect()
        };
        let [both, first, second] = ["map_TID_", "one_TID_", "two_TID_"].map(|kernel| format!("{kernel}{:032x}", 7));
        let texts = [ptx(&["add", &both, &first]), ptx(&[&second, "add"]), ptx(&[&both])];
        let mergeable = mergeable(&[texts[0].as_bytes(), texts[1].as_bytes(), texts[2].as_bytes(), b"\x7fELF\xff"]);
        let mark = |text: &str| text.replace(&format!(".visible .entry {both}"), &format!(".weak .entry {both}"));
        assert_eq!(mergeable[0], mark(&texts[0]).into_bytes());
        assert!(matches!(mergeable[1], Cow::Borrowed(_)));
        assert_eq!(mergeable[2], mark(&texts[2]).into_bytes());
        assert_eq!(&*mergeable[3], b"\x7fELF\xff");
    }

    #[test]
    fn what_ends_early() {
        let fat = [&FAT_BINARY[..], &[1, 0, 16, 0], &8u64.to_le_bytes(), &[0; 8]].concat();
        assert!(is_whole(&fat));
        assert!((4..fat.len()).all(|length| !is_whole(&fat[..length])));
        assert!(is_whole(b".version 8.0"));
        let program = std::fs::read("/proc/self/exe").unwrap();
        assert!(is_whole(&program));
        for length in [4, 63, 64, program.len() / 2, program.len() - 1] {
            assert!(!is_whole(&program[..length]), "{length} bytes");
        }
    }

    #[test]
    fn ptx_versions_of_drivers() {
        assert_eq!(ptx_of_cuda((11, 8)).as_deref(), Some("7.8"));
        assert_eq!(ptx_of_cuda((12, 4)).as_deref(), Some("8.4"));
        assert_eq!(ptx_of_cuda((12, 6)).as_deref(), Some("8.5"));
        assert_eq!(ptx_of_cuda((12, 8)).as_deref(), Some("8.7"));
        assert_eq!(ptx_of_cuda((13, 0)).as_deref(), Some("9.0"));
        assert_eq!(ptx_of_cuda((14, 0)), None);
    }
}
