//! Loading what a program carries as NVVM IR and LTO IR: what the libraries are asked, and what is loaded then. The recorder's devices are
//! sm_90; what it cannot load it shows in its log. NVIDIA's own libraries are asked by the test that is ignored:
//! `CUDA_HOME=… cargo test -p cuda-host --test finishing -- --ignored`.

#[path = "../../cuda-core/tests/recording/mod.rs"]
mod recording;

use std::{env, fs, path::PathBuf, sync::Arc};

use cuda_core::{CudaContext, CudaModule, embedded};
use cuda_host::{EmbeddedModuleError, load_all_ptx_bundles_merged, load_embedded_module, ltoir::LtoirError};
use recording::Recording;

/// NVVM IR of LLVM 7, which libNVVM reads for targets before compute capability 10.0.
const NVVM_IR: &str = include_str!("typed_pointers.ll");

const PTX: &str = ".version 8.0\n// .nv.constant0.third\n.target sm_80\n.address_size 64\n.visible .entry third() { ret; }\n";

type Entries = &'static [(u32, &'static str)];

/// Kinds of entries, as the project's `docs/formats.md` has them.
const PACKAGE: u32 = 1;
const IN_PTX: u32 = 3;
const TARGET: u32 = 7;
const IN_NVVM_IR: u32 = 9;
const IN_LTOIR: u32 = 10;
const OPTIONS: u32 = 11;

const FIRST: Entries = &[(PACKAGE, "first"), (TARGET, "sm_80"), (IN_NVVM_IR, NVVM_IR), (OPTIONS, "no-fma")];
const SECOND: Entries =
    &[(PACKAGE, "second"), (TARGET, "sm_90a"), (IN_LTOIR, "unused"), (TARGET, "sm_100"), (IN_LTOIR, "new"), (OPTIONS, "ftz")];
const THIRD: Entries = &[(PACKAGE, "third"), (TARGET, "sm_80"), (IN_PTX, PTX)];

const fn size(entries: Entries) -> usize {
    let (mut size, mut entry) = (24, 0);
    while entry < entries.len() {
        size += 16 + entries[entry].1.len().next_multiple_of(8);
        entry += 1;
    }
    size
}

const fn put<const N: usize>(record: &mut [u8; N], at: usize, bytes: &[u8]) {
    let mut byte = 0;
    while byte < bytes.len() {
        record[at + byte] = bytes[byte];
        byte += 1;
    }
}

const fn record<const N: usize>(entries: Entries) -> [u8; N] {
    let mut record = [0; N];
    put(&mut record, 0, b"OXIDEART");
    put(&mut record, 8, &2u32.to_le_bytes());
    put(&mut record, 12, &(entries.len() as u32).to_le_bytes());
    put(&mut record, 16, &(N as u64).to_le_bytes());
    let (mut at, mut entry) = (24, 0);
    while entry < entries.len() {
        let (kind, text) = entries[entry];
        put(&mut record, at, &kind.to_le_bytes());
        put(&mut record, at + 8, &(text.len() as u64).to_le_bytes());
        put(&mut record, at + 16, text.as_bytes());
        at += 16 + text.len().next_multiple_of(8);
        entry += 1;
    }
    record
}

#[repr(C)]
struct Records([u8; size(FIRST)], [u8; size(SECOND)], [u8; size(THIRD)]);

/// What the build of a program puts there.
#[used]
#[unsafe(link_section = ".oxide")]
static RECORDS: Records = Records(record(FIRST), record(SECOND), record(THIRD));

/// What loading is answered, with the fake libraries or none.
fn load(
    libraries: &[&str],
    load: impl FnOnce(&Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError>,
) -> Result<Arc<CudaModule>, EmbeddedModuleError> {
    let _recording = Recording::begin();
    let root = env::temp_dir().join(format!("oxide-finishing-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("lib64")).unwrap();
    let fake = env::current_exe().unwrap().with_file_name("../examples/libfake_toolkit.so").canonicalize().unwrap();
    for library in libraries {
        std::os::unix::fs::symlink(&fake, root.join("lib64").join(library)).unwrap();
    }
    // SAFETY: the tests of this file take turns, and nothing else touches the environment.
    unsafe { env::set_var("CUDA_HOME", &root) };
    let loaded = load(&CudaContext::new(0).unwrap());
    fs::remove_dir_all(&root).unwrap();
    loaded
}

const BOTH: &[&str] = &["libnvvm.so.4", "libnvJitLink.so.13"];

/// The image that the recorder was given, which it cannot load.
fn image(loaded: Result<Arc<CudaModule>, EmbeddedModuleError>) -> String {
    let error = loaded.unwrap_err();
    assert!(matches!(error, EmbeddedModuleError::Driver(_)), "{error}");
    let text = error.to_string();
    let (_, log) = text.split_once("recorder: this is no image: ").unwrap_or_else(|| panic!("{text}"));
    log.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

#[test]
fn nvvm_ir_is_finished_for_the_device() {
    let image = image(load(BOTH, |ctx| load_embedded_module(ctx, "first")));
    assert!(image.starts_with("link -arch=sm_90 -fma=0\ninput 2 first \"module first "), "{image}");
    assert!(image.contains(r"nvvm -arch=compute_80 -fma=0"), "{image}");
}

#[test]
fn lto_ir_is_finished_for_the_device() {
    let image = image(load(BOTH, |ctx| load_embedded_module(ctx, "second")));
    assert!(image.starts_with("link -arch=sm_90a -fma=1 -ftz=1\ninput 1 second \"link -arch=sm_90a -fma=1 -ftz=1 -lto -r"), "{image}");
}

#[test]
fn all_bundles_are_linked() {
    let image = image(load(BOTH, load_all_ptx_bundles_merged));
    let lines: Vec<_> = image.lines().collect();
    // Of several options the most exact.
    assert_eq!(lines[0], "link -arch=sm_90a -fma=0");
    // Kernels of other parts do not stand for those of LTO IR.
    assert_eq!(lines[1], r#"input 1 second "link -arch=sm_90a -fma=0 -lto -r\ninput 3 second \"unused\"\n.nv.constant0.kept\0""#);
    assert!(lines[2].starts_with(r#"input 2 first "module first "#), "{image}");
    assert!(lines[3].starts_with(r#"input 2 third ".version 8.0\n"#) && lines[3].contains(r#"ret; }\n\0""#), "{image}");
}

#[test]
fn what_is_missing_is_told() {
    // A machine may have either of them installed.
    for (libraries, package, missing) in [(&BOTH[1..], "first", "libNVVM"), (&BOTH[..1], "second", "nvJitLink")] {
        let error = load(libraries, |ctx| load_embedded_module(ctx, package)).unwrap_err();
        if let EmbeddedModuleError::Ltoir(LtoirError::Toolkit { what, .. }) = &error {
            assert_eq!(*what, missing);
            let text = error.to_string();
            let start = format!("cannot finish the program's kernels, which are NVVM IR or LTO IR: cannot find {missing}: looked for ");
            assert!(text.starts_with(&start) && text.contains("hint: set CUDA_HOME"), "{text}");
        }
    }
}

#[test]
fn the_driver_alone_takes_neither() {
    let error = load(BOTH, |ctx| Ok(embedded::load_embedded_module(ctx, "second")?)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("CUDA_ERROR_NO_BINARY_FOR_GPU") && text.contains("package `second`: NVVM IR or LTO IR; hint: "), "{text}");
}

#[test]
#[ignore = "needs NVIDIA's libNVVM and nvJitLink: set CUDA_HOME"]
fn nvidias_own_libraries() {
    let recording = Recording::begin();
    assert!(env::var_os("CUDA_HOME").map(PathBuf::from).is_some_and(|root| root.is_dir()));
    load_embedded_module(&CudaContext::new(0).unwrap(), "first").unwrap();
    assert!(recording.calls().iter().any(|call| call == "load machine code"));
}
