//! Modules: loaded device code, its kernels and its globals.

use std::{
    ffi::{CStr, CString, c_uint, c_void},
    fmt, fs, ptr,
    sync::Arc,
};

use crate::{
    CudaContext, CudaFunction, DriverError, driver, error,
    failure::{Cause, Failure},
    image::{self, Capability, Contents, NewestPtx},
    sys,
};

/// Loaded device code, unloaded on drop.
#[derive(Debug)]
pub struct CudaModule {
    module: sys::CUmodule,
    context: Arc<CudaContext>,
    /// Where the code is from, for messages.
    origin: String,
    /// Its kernels, where this driver cannot list them.
    kernels: Vec<String>,
}

// SAFETY: the driver locks a module itself.
unsafe impl Send for CudaModule {}
// SAFETY: as above.
unsafe impl Sync for CudaModule {}

impl CudaModule {
    /// Loads a file by name: the CPU device looks for its image beside it.
    pub(crate) fn from_file(context: &Arc<CudaContext>, path: &str) -> Result<Arc<Self>, DriverError> {
        context.bind_to_thread()?;
        let name = c_string(path)?;
        let origin = format!("`{path}`");
        // SAFETY: the driver stores a module; `Drop` unloads it.
        match unsafe { error::output(|module| sys::checked::cuModuleLoad(module, name.as_ptr())) } {
            Ok(module) => {
                let image = if can_list_kernels() { Vec::new() } else { fs::read(path).unwrap_or_default() };
                Ok(Self::loaded(module, context, origin, &image))
            }
            // This call has no log: a file that can be read is loaded again for it.
            Err(failure) => match fs::read(path) {
                Ok(image) => Self::from_image(context, &image, &origin),
                Err(source) => Err(failure.because(Cause::UnreadableFile { origin, source }).into()),
            },
        }
    }

    /// Loads an image. The text of an error has its origin and contents, the device, and the driver's log.
    pub(crate) fn from_image(context: &Arc<CudaContext>, image: &[u8], origin: &str) -> Result<Arc<Self>, DriverError> {
        context.bind_to_thread()?;
        if !image::is_whole(image) {
            let cause = Cause::TruncatedImage { origin: origin.into(), bytes: image.len() };
            return Err(Failure::refusal(sys::cudaError_enum_CUDA_ERROR_INVALID_IMAGE, cause).into());
        }
        let ended = with_nul(image);
        let mut log = JitLog::new();
        let (mut options, mut values) = log.options();
        // SAFETY: the image ends in a NUL, or says its size itself and is as long; the options have their values, and the log outlives the call.
        let loaded = unsafe {
            error::output(|module| {
                let count = options.len() as c_uint;
                sys::checked::cuModuleLoadDataEx(module, ended.as_ptr().cast(), count, options.as_mut_ptr(), values.as_mut_ptr())
            })
        };
        match loaded {
            Ok(module) => Ok(Self::loaded(module, context, origin.into(), image)),
            Err(failure) => Err(unloadable(context, failure, &[(origin, image)], &log).into()),
        }
    }

    /// Links several PTX texts, each with where it is from, into one module.
    pub(crate) fn from_ptx_texts(context: &Arc<CudaContext>, texts: &[(&str, &[u8])]) -> Result<Arc<Self>, DriverError> {
        if let [(origin, text)] = texts {
            return Self::from_image(context, text, origin);
        }
        context.bind_to_thread()?;
        let mut log = JitLog::new();
        let linked = Linker::new(&mut log).and_then(|linker| linker.link(texts));
        let image = linked.map_err(|failure| unloadable(context, failure, texts, &log))?;
        let mut origins: Vec<_> = texts.iter().map(|(origin, _)| *origin).collect();
        origins.dedup();
        Self::from_image(context, &image, &origins.join(", "))
    }

    fn loaded(module: sys::CUmodule, context: &Arc<CudaContext>, origin: String, image: &[u8]) -> Arc<Self> {
        let kernels = if can_list_kernels() { Vec::new() } else { Contents::of(image).kernels().to_vec() };
        Arc::new(Self { module, context: context.clone(), origin, kernels })
    }

    /// The context that the module is loaded in.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The driver's handle.
    ///
    /// # Safety
    ///
    /// It is neither unloaded nor used after `self` is dropped.
    pub unsafe fn cu_module(&self) -> sys::CUmodule {
        self.module
    }

    /// The kernel of exactly this name.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_NOT_FOUND` where the module has none, the sticky error, or what else the driver reports.
    pub fn load_function(self: &Arc<Self>, fn_name: &str) -> Result<CudaFunction, DriverError> {
        self.context.bind_to_thread()?;
        let name = c_string(fn_name)?;
        // SAFETY: the driver stores a function, which lives as long as the module.
        let function = unsafe { error::output(|function| sys::checked::cuModuleGetFunction(function, self.module, name.as_ptr())) }
            .map_err(|failure| failure.because(Cause::no_such_kernel(fn_name, &self.origin, self.kernels())))?;
        Ok(CudaFunction::new(function, fn_name, self, self.borrows_host_memory(fn_name)?))
    }

    /// Whether a kernel takes references to host memory: the compiler then defines a variable of a name that begins so.
    fn borrows_host_memory(&self, kernel: &str) -> Result<bool, DriverError> {
        let mark = c_string(&format!("oxide_host_references${kernel}"))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the driver stores an address and a size.
        match unsafe { sys::checked::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.module, mark.as_ptr()) } {
            Ok(()) => Ok(true),
            Err(failure) if failure.code() == sys::cudaError_enum_CUDA_ERROR_NOT_FOUND => Ok(false),
            Err(failure) => Err(failure.because(self.global(&mark.to_string_lossy())).into()),
        }
    }

    fn global(&self, name: &str) -> Cause {
        Cause::Global { name: name.into(), origin: self.origin.clone() }
    }

    /// The names of the kernels, by the driver where it can list them.
    fn kernels(&self) -> Vec<String> {
        list_kernels(self.module).filter(|kernels| !kernels.is_empty()).unwrap_or_else(|| self.kernels.clone())
    }

    /// The address and the size in bytes of a global variable.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_NOT_FOUND` where the module has none of this name, the sticky error, or what else the driver reports.
    pub fn get_global(self: &Arc<Self>, name: &str) -> Result<(sys::CUdeviceptr, usize), DriverError> {
        self.context.bind_to_thread()?;
        let symbol = c_string(name)?;
        let mut bytes = 0;
        // SAFETY: the driver stores an address and a size.
        let address =
            unsafe { error::output(|address| sys::checked::cuModuleGetGlobal_v2(address, &mut bytes, self.module, symbol.as_ptr())) }
                .map_err(|failure| failure.because(self.global(name)))?;
        Ok((address, bytes))
    }

    /// Overwrites bytes of a global variable; returns when the copy has run.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    ///
    /// # Safety
    ///
    /// `dptr` lies in a global of this module that, like `src`, holds `num_bytes`, and no kernel uses it meanwhile.
    pub unsafe fn copy_bytes_to_device_global_sync(
        self: &Arc<Self>,
        dptr: sys::CUdeviceptr,
        src: *const u8,
        num_bytes: usize,
    ) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: passed on.
        unsafe { crate::memory::memcpy_htod_sync(dptr, src, num_bytes) }
    }
}

impl Drop for CudaModule {
    fn drop(&mut self) {
        // SAFETY: loaded by a constructor, and unloaded only here; functions keep the module alive.
        self.context.release(|| unsafe { sys::checked::cuModuleUnload(self.module) });
    }
}

/// An open link, destroyed on drop. It writes its messages to the log that it borrows, and their sizes among the options' values, which
/// therefore live as long (CUDA driver API, `cuLinkCreate`).
struct Linker<'log> {
    state: sys::CUlinkState,
    _options: Box<JitOptions>,
    _log: &'log mut JitLog,
}

impl<'log> Linker<'log> {
    fn new(log: &'log mut JitLog) -> Result<Self, Failure> {
        let mut kept = Box::new(log.options());
        let (options, values) = &mut *kept;
        // SAFETY: the options have their values; the driver stores a link and keeps their addresses and the log's, which outlive it.
        let state = unsafe {
            error::output(|state| sys::checked::cuLinkCreate_v2(options.len() as c_uint, options.as_mut_ptr(), values.as_mut_ptr(), state))
        }?;
        Ok(Self { state, _options: kept, _log: log })
    }

    /// The linked image, a cubin.
    fn link(self, texts: &[(&str, &[u8])]) -> Result<Vec<u8>, Failure> {
        for (name, text) in texts {
            let mut text = with_nul(text);
            let name = c_string(name)?;
            let kind = sys::CUjitInputType_enum_CU_JIT_INPUT_PTX;
            let (data, size) = (text.as_mut_ptr().cast(), text.len());
            // SAFETY: the driver copies what it needs of the text and the name; no options are given.
            unsafe { sys::checked::cuLinkAddData_v2(self.state, kind, data, size, name.as_ptr(), 0, ptr::null_mut(), ptr::null_mut()) }?;
        }
        let mut size = 0;
        // SAFETY: the driver stores an address and a size.
        let image = unsafe { error::output(|image| sys::checked::cuLinkComplete(self.state, image, &mut size)) }?;
        // SAFETY: the driver owns these bytes until the link is destroyed.
        Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
    }
}

impl Drop for Linker<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed only here. The link has done its work or failed already.
        let _ = unsafe { sys::checked::cuLinkDestroy(self.state) };
    }
}

/// Names of options, and the values of each.
type JitOptions = ([sys::CUjit_option; 4], [*mut c_void; 4]);

/// Where the driver's compiler and linker write their messages.
struct JitLog {
    errors: Vec<u8>,
    infos: Vec<u8>,
}

impl JitLog {
    const BYTES: usize = 8192;

    fn new() -> Self {
        Self { errors: vec![0; Self::BYTES], infos: vec![0; Self::BYTES] }
    }

    /// The options that name the two buffers, and their values, which the driver reads as pointers or as numbers.
    fn options(&mut self) -> JitOptions {
        let size = ptr::without_provenance_mut(Self::BYTES);
        let options = [
            sys::CUjit_option_enum_CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option_enum_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            sys::CUjit_option_enum_CU_JIT_INFO_LOG_BUFFER,
            sys::CUjit_option_enum_CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        ];
        (options, [self.errors.as_mut_ptr().cast(), size, self.infos.as_mut_ptr().cast(), size])
    }

    /// The messages, line by line.
    fn lines(&self) -> Vec<String> {
        let texts = [&self.errors, &self.infos].map(|log| {
            let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
            String::from_utf8_lossy(&log[..end]).into_owned()
        });
        texts.iter().flat_map(|text| text.lines()).map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
    }
}

/// Images that the driver did not load: where each is from and what is in it, the device, and the driver's log.
#[derive(Debug)]
pub(crate) struct Unloadable {
    images: Vec<(String, Contents)>,
    device: Option<Capability>,
    newest_ptx: Option<NewestPtx>,
    /// Each line, with the inline PTX that it is about.
    log: Vec<(String, Option<InlinePtx>)>,
}

/// The failure to load images with its cause.
fn unloadable(context: &Arc<CudaContext>, failure: Failure, images: &[(&str, &[u8])], log: &JitLog) -> Failure {
    let inline_ptx = |line: &str| {
        let &[(_, image)] = images else { return None };
        InlinePtx::find(&String::from_utf8_lossy(image), line_number(line)?)
    };
    let is_newer = failure.code() == sys::cudaError_enum_CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    failure.because(Cause::Unloadable(Unloadable {
        images: images.iter().map(|&(origin, image)| (origin.into(), Contents::of(image))).collect(),
        device: context.compute_capability().ok(),
        newest_ptx: is_newer.then(image::newest_ptx).flatten(),
        log: log.lines().into_iter().map(|line| (line.clone(), inline_ptx(&line))).collect(),
    }))
}

impl fmt::Display for Unloadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (origin, contents)) in self.images.iter().enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            write!(f, "{separator}{origin}: {contents}")?;
        }
        if let Some((major, minor)) = self.device {
            write!(f, "; the device is sm_{major}{minor}")?;
        }
        if let Some(newest) = &self.newest_ptx {
            write!(f, "; {newest}")?;
        }
        if !self.log.is_empty() {
            f.write_str("; the driver's log:")?;
        }
        for (line, inline_ptx) in &self.log {
            write!(f, "\n    {line}")?;
            inline_ptx.iter().try_for_each(|place| write!(f, "\n      {place}"))?;
        }
        Ok(())
    }
}

/// The number of the line of PTX that a line of the driver's log is about: 28 of `ptxas application ptx input, line 28; error   : …`.
fn line_number(log: &str) -> Option<usize> {
    let (_, rest) = log.split_once(", line ")?;
    rest.split_once(';')?.0.trim().parse().ok()
}

/// A line of the program's inline PTX.
#[derive(Debug)]
struct InlinePtx {
    text: String,
    /// File, line and column in the program, where the PTX has line tables.
    location: Option<(String, String, String)>,
}

impl InlinePtx {
    /// Line `number` of a PTX text, counted from 1, if it is inline PTX.
    fn find(ptx: &str, number: usize) -> Option<Self> {
        let (mut inside, mut location) = (false, None);
        for line in ptx.lines().take(number) {
            let words: Vec<_> = line.split_whitespace().collect();
            match words[..] {
                ["//", "begin", "inline", "asm"] => inside = true,
                ["//", "end", "inline", "asm"] => inside = false,
                [".loc", file, line, column, ..] => location = Some((file, line, column)),
                ["}"] if line.starts_with('}') => location = None,
                _ => {}
            }
        }
        let text = ptx.lines().nth(number.checked_sub(1)?).filter(|_| inside)?.trim().into();
        let file = |number| ptx.lines().find_map(|line| line.trim().strip_prefix(".file")?.trim().strip_prefix(number)?.split('"').nth(1));
        let location = location.and_then(|(number, line, column)| Some((file(number)?.into(), line.into(), column.into())));
        Some(Self { text, location })
    }
}

impl fmt::Display for InlinePtx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some((file, line, column)) => write!(f, "`{}`, the inline PTX at {file}:{line}:{column}", self.text),
            None => write!(f, "`{}`, inline PTX: `oxide build --emit=cubin` prints its line in the program", self.text),
        }
    }
}

/// The names of a module's kernels; `None` where the driver cannot list them.
fn list_kernels(module: sys::CUmodule) -> Option<Vec<String>> {
    // SAFETY: the module is loaded, and the driver stores a number.
    let count = unsafe { error::output(|count| sys::checked::cuModuleGetFunctionCount(count, module)) }.ok()?;
    let mut functions = vec![ptr::null_mut(); count as usize];
    // SAFETY: there is room for as many functions.
    unsafe { sys::checked::cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, module) }.ok()?;
    Some(functions.into_iter().filter_map(function_name).collect())
}

/// The name of a function that is alive.
pub(crate) fn function_name(function: sys::CUfunction) -> Option<String> {
    // SAFETY: the driver stores the address of a text, which lives as long as the function.
    let name = unsafe { error::output(|name| sys::checked::cuFuncGetName(name, function)) }.ok().filter(|name| !name.is_null())?;
    // SAFETY: as above.
    Some(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

/// Whether the driver lists a module's kernels itself, which it does from CUDA 12.4 on.
fn can_list_kernels() -> bool {
    driver::driver().is_ok_and(|driver| driver.functions.cuModuleEnumerateFunctions.is_some())
}

fn with_nul(image: &[u8]) -> Vec<u8> {
    let mut image = image.to_vec();
    if image.last() != Some(&0) {
        image.push(0);
    }
    image
}

/// A name for the driver.
fn c_string(name: &str) -> Result<CString, Failure> {
    let refusal = |_| Failure::refusal(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE, Cause::NulInName(name.into()));
    CString::new(name).map_err(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.entry k()
{
	.loc	1 13 9
	// begin inline asm
	frobnicate.u32 %r2, %r2;
	// end inline asm
	ret;
}
	.file	1 \"src/main.rs\"
";

    #[test]
    fn a_line_of_the_log_is_found_in_inline_ptx() {
        let find = |ptx: &str, number| InlinePtx::find(ptx, number).map(|found| found.to_string());
        assert_eq!(line_number("ptxas application ptx input, line 5; error   : Not a name"), Some(5));
        assert_eq!(line_number("ptxas fatal   : Ptx assembly aborted due to errors"), None);
        assert_eq!(find(PTX, 5).unwrap(), "`frobnicate.u32 %r2, %r2;`, the inline PTX at src/main.rs:13:9");
        let without = PTX.replace("\t.loc\t1 13 9\n", "");
        let expected = "`frobnicate.u32 %r2, %r2;`, inline PTX: `oxide build --emit=cubin` prints its line in the program";
        assert_eq!(find(&without, 4).unwrap(), expected);
        assert_eq!(find(PTX, 7), None);
        assert_eq!(find(PTX, 0), None);
        assert_eq!(find(PTX, 70), None);
    }
}
