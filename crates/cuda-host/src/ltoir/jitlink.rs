//! nvJitLink: PTX or LTO IR to machine code.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    ffi::{c_char, c_uint, c_void},
    ptr,
};

use cuda_core::embedded::{ArtifactCompileOptions, ArtifactDebugPolicy};

use super::{
    LtoirError,
    nvvm::{c_string, contains},
    toolkit::{self, Opened, Wanted},
};

type Handle = *mut c_void;
type Status = c_uint;

const SUCCESS: Status = 0;

/// What is linked (`nvJitLinkInputType`).
#[derive(Clone, Copy)]
pub enum Input {
    Cubin = 1,
    Ptx = 2,
    Ltoir = 3,
}

type GetSize = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type GetBytes = unsafe extern "C" fn(Handle, *mut c_char) -> Status;

/// Code to be linked with other code.
pub struct Part<'a> {
    pub input: Input,
    pub code: Cow<'a, [u8]>,
    pub name: &'a str,
}

/// Machine code of all parts together.
pub fn cubin_of(parts: &[Part<'_>], arch: &str, options: ArtifactCompileOptions) -> Result<Vec<u8>, LtoirError> {
    let library = Library::open()?;
    let flags = flags(arch, options);
    let (ltoir, mut others): (Vec<_>, Vec<_>) = parts.iter().partition(|part| matches!(part.input, Input::Ltoir));
    let Some(first) = ltoir.first() else { return library.link(&others, &flags)?.cubin() };
    let mut lto_flags = [&flags[..], &["-lto".into()]].concat();
    let cubin = library.link(&parts.iter().collect::<Vec<_>>(), &lto_flags)?.cubin()?;
    if others.is_empty() && !kernels(&cubin).is_empty() {
        return Ok(cubin);
    }
    // The linker leaves out kernels of LTO IR whose maker has not said that they are used. From what it makes relocatable some of its versions
    // leave out none, and others leave out all when they link that.
    lto_flags.push("-r".into());
    let code = library.link(&ltoir, &lto_flags)?.cubin()?;
    let relocatable = Part { input: Input::Cubin, code: (&code).into(), name: first.name };
    let wanted = kernels(&code);
    let has_all = |cubin: &[u8]| !wanted.is_empty() && kernels(cubin).is_superset(&wanted);
    if has_all(&cubin) {
        return Ok(cubin);
    }
    others.insert(0, &relocatable);
    let cubin = library.link(&others, &flags)?.cubin()?;
    if has_all(&cubin) { Ok(cubin) } else { Err(LtoirError::NoKernels { module: first.name.into() }) }
}

/// The kernels in machine code, by the sections of their parameters, which other functions have none of (CUDA Binary Utilities, "nvdisasm").
fn kernels(cubin: &[u8]) -> BTreeSet<&[u8]> {
    const SECTION: &[u8] = b".nv.constant0.";
    let names = (0..cubin.len()).filter_map(|at| cubin[at..].strip_prefix(SECTION));
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$.".contains(byte);
    names.map(|name| &name[..name.iter().position(|byte| !is_part(byte)).unwrap_or(name.len())]).collect()
}

/// PTX of LTO IR.
pub fn ptx_of_ltoir(ltoir: &[u8], name: &str, arch: &str, options: ArtifactCompileOptions) -> Result<Vec<u8>, LtoirError> {
    let library = Library::open()?;
    let ptx = [flags(arch, options), vec!["-lto".into(), "-ptx".into()]].concat();
    let part = Part { input: Input::Ltoir, code: ltoir.into(), name };
    let ptx = library.link(&[&part], &ptx)?.result("nvJitLinkGetLinkedPtxSize", "nvJitLinkGetLinkedPtx")?;
    if contains(&ptx, b".entry ") { Ok(ptx) } else { Err(LtoirError::NoKernels { module: name.into() }) }
}

fn flags(arch: &str, options: ArtifactCompileOptions) -> Vec<String> {
    let mut flags = vec![format!("-arch={arch}"), format!("-fma={}", u8::from(options.allow_fma_contraction))];
    if options.flush_subnormals {
        flags.push("-ftz=1".into());
    }
    if !options.optimise {
        flags.push("-O0".into());
    }
    match options.debug {
        ArtifactDebugPolicy::None => {}
        ArtifactDebugPolicy::LineTables => flags.push("-lineinfo".into()),
        ArtifactDebugPolicy::Full => flags.push("-g".into()),
    }
    flags
}

struct Library {
    opened: Opened,
}

impl Library {
    fn open() -> Result<Self, LtoirError> {
        Ok(Self { opened: toolkit::open(&Wanted { what: "nvJitLink", stem: "libnvJitLink.so.", versions: &["13", "12"] })? })
    }

    fn link(&self, parts: &[&Part<'_>], flags: &[String]) -> Result<Link<'_>, LtoirError> {
        let link = Link::new(self, flags)?;
        for part in parts {
            link.add(part)?;
        }
        link.complete()?;
        Ok(link)
    }

    /// A function of the library, which older ones have only under the name of their version.
    ///
    /// # Safety
    ///
    /// It has this type.
    unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, LtoirError> {
        // SAFETY: passed on.
        if let Some(function) = unsafe { self.opened.optional(name) } {
            return Ok(function);
        }
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the function has this type in nvJitLink.h, and stores two numbers.
        unsafe {
            self.opened.function::<unsafe extern "C" fn(*mut c_uint, *mut c_uint) -> Status>("nvJitLinkVersion")?(&mut major, &mut minor)
        };
        // SAFETY: passed on.
        unsafe { self.opened.function(&format!("__{name}_{major}_{minor}")) }
    }
}

/// An open link, destroyed on drop.
struct Link<'a> {
    library: &'a Library,
    handle: Handle,
}

impl<'a> Link<'a> {
    fn new(library: &'a Library, flags: &[String]) -> Result<Self, LtoirError> {
        let flags: Vec<_> = flags.iter().map(|flag| c_string(flag)).collect();
        let mut flags: Vec<_> = flags.iter().map(|flag| flag.as_ptr()).collect();
        let mut link = Self { library, handle: ptr::null_mut() };
        // SAFETY: the function has this type in nvJitLink.h; so many flags are there, and the library stores a handle.
        let status = unsafe {
            let create: unsafe extern "C" fn(*mut Handle, c_uint, *mut *const c_char) -> Status = library.function("nvJitLinkCreate")?;
            create(&mut link.handle, flags.len() as c_uint, flags.as_mut_ptr())
        };
        link.expect(status, "nvJitLinkCreate")?;
        Ok(link)
    }

    fn add(&self, Part { input, code, name }: &Part<'_>) -> Result<(), LtoirError> {
        let name = c_string(name);
        // Older versions know PTX by its final NUL.
        let lacks_its_end = matches!(input, Input::Ptx) && code.last() != Some(&0);
        let code: Cow<'_, [u8]> = if lacks_its_end { [code, &[0][..]].concat().into() } else { code.as_ref().into() };
        // SAFETY: the function has this type in nvJitLink.h, and copies the data.
        let status = unsafe {
            let add: unsafe extern "C" fn(Handle, c_uint, *const c_void, usize, *const c_char) -> Status =
                self.library.function("nvJitLinkAddData")?;
            add(self.handle, *input as c_uint, code.as_ptr().cast(), code.len(), name.as_ptr())
        };
        self.expect(status, "nvJitLinkAddData")
    }

    fn complete(&self) -> Result<(), LtoirError> {
        // SAFETY: the function has this type in nvJitLink.h.
        let status = unsafe { self.library.function::<unsafe extern "C" fn(Handle) -> Status>("nvJitLinkComplete")?(self.handle) };
        self.expect(status, "nvJitLinkComplete")
    }

    fn cubin(&self) -> Result<Vec<u8>, LtoirError> {
        self.result("nvJitLinkGetLinkedCubinSize", "nvJitLinkGetLinkedCubin")
    }

    fn result(&self, size: &str, get: &'static str) -> Result<Vec<u8>, LtoirError> {
        let bytes = self.bytes(size, get)?;
        bytes.ok_or_else(|| LtoirError::Refused { call: get, reason: "no result".into(), log: String::new() })
    }

    fn expect(&self, status: Status, call: &'static str) -> Result<(), LtoirError> {
        if status == SUCCESS {
            return Ok(());
        }
        let log = self.bytes("nvJitLinkGetErrorLogSize", "nvJitLinkGetErrorLog")?.unwrap_or_default();
        let log = String::from_utf8_lossy(&log).trim_matches(['\0', '\n', ' ']).into();
        Err(LtoirError::Refused { call, reason: format!("nvJitLinkResult {status}"), log })
    }

    /// The library's result, read in two calls: its size, then its bytes.
    fn bytes(&self, size: &str, get: &str) -> Result<Option<Vec<u8>>, LtoirError> {
        if self.handle.is_null() {
            return Ok(None);
        }
        // SAFETY: the functions have these types in nvJitLink.h.
        let (size, get) = unsafe { (self.library.function::<GetSize>(size)?, self.library.function::<GetBytes>(get)?) };
        let mut count = 0;
        // SAFETY: the library stores a number.
        if unsafe { size(self.handle, &mut count) } != SUCCESS {
            return Ok(None);
        }
        let mut bytes = vec![0u8; count];
        // SAFETY: there is room for as many bytes as it says.
        Ok((unsafe { get(self.handle, bytes.as_mut_ptr().cast()) } == SUCCESS).then_some(bytes))
    }
}

impl Drop for Link<'_> {
    fn drop(&mut self) {
        // SAFETY: the function has this type in nvJitLink.h; the handle was made by `new`, and is destroyed only here.
        unsafe {
            if !self.handle.is_null()
                && let Ok(destroy) = self.library.function::<unsafe extern "C" fn(*mut Handle) -> Status>("nvJitLinkDestroy")
            {
                destroy(&mut self.handle);
            }
        }
    }
}
