//! libNVVM and nvJitLink in one, for `tests/ltoir.rs`: what they make is text that says what they were given.

#![allow(non_snake_case, clippy::missing_safety_doc, missing_docs)]

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    slice,
};

/// A program of libNVVM's, or a link of nvJitLink's.
#[derive(Default)]
pub struct Work {
    given: Vec<String>,
    made: Vec<u8>,
    log: Vec<u8>,
}

type Handle = *mut Work;

unsafe fn text(text: *const c_char) -> String {
    // SAFETY: the library under test passes C strings.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().into()
}

unsafe fn flags(flags: *const *const c_char, count: usize) -> String {
    // SAFETY: so many flags are there.
    unsafe { slice::from_raw_parts(flags, count) }.iter().map(|&flag| unsafe { text(flag) }).collect::<Vec<_>>().join(" ")
}

unsafe fn give(work: Handle, what: &str, data: *const c_char, bytes: usize, name: *const c_char) {
    // SAFETY: so many bytes are there, and the work is alive.
    unsafe {
        let data = String::from_utf8_lossy(slice::from_raw_parts(data.cast(), bytes)).into_owned();
        (*work).given.push(format!("{what} {} {data:?}", text(name)));
    }
}

/// Makes text of what was given, with a final NUL; or fails where that says so.
unsafe fn make(work: Handle, failure: c_int) -> c_int {
    // SAFETY: the work is alive.
    let work = unsafe { &mut *work };
    let made = work.given.join("\n");
    if made.contains("broken") {
        work.log = b"line 1: broken\n\0".into();
        return failure;
    }
    // Kernels that nobody is said to use are kept only in what is relocatable.
    let kept = if made.contains("unused") && made.contains(" -r\n") { "\n.nv.constant0.kept" } else { "" };
    work.made = format!("{made}{kept}\0").into();
    0
}

unsafe fn copy(bytes: &[u8], to: *mut c_char) -> c_int {
    // SAFETY: the library under test makes as much room as it was told.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    0
}

macro_rules! entry_points {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            // SAFETY: the library under test passes what the real one may be passed.
            #[allow(unused_unsafe)]
            unsafe { $body }
        }
    )*};
}

#[unsafe(no_mangle)]
pub extern "C" fn nvvmGetErrorString(_status: c_int) -> *const c_char {
    c"NVVM_ERROR_COMPILATION".as_ptr()
}

entry_points! {
    fn nvvmIRVersion(a: *mut c_int, b: *mut c_int, c: *mut c_int, d: *mut c_int) { (*a, *b, *c, *d) = (2, 0, 3, 2); 0 }
    fn nvvmLLVMVersion(arch: *const c_char, version: *mut c_int) {
        *version = if text(arch).as_str() < "compute_2" && text(arch).len() > "compute_90".len() { 22 } else { 7 };
        0
    }
    fn nvvmCreateProgram(program: *mut Handle) { *program = Box::leak(Box::default()); 0 }
    fn nvvmDestroyProgram(program: *mut Handle) { drop(Box::from_raw(*program)); 0 }
    fn nvvmAddModuleToProgram(program: Handle, data: *const c_char, bytes: usize, name: *const c_char) {
        give(program, "module", data, bytes, name);
        0
    }
    fn nvvmLazyAddModuleToProgram(program: Handle, data: *const c_char, bytes: usize, name: *const c_char) {
        give(program, "library", data, bytes, name);
        0
    }
    fn nvvmCompileProgram(program: Handle, count: c_int, options: *const *const c_char) {
        (*program).given.push(format!("nvvm {}", flags(options, count as usize)));
        make(program, 9)
    }
    fn nvvmGetCompiledResultSize(program: Handle, size: *mut usize) { *size = (*program).made.len(); 0 }
    fn nvvmGetCompiledResult(program: Handle, to: *mut c_char) { copy(&(*program).made, to) }
    fn nvvmGetProgramLogSize(program: Handle, size: *mut usize) { *size = (*program).log.len(); 0 }
    fn nvvmGetProgramLog(program: Handle, to: *mut c_char) { copy(&(*program).log, to) }

    fn nvJitLinkVersion(major: *mut c_uint, minor: *mut c_uint) { (*major, *minor) = (13, 9); 0 }
    // As older libraries have their functions.
    fn __nvJitLinkCreate_13_9(link: *mut Handle, count: c_uint, options: *mut *const c_char) {
        let mut work = Work::default();
        work.given.push(format!("link {}", flags(options, count as usize)));
        *link = Box::leak(Box::new(work));
        0
    }
    fn nvJitLinkDestroy(link: *mut Handle) { drop(Box::from_raw(*link)); 0 }
    fn nvJitLinkAddData(link: Handle, kind: c_uint, data: *const c_void, bytes: usize, name: *const c_char) {
        give(link, &format!("input {kind}"), data.cast(), bytes, name);
        0
    }
    fn nvJitLinkComplete(link: Handle) { make(link, 4) }
    fn nvJitLinkGetLinkedCubinSize(link: Handle, size: *mut usize) { *size = (*link).made.len(); 0 }
    fn nvJitLinkGetLinkedCubin(link: Handle, to: *mut c_char) { copy(&(*link).made, to) }
    fn nvJitLinkGetLinkedPtxSize(link: Handle, size: *mut usize) { *size = (*link).made.len(); 0 }
    fn nvJitLinkGetLinkedPtx(link: Handle, to: *mut c_char) { copy(&(*link).made, to) }
    fn nvJitLinkGetErrorLogSize(link: Handle, size: *mut usize) { *size = (*link).log.len(); 0 }
    fn nvJitLinkGetErrorLog(link: Handle, to: *mut c_char) { copy(&(*link).log, to) }
}
