//! libNVVM: NVVM IR to PTX.

use std::{
    borrow::Cow,
    ffi::{CStr, CString, c_char, c_int, c_void},
    ptr,
};

use cuda_core::embedded::{ArtifactCompileOptions, ArtifactDebugPolicy};

use super::{
    LtoirError, find_libdevice, read,
    toolkit::{self, Opened, Wanted},
};

type Program = *mut c_void;
type Status = c_int;

const SUCCESS: Status = 0;

/// NVVM IR's layout of data (NVVM IR specification, "Data layout"), which the back end compares.
const DATA_LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-\
v64:64:64-v128:128:128-n16:32:64";

/// The open library, with its functions.
pub struct Nvvm {
    opened: Opened,
    create: unsafe extern "C" fn(*mut Program) -> Status,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    add: unsafe extern "C" fn(Program, *const c_char, usize, *const c_char) -> Status,
    add_lazily: unsafe extern "C" fn(Program, *const c_char, usize, *const c_char) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    result_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    result: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    log: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    error: unsafe extern "C" fn(Status) -> *const c_char,
    ir_version: unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int, *mut c_int) -> Status,
}

impl Nvvm {
    pub fn open() -> Result<Self, LtoirError> {
        let opened = toolkit::open(&Wanted { what: "libNVVM", stem: "libnvvm.so.", versions: &["4"] })?;
        // SAFETY: the functions have the types of nvvm.h.
        unsafe {
            Ok(Self {
                create: opened.function("nvvmCreateProgram")?,
                destroy: opened.function("nvvmDestroyProgram")?,
                add: opened.function("nvvmAddModuleToProgram")?,
                add_lazily: opened.function("nvvmLazyAddModuleToProgram")?,
                compile: opened.function("nvvmCompileProgram")?,
                result_size: opened.function("nvvmGetCompiledResultSize")?,
                result: opened.function("nvvmGetCompiledResult")?,
                log_size: opened.function("nvvmGetProgramLogSize")?,
                log: opened.function("nvvmGetProgramLog")?,
                error: opened.function("nvvmGetErrorString")?,
                ir_version: opened.function("nvvmIRVersion")?,
                opened,
            })
        }
    }

    /// The PTX of a module, with a final NUL.
    pub fn compile(&self, ir: &[u8], name: &str, arch: &str, options: ArtifactCompileOptions) -> Result<Vec<u8>, LtoirError> {
        let virtual_arch = arch.replace("sm_", "compute_");
        let ir = self.in_its_dialect(ir, name, arch, &virtual_arch)?;
        let mut flags = vec![format!("-arch={virtual_arch}"), format!("-fma={}", u8::from(options.allow_fma_contraction))];
        if options.flush_subnormals {
            flags.push("-ftz=1".into());
        }
        // The library describes variables only in code that is not optimised.
        if !options.optimise || options.debug == ArtifactDebugPolicy::Full {
            flags.push("-opt=0".into());
        }
        match options.debug {
            ArtifactDebugPolicy::None => {}
            ArtifactDebugPolicy::LineTables => flags.push("-generate-line-info".into()),
            ArtifactDebugPolicy::Full => flags.push("-g".into()),
        }
        let program = Running::new(self)?;
        program.add(self.add, "nvvmAddModuleToProgram", &ir, name)?;
        if contains(&ir, b"@__nv_") {
            program.add(self.add_lazily, "nvvmLazyAddModuleToProgram", &read(&find_libdevice()?)?, "libdevice")?;
        }
        let ptx = program.compile(&flags)?;
        match unknown_intrinsic(&ptx) {
            Some(intrinsic) => Err(LtoirError::UnknownIntrinsic { library: self.opened.path.clone(), module: name.into(), intrinsic }),
            None => Ok(ptx),
        }
    }

    /// The text as this library reads it for a target. Bitcode is its maker's affair.
    fn in_its_dialect<'a>(&self, ir: &'a [u8], name: &str, arch: &str, virtual_arch: &str) -> Result<Cow<'a, [u8]>, LtoirError> {
        let Ok(text) = str::from_utf8(ir) else { return Ok(ir.into()) };
        if !has_opaque_pointers(text) {
            return Ok(ir.into());
        }
        let llvm = self.llvm_version(virtual_arch);
        if llvm == 7 {
            return Err(LtoirError::TypedPointers { module: name.into(), arch: arch.into(), llvm });
        }
        let mut version = [0; 4];
        let [major, minor, debug_major, debug_minor] = &mut version;
        // SAFETY: the library stores four numbers.
        let status = unsafe { (self.ir_version)(major, minor, debug_major, debug_minor) };
        self.expect(status, "nvvmIRVersion", ptr::null_mut())?;
        Ok(as_nvvm_ir(text, version).into_bytes().into())
    }

    /// The version of LLVM whose IR is read for a target. A library without this function reads LLVM 7's before compute capability 10.0.
    fn llvm_version(&self, virtual_arch: &str) -> c_int {
        let mut version = 0;
        let arch = c_string(virtual_arch);
        // SAFETY: the function has this type in nvvm.h, and stores a number.
        let told = unsafe {
            let function = self.opened.optional::<unsafe extern "C" fn(*const c_char, *mut c_int) -> Status>("nvvmLLVMVersion");
            function.map(|function| function(arch.as_ptr(), &mut version))
        };
        let capability = virtual_arch.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap_or_default();
        match told {
            Some(SUCCESS) => version,
            _ if capability < 100 => 7,
            _ => c_int::MAX,
        }
    }

    fn expect(&self, status: Status, call: &'static str, program: Program) -> Result<(), LtoirError> {
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: the library has a constant text for every status.
        let reason = unsafe { CStr::from_ptr((self.error)(status)) }.to_string_lossy().into_owned();
        let log = if program.is_null() { Vec::new() } else { self.bytes(program, self.log_size, self.log).unwrap_or_default() };
        Err(LtoirError::Refused { call, reason, log: String::from_utf8_lossy(&log).trim_matches(['\0', '\n', ' ']).into() })
    }

    /// The library's result, read in two calls: its size, then its bytes.
    fn bytes(
        &self,
        program: Program,
        size: unsafe extern "C" fn(Program, *mut usize) -> Status,
        get: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    ) -> Option<Vec<u8>> {
        let mut count = 0;
        // SAFETY: the program is alive, and the library stores a number.
        if unsafe { size(program, &mut count) } != SUCCESS {
            return None;
        }
        let mut bytes = vec![0u8; count];
        // SAFETY: there is room for as many bytes as it says.
        (unsafe { get(program, bytes.as_mut_ptr().cast()) } == SUCCESS).then_some(bytes)
    }
}

/// A program of the library, destroyed on drop.
struct Running<'a> {
    nvvm: &'a Nvvm,
    program: Program,
}

impl<'a> Running<'a> {
    fn new(nvvm: &'a Nvvm) -> Result<Self, LtoirError> {
        let mut program = ptr::null_mut();
        // SAFETY: the library stores a program; `Drop` destroys it.
        let status = unsafe { (nvvm.create)(&mut program) };
        nvvm.expect(status, "nvvmCreateProgram", ptr::null_mut())?;
        Ok(Self { nvvm, program })
    }

    fn add(
        &self,
        add: unsafe extern "C" fn(Program, *const c_char, usize, *const c_char) -> Status,
        call: &'static str,
        module: &[u8],
        name: &str,
    ) -> Result<(), LtoirError> {
        let name = c_string(name);
        // SAFETY: the library copies the module and its name.
        let status = unsafe { add(self.program, module.as_ptr().cast(), module.len(), name.as_ptr()) };
        self.nvvm.expect(status, call, self.program)
    }

    fn compile(&self, flags: &[String]) -> Result<Vec<u8>, LtoirError> {
        let flags: Vec<_> = flags.iter().map(|flag| c_string(flag)).collect();
        let flags: Vec<_> = flags.iter().map(|flag| flag.as_ptr()).collect();
        // SAFETY: so many flags are there.
        let status = unsafe { (self.nvvm.compile)(self.program, flags.len() as c_int, flags.as_ptr()) };
        self.nvvm.expect(status, "nvvmCompileProgram", self.program)?;
        let result = self.nvvm.bytes(self.program, self.nvvm.result_size, self.nvvm.result);
        result.ok_or_else(|| LtoirError::Refused { call: "nvvmGetCompiledResult", reason: "no result".into(), log: String::new() })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed only here.
        unsafe { (self.nvvm.destroy)(&mut self.program) };
    }
}

/// Text for the library, up to a NUL in it.
pub fn c_string(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

pub fn contains(code: &[u8], what: &[u8]) -> bool {
    code.windows(what.len()).any(|window| window == what)
}

/// Whether the text of a module has the type `ptr` in it, outside of names, strings and comments.
fn has_opaque_pointers(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.$-%@!#".contains(c);
    text.lines().any(|line| {
        let code = line.split(';').next().unwrap_or_default();
        // Every second part is inside of quotes.
        code.split('"').step_by(2).any(|part| part.split(|c| !is_part(c)).any(|word| word == "ptr"))
    })
}

/// Intrinsics by the names that every version of the library reads: CUDA 13.0's has those of an earlier LLVM, and later ones still take them.
const EARLIER_NAMES: [(&str, &str); 2] = [
    ("@llvm.nvvm.barrier.cta.sync.aligned.all(", "@llvm.nvvm.barrier.n("),
    ("@llvm.nvvm.barrier.cta.sync.aligned.count(", "@llvm.nvvm.barrier.sync.cnt("),
];

/// An intrinsic that PTX has as a function from elsewhere, which the library makes of what it does not know.
fn unknown_intrinsic(ptx: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(ptx);
    let declared = text.lines().filter(|line| line.starts_with(".extern .func"));
    let mut words = declared.flat_map(|line| line.split([' ', '(', ')', ',', ';']));
    words.find(|word| word.starts_with("llvm.")).map(Into::into)
}

/// LLVM IR with NVVM IR's layout of data and names of intrinsics, and the version that the library asks for, without which it takes the text
/// for an old one.
fn as_nvvm_ir(text: &str, version: [c_int; 4]) -> String {
    let mut ir = String::with_capacity(text.len() + 512);
    let mut free = 0;
    for line in text.lines() {
        if line.starts_with("target datalayout = ") {
            ir.push_str(&format!("target datalayout = \"{DATA_LAYOUT}\""));
        } else {
            let named = |line: String, (name, earlier): &(&str, &str)| line.replace(name, earlier);
            ir.push_str(&EARLIER_NAMES.iter().fold(line.into(), named));
        }
        ir.push('\n');
        let number = line.strip_prefix('!').and_then(|rest| rest.split(' ').next()).and_then(|number| number.parse::<u64>().ok());
        free = free.max(number.map_or(0, |number| number + 1));
    }
    if !text.contains("!nvvmir.version") {
        let version = version.map(|number| format!("i32 {number}")).join(", ");
        ir.push_str(&format!("!nvvmir.version = !{{!{free}}}\n!{free} = !{{{version}}}\n"));
    }
    ir
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opaque_pointers_are_types() {
        for text in ["define void @f(ptr %p) {", "  %x = load i32, ptr %p", "declare ptr addrspace(1) @g()", "  store ptr null, i64* %q"] {
            assert!(has_opaque_pointers(text), "{text}");
        }
        for text in ["define void @ptr(i8* %ptr) {", "; a ptr in words", "@s = global [4 x i8] c\"ptr \"", "  %ptr.1 = load i32, i32* %ptr"]
        {
            assert!(!has_opaque_pointers(text), "{text}");
        }
    }

    #[test]
    fn what_makes_nvvm_ir_of_llvm_ir() {
        let text = "target datalayout = \"e-i64:64\"\ndefine void @f(ptr %p) { ret void }\n!0 = !{!\"text\"}\n!7 = !{}\n";
        let ir = as_nvvm_ir(text, [2, 0, 3, 2]);
        assert_eq!(
            ir,
            format!(
                "target datalayout = \"{DATA_LAYOUT}\"\ndefine void @f(ptr %p) {{ ret void }}\n!0 = !{{!\"text\"}}\n!7 = !{{}}\n\
                 !nvvmir.version = !{{!8}}\n!8 = !{{i32 2, i32 0, i32 3, i32 2}}\n"
            )
        );
        assert_eq!(as_nvvm_ir(&ir, [2, 0, 3, 2]), ir);
        let barrier = as_nvvm_ir("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", [2, 0, 3, 2]);
        assert!(barrier.starts_with("call void @llvm.nvvm.barrier.n(i32 0)\n"), "{barrier}");
    }

    #[test]
    fn what_the_library_does_not_know() {
        let ptx = b".extern .func vprintf;\n.extern .func  (.param .b32 r) llvm.nvvm.next\n(\n\t.param .b32 llvm.nvvm.next_param_0\n)\n;\n";
        assert_eq!(unknown_intrinsic(ptx).as_deref(), Some("llvm.nvvm.next"));
        assert_eq!(unknown_intrinsic(b".extern .func vprintf\n.visible .entry llvm.k("), None);
    }
}
