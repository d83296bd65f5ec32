//! Bundles read from the section `.oxide` of an executable or a shared library.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use object::{Object, ObjectSection, ReadCache};

use super::{
    ArtifactCode, ArtifactCompileOptions, ArtifactError, EmbeddedModule, EmbeddedModuleError, OwnedArtifactBundle, locate,
    record::{Entry, SECTION, kind, records},
};

/// The bundles that the executable or library with this code carries.
///
/// # Errors
///
/// `CurrentExe`, `Io` and `Artifacts`. A file without bundles is not an error.
pub fn artifact_bundles_from_current_exe() -> Result<Vec<OwnedArtifactBundle>, EmbeddedModuleError> {
    let path = locate::path_of_this_code().map_err(|source| EmbeddedModuleError::CurrentExe { source })?;
    artifact_bundles_from_binary_path(path)
}

/// The bundles that an executable or shared library carries.
///
/// # Errors
///
/// `Io` and `Artifacts`. A file without bundles is not an error.
pub fn artifact_bundles_from_binary_path(path: impl AsRef<Path>) -> Result<Vec<OwnedArtifactBundle>, EmbeddedModuleError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|source| EmbeddedModuleError::Io { path: path.into(), source })?;
    let cache = ReadCache::new(file);
    let binary = object::File::parse(&cache).map_err(ArtifactError::from)?;
    let Some(section) = binary.section_by_name(SECTION) else { return Ok(Vec::new()) };
    let mut bundles = bundles_of(section.data().map_err(ArtifactError::from)?)?;
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
/// `CurrentExe`, `Io` and `Artifacts`. A file without bundles is not an error.
pub fn embedded_modules_from_current_exe() -> Result<Vec<EmbeddedModule>, EmbeddedModuleError> {
    Ok(artifact_bundles_from_current_exe()?.into_iter().filter_map(EmbeddedModule::new).collect())
}

/// The path of the CPU device that the program was built with.
pub(crate) fn cpu_device_path() -> Option<PathBuf> {
    artifact_bundles_from_current_exe().ok()?.into_iter().find_map(|bundle| bundle.cpu_device)
}

/// The bundles of a section.
fn bundles_of(section: &[u8]) -> Result<Vec<OwnedArtifactBundle>, ArtifactError> {
    records(section).map(|record| bundle_of(&record?)).collect()
}

fn bundle_of(record: &[Entry<'_>]) -> Result<OwnedArtifactBundle, ArtifactError> {
    let mut bundle = OwnedArtifactBundle::default();
    let mut code: Option<ArtifactCode> = None;
    for &Entry { kind, bytes } in record {
        let text = || str::from_utf8(bytes).map_err(|_| ArtifactError::NoText(kind));
        match kind {
            kind::PACKAGE => bundle.name = text()?.into(),
            kind::CRATE => bundle.crate_name = text()?.into(),
            kind::CPU_DEVICE => bundle.cpu_device = Some(text()?.into()),
            // The first is for the CPU device, the second for the compiler.
            kind::CPU_IMAGE | kind::DUMP => {}
            kind::TARGET => bundle.code.extend(code.replace(ArtifactCode { target: text()?.into(), ..Default::default() })),
            kind::PTX => code.get_or_insert_default().ptx = Some(bytes.into()),
            kind::CUBIN => code.get_or_insert_default().cubin = Some(bytes.into()),
            kind::NVVM_IR => code.get_or_insert_default().nvvm_ir = Some(bytes.into()),
            kind::LTOIR => code.get_or_insert_default().ltoir = Some(bytes.into()),
            kind::OPTIONS => bundle.options = ArtifactCompileOptions::parse(text()?)?,
            _ => return Err(ArtifactError::UnknownKind(kind)),
        }
    }
    bundle.code.extend(code);
    Ok(bundle)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            ArtifactDebugPolicy, ArtifactPayloadKind,
            record::{VERSION, encode},
        },
        *,
    };

    #[test]
    fn every_entry_of_two_records() {
        let mut section = encode(
            VERSION,
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
        section.extend(encode(VERSION, &[(1, b"other")]));
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
        assert_eq!(bundles_of(&section).unwrap(), [first.clone(), second.clone()]);
        let module = EmbeddedModule::new(first).unwrap();
        assert_eq!(module.payload(ArtifactPayloadKind::Ptx), Some(&b"// oxide"[..]));
        assert_eq!(module.payload(ArtifactPayloadKind::Cubin), Some(&b"cubin"[..]));
        assert_eq!(module.payload(ArtifactPayloadKind::NvvmIr), Some(&b"define"[..]));
        assert_eq!(module.payload(ArtifactPayloadKind::Ltoir), Some(&b"\xedCN\x7f"[..]));
        assert_eq!(module.target(), "sm_80");
        assert_eq!(EmbeddedModule::new(second), None);
    }

    #[test]
    fn a_file_may_have_no_bundles() {
        assert_eq!(bundles_of(&[]).unwrap(), []);
        assert_eq!(bundles_of(&[0; 16]).unwrap(), []);
        assert!(artifact_bundles_from_current_exe().unwrap().is_empty());
    }

    #[test]
    fn an_unknown_part_is_named() {
        let message = |section: &[u8]| bundles_of(section).unwrap_err().to_string();
        assert!(message(b"\0\0rubbish").starts_with("offset 2 of section .oxide: got something else"));
        assert!(message(&encode(1, &[])).contains("got a record of version 1, expected 2"));
        assert!(message(&encode(VERSION, &[(12, b"")])).contains("got an entry of kind 12"));
        assert!(message(&encode(VERSION, &[(11, b"fma")])).contains("got the option `fma`"));
        assert!(message(&encode(VERSION, &[(1, b"\xff")])).contains("kind 1 is not UTF-8"));
    }
}
