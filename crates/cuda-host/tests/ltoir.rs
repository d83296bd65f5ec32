//! Finishing device code: where the libraries are looked for, and what they are asked. NVIDIA's own are asked by the tests that are ignored:
//! `CUDA_HOME=… cargo test -p cuda-host --test ltoir -- --ignored`.

use std::{
    env, fs,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use cuda_core::embedded::{ArtifactCompileOptions, ArtifactDebugPolicy};
use cuda_host::ltoir::{
    LtoirError, build_cubin_from_ll, build_cubin_from_nvvm_ir, build_cubin_from_nvvm_ir_with_compile_options, build_ptx_from_nvvm_ir,
    build_ptx_from_nvvm_ir_with_options, find_libdevice, link_ltoir_to_cubin, link_ltoir_to_cubin_with_compile_options, link_ltoir_to_ptx,
    link_ltoir_to_ptx_with_options, target_arch,
};

/// A toolkit of the fake libraries, and the environment, by one test at a time.
struct Toolkit {
    root: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Toolkit {
    fn new(name: &str) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let root = env::temp_dir().join(format!("oxide-toolkit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let toolkit = Self { root, _turn: turn };
        for variable in ["CUDA_PATH", "OXIDE_LIBDEVICE", "CUDA_OXIDE_LIBDEVICE", "OXIDE_ARCH", "CUDA_OXIDE_TARGET"] {
            // SAFETY: only these tests touch the environment, one at a time.
            unsafe { env::remove_var(variable) };
        }
        toolkit.set("CUDA_HOME", toolkit.root.to_str().unwrap());
        toolkit
    }

    fn set(&self, variable: &str, value: &str) {
        // SAFETY: as above.
        unsafe { env::set_var(variable, value) };
    }

    /// Puts a library there.
    fn library(&self, file: &str) {
        // Cargo builds examples before tests, beside them.
        let fake = env::current_exe().unwrap().with_file_name("../examples/libfake_toolkit.so").canonicalize().unwrap();
        let path = self.root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(fake, path).unwrap();
    }

    fn both(name: &str) -> Self {
        let toolkit = Self::new(name);
        toolkit.library("nvvm/lib64/libnvvm.so.4");
        toolkit.library("lib64/libnvJitLink.so.13");
        toolkit
    }
}

impl Drop for Toolkit {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn text(made: Result<Vec<u8>, LtoirError>) -> String {
    String::from_utf8(made.unwrap()).unwrap()
}

const TYPED: &[u8] = b"define void @f(i32* %p) { ret void }";

#[test]
fn nvvm_ir_goes_through_both_libraries() {
    let _toolkit = Toolkit::both("both");
    let ptx = text(build_ptx_from_nvvm_ir(TYPED, "mine", "sm_90a"));
    assert_eq!(ptx, "module mine \"define void @f(i32* %p) { ret void }\"\nnvvm -arch=compute_90a -fma=1");
    let ptx = text(build_ptx_from_nvvm_ir_with_options(TYPED, "mine", "sm_90a", false));
    assert!(ptx.ends_with("nvvm -arch=compute_90a -fma=0"), "{ptx}");
    let options = ArtifactCompileOptions { debug: ArtifactDebugPolicy::Full, ..ArtifactCompileOptions::default() };
    let cubin = text(build_cubin_from_nvvm_ir_with_compile_options(TYPED, "mine", "sm_90", options));
    assert!(cubin.starts_with("link -arch=sm_90 -fma=1 -g\ninput 2 mine \"module mine "), "{cubin}");
    assert!(cubin.contains("nvvm -arch=compute_90 -fma=1 -opt=0 -g"), "{cubin}");
}

#[test]
fn what_is_not_optimised() {
    let _toolkit = Toolkit::both("optimise");
    let options = ArtifactCompileOptions { optimise: false, ..ArtifactCompileOptions::default() };
    let cubin = text(build_cubin_from_nvvm_ir_with_compile_options(TYPED, "mine", "sm_90", options));
    assert!(cubin.starts_with("link -arch=sm_90 -fma=1 -O0\n") && cubin.contains("nvvm -arch=compute_90 -fma=1 -opt=0"), "{cubin}");
    let cubin = text(link_ltoir_to_cubin_with_compile_options(b".nv.constant0.k", "mine", "sm_80", options));
    assert!(cubin.starts_with("link -arch=sm_80 -fma=1 -O0 -lto\n"), "{cubin}");
}

#[test]
fn ltoir_goes_through_one() {
    let _toolkit = Toolkit::both("ltoir");
    let cubin = text(link_ltoir_to_cubin(b".nv.constant0.k", "mine", "sm_80"));
    assert_eq!(cubin, "link -arch=sm_80 -fma=1 -lto\ninput 3 mine \".nv.constant0.k\"\0");
    // Twice, so that kernels are kept which nobody is said to use.
    let cubin = text(link_ltoir_to_cubin(b"unused", "mine", "sm_80"));
    let relocatable = "link -arch=sm_80 -fma=1 -lto -r\ninput 3 mine \"unused\"\n.nv.constant0.kept\0";
    assert_eq!(cubin, format!("link -arch=sm_80 -fma=1\ninput 1 mine {relocatable:?}\0"));
    // What has other functions only has no kernels.
    assert!(matches!(link_ltoir_to_cubin(b".text.helper", "mine", "sm_80"), Err(LtoirError::NoKernels { module }) if module == "mine"));
    let ptx = text(link_ltoir_to_ptx(b".entry ", "mine", "sm_80"));
    assert_eq!(ptx, "link -arch=sm_80 -fma=1 -lto -ptx\ninput 3 mine \".entry \"");
    assert!(text(link_ltoir_to_ptx_with_options(b".entry ", "mine", "sm_80", false)).starts_with("link -arch=sm_80 -fma=0 -lto -ptx"));
    assert!(matches!(link_ltoir_to_ptx(b"code", "mine", "sm_80"), Err(LtoirError::NoKernels { module }) if module == "mine"));
}

#[test]
fn llvm_ir_of_today_is_for_new_targets() {
    let toolkit = Toolkit::both("dialects");
    let ir = "target datalayout = \"e\"\ndefine void @f(ptr %p) { ret void }\n";
    let error = build_ptx_from_nvvm_ir(ir.as_bytes(), "mine", "sm_90").unwrap_err();
    assert!(matches!(&error, LtoirError::TypedPointers { llvm: 7, .. }), "{error}");
    assert!(error.to_string().contains("`mine` has opaque pointers, and for sm_90 libNVVM reads LLVM 7's IR"), "{error}");
    let ll = toolkit.root.join("mine.ll");
    fs::write(&ll, ir).unwrap();
    let cubin = build_cubin_from_ll(&ll, "sm_100a").unwrap();
    assert_eq!(cubin, toolkit.root.join("mine.cubin"));
    let cubin = fs::read_to_string(cubin).unwrap();
    assert!(cubin.contains("e-p:64:64:64-") && cubin.contains("!nvvmir.version = !{!0}"), "{cubin}");
}

#[test]
fn libdevice_is_linked_where_it_is_called() {
    let toolkit = Toolkit::both("libdevice");
    let ir = b"declare float @__nv_sinf(float)";
    assert!(matches!(build_ptx_from_nvvm_ir(ir, "mine", "sm_90"), Err(LtoirError::Toolkit { what: "libdevice", .. })));
    let folder = toolkit.root.join("nvvm/libdevice");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("libdevice.10.bc"), "sines").unwrap();
    assert_eq!(find_libdevice().unwrap(), folder.join("libdevice.10.bc"));
    let ptx = text(build_ptx_from_nvvm_ir(ir, "mine", "sm_90"));
    assert!(ptx.contains("library libdevice \"sines\""), "{ptx}");
    fs::write(toolkit.root.join("other.bc"), "").unwrap();
    toolkit.set("OXIDE_LIBDEVICE", toolkit.root.join("other.bc").to_str().unwrap());
    assert_eq!(find_libdevice().unwrap(), toolkit.root.join("other.bc"));
}

#[test]
fn what_a_library_refuses_is_told_with_its_log() {
    let _toolkit = Toolkit::both("refused");
    let error = build_ptx_from_nvvm_ir(b"broken", "mine", "sm_90").unwrap_err();
    assert_eq!(error.to_string(), "nvvmCompileProgram failed: NVVM_ERROR_COMPILATION\nline 1: broken");
    let error = link_ltoir_to_cubin(b"broken", "mine", "sm_90").unwrap_err();
    assert_eq!(error.to_string(), "nvJitLinkComplete failed: nvJitLinkResult 4\nline 1: broken");
}

#[test]
fn libraries_are_looked_for_in_order() {
    let toolkit = Toolkit::new("search");
    // What the machine has is found after the roots that are named.
    let missing = link_ltoir_to_cubin(b"code", "mine", "sm_90");
    if let Err(error) = missing {
        let text = error.to_string();
        assert!(text.contains("cannot find nvJitLink") && text.contains("hint: set CUDA_HOME"), "{text}");
    }
    let other = toolkit.root.join("other");
    toolkit.set("CUDA_PATH", other.to_str().unwrap());
    toolkit.library("other/lib/libnvJitLink.so.13");
    assert!(text(link_ltoir_to_cubin(b".nv.constant0.k", "mine", "sm_90")).starts_with("link "));
    // CUDA_HOME comes first, and in a folder the newest: this one is no library.
    fs::create_dir_all(toolkit.root.join("lib")).unwrap();
    fs::write(toolkit.root.join("lib/libnvJitLink.so.14"), "").unwrap();
    toolkit.library("lib/libnvJitLink.so.9");
    assert!(text(link_ltoir_to_cubin(b".nv.constant0.k", "mine", "sm_90")).starts_with("link "));
    assert!(matches!(link_ltoir_to_cubin(b"code", "mine", "sm90"), Err(LtoirError::Target(arch)) if arch == "sm90"));
}

#[test]
fn the_environment_names_a_target() {
    let toolkit = Toolkit::new("target");
    toolkit.set("CUDA_OXIDE_TARGET", "sm_80");
    assert_eq!(target_arch().unwrap(), "sm_80");
    toolkit.set("OXIDE_ARCH", "sm_90a,sm_100a");
    assert_eq!(target_arch().unwrap(), "sm_90a");
    toolkit.set("OXIDE_ARCH", "hopper");
    assert!(matches!(target_arch(), Err(LtoirError::Target(arch)) if arch == "hopper"));
}

/// LLVM IR of today, as oxide writes it, with a function of libdevice.
const TODAY: &str = r#"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare float @__nv_sinf(float)
define ptx_kernel void @sine(ptr %p) {
  %x = load float, ptr %p
  %y = call float @__nv_sinf(float %x)
  store float %y, ptr %p
  ret void
}
"#;

/// NVVM IR of LLVM 7, for targets before compute capability 10.0.
const OLD: &str = include_str!("typed_pointers.ll");

const ELF: &[u8] = b"\x7fELF";

#[test]
#[ignore = "needs NVIDIA's libNVVM, nvJitLink and libdevice: set CUDA_HOME"]
fn nvidias_own_libraries() {
    let ptx = text(build_ptx_from_nvvm_ir(TODAY.as_bytes(), "sine", "sm_100"));
    assert!(ptx.contains(".visible .entry sine(") && ptx.contains(".target sm_100"), "{ptx}");
    assert!(build_cubin_from_nvvm_ir(TODAY.as_bytes(), "sine", "sm_100a").unwrap().starts_with(ELF));
    assert!(matches!(build_ptx_from_nvvm_ir(TODAY.as_bytes(), "sine", "sm_90"), Err(LtoirError::TypedPointers { .. })));
    let ptx = text(build_ptx_from_nvvm_ir(OLD.as_bytes(), "twice", "sm_90"));
    assert!(ptx.contains(".visible .entry twice("), "{ptx}");
    assert!(build_cubin_from_nvvm_ir(OLD.as_bytes(), "twice", "sm_90").unwrap().starts_with(ELF));
    let error = build_ptx_from_nvvm_ir(b"define void @f(i32* %p) { nonsense }", "mine", "sm_90").unwrap_err();
    assert!(matches!(&error, LtoirError::Refused { log, .. } if log.contains("nonsense") || log.contains("mine")), "{error}");
    let error = link_ltoir_to_cubin(b"no LTO IR", "mine", "sm_90").unwrap_err();
    assert!(matches!(error, LtoirError::Refused { .. }), "{error}");
}
