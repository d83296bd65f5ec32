//! Which code of a bundle a device gets, and what an error tells of code that cannot be loaded. The recorder's devices are sm_90, its
//! driver CUDA 12.4's.

mod recording;

use std::{env, fs, path::PathBuf};

use cuda_core::{
    CudaContext, DriverError, EmbeddedModule, EmbeddedModuleError,
    embedded::{ArtifactCode, OwnedArtifactBundle},
    sys,
};
use recording::Recording;

const CUBIN: &str = "kernel add 32 0 4";
const ANOTHER: &str = "for another GPU";
const PTX: &str = ".version 8.0\n.target sm_90\n// .visible .entry add(\nkernel add 32 0 4";

fn code(target: &str, ptx: Option<&str>, cubin: Option<&str>) -> ArtifactCode {
    ArtifactCode { target: target.into(), ptx: ptx.map(Into::into), cubin: cubin.map(machine_code), ..Default::default() }
}

/// The recorder's machine code: an ELF header without sections, and what it holds.
fn machine_code(text: &str) -> Vec<u8> {
    let mut image = vec![0; 64];
    image[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    // Machine CUDA, version 1, and the size of this header.
    (image[18], image[20], image[52]) = (190, 1, 64);
    image.extend(text.as_bytes());
    image
}

fn module(code: Vec<ArtifactCode>) -> EmbeddedModule {
    let bundle = OwnedArtifactBundle { name: "vec-add".into(), file: "/opt/app".into(), code, ..Default::default() };
    EmbeddedModule::new(bundle).unwrap()
}

/// What was loaded last.
fn load(recording: &Recording, code: Vec<ArtifactCode>) -> Result<String, String> {
    let ctx = CudaContext::new(0).unwrap();
    recording.calls();
    let loaded = module(code).load(&ctx);
    let calls = recording.calls();
    loaded.map(|_| calls.last().unwrap().clone()).map_err(|error| match error {
        EmbeddedModuleError::Driver(error) => error.to_string(),
        other => panic!("{other}"),
    })
}

#[test]
fn machine_code_goes_first() {
    let recording = Recording::begin();
    assert_eq!(load(&recording, vec![code("sm_90", Some(PTX), Some(CUBIN))]).unwrap(), "load machine code");
    assert_eq!(load(&recording, vec![code("sm_90", None, Some(CUBIN))]).unwrap(), "load machine code");
    assert_eq!(
        load(&recording, vec![code("sm_80", Some(PTX), Some(ANOTHER)), code("sm_90a", Some(PTX), Some(CUBIN))]).unwrap(),
        "load machine code"
    );
}

#[test]
fn ptx_is_what_is_left() {
    let recording = Recording::begin();
    assert_eq!(load(&recording, vec![code("sm_80", Some(PTX), Some(CUBIN))]).unwrap(), "load", "code for 8.0 does not run on 9.0");
    assert_eq!(load(&recording, vec![code("sm_90", Some(PTX), Some(ANOTHER))]).unwrap(), "load", "the driver refused it");
    assert_eq!(load(&recording, vec![code("sm_80", Some(PTX), None), code("sm_100", Some("x"), Some("x"))]).unwrap(), "load");
}

#[test]
fn an_error_that_is_not_the_images_is_told_at_once() {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0).unwrap();
    recording.break_call(c"cuModuleLoadDataEx", sys::cudaError_enum_CUDA_ERROR_OUT_OF_MEMORY);
    let error = module(vec![code("sm_90", Some(PTX), Some(CUBIN))]).load(&ctx).unwrap_err().to_string();
    recording.mend();
    assert!(error.contains("CUDA_ERROR_OUT_OF_MEMORY: cuModuleLoadDataEx: package `vec-add` in `/opt/app`: "), "{error}");
}

#[test]
fn nothing_for_the_device() {
    let recording = Recording::begin();
    let error = load(&recording, vec![code("sm_80", None, Some(CUBIN)), code("sm_100a", Some(PTX), None)]).unwrap_err();
    assert_eq!(
        error,
        "DriverError(209, \"no kernel image is available for execution on the device\"): CUDA_ERROR_NO_BINARY_FOR_GPU: package `vec-add` in \
         `/opt/app` has code for sm_80, sm_100a; the device is sm_90; hint: build for this device's \
         architecture, or keep the PTX, which the driver compiles for it"
    );
    assert_eq!(recording.calls(), ["release"], "the driver is not asked");
}

#[test]
fn machine_code_that_ends_early_never_reaches_the_driver() {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0).unwrap();
    recording.calls();
    let error = ctx.load_module_from_image(&machine_code(CUBIN)[..63]).unwrap_err().to_string();
    assert!(error.contains("an image in memory: the image is truncated at 63 bytes"), "{error}");
    assert_eq!(recording.calls(), [""; 0]);
    assert!(ctx.load_module_from_image(&machine_code(CUBIN)).is_ok());
}

#[test]
fn ptx_that_is_too_new() {
    let recording = Recording::begin();
    let error = load(&recording, vec![code("sm_90", Some(&PTX.replace("8.0", "9.9")), None)]).unwrap_err();
    assert!(error.contains("CUDA_ERROR_UNSUPPORTED_PTX_VERSION: cuModuleLoadDataEx: package `vec-add` in `/opt/app`: PTX 9.9 for sm_90 with `add`; the device is sm_90; the driver is CUDA 12.4's and reads PTX up to 8.4; hint: "), "{error}");
}

#[test]
fn ptx_that_is_none_with_the_drivers_log() {
    let _recording = Recording::begin();
    let error = load(&_recording, vec![code("sm_90", Some(&format!("{PTX}\nnonsense")), None)]).unwrap_err();
    let expected = "CUDA_ERROR_INVALID_PTX: cuModuleLoadDataEx: package `vec-add` in `/opt/app`: PTX 8.0 for sm_90 with `add`; the device is sm_90; the driver's log:\n    recorder: this is no image: .version 8.0\n";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_file_is_named_with_what_is_in_it() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let path: PathBuf = env::temp_dir().join(format!("oxide-loading-{}.ptx", std::process::id()));
    fs::write(&path, "nonsense").unwrap();
    let name = path.to_str().unwrap();
    let error = ctx.load_module_from_file(name).unwrap_err().to_string();
    assert!(
        error.contains(&format!("cuModuleLoadDataEx: `{name}`: 8 bytes that are not PTX, a cubin or a fat binary; the device is sm_90")),
        "{error}"
    );
    fs::write(&path, PTX).unwrap();
    let error = ctx.load_module_from_file(name)?.load_function("ad").unwrap_err().to_string();
    assert!(error.contains(&format!("CUDA_ERROR_NOT_FOUND: cuModuleGetFunction: `ad`; `{name}` has `add`; hint: ")), "{error}");
    fs::remove_file(&path).unwrap();
    let error = ctx.load_module_from_file(name).unwrap_err().to_string();
    assert!(error.contains(&format!("cuModuleLoad: cannot read `{name}`: No such file")), "{error}");
    Ok(())
}
