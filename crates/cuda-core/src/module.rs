//! Modules: loaded device code, its kernels and its globals.

use std::{
    ffi::{CString, c_uint, c_void},
    fs, ptr,
    sync::Arc,
};

use crate::{
    CudaContext, CudaFunction, DriverError, IntoResult, driver, error, failure,
    image::{self, Contents},
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
        match unsafe { error::output(|module| sys::cuModuleLoad(module, name.as_ptr())) } {
            Ok(module) => {
                let image = if can_list_kernels() { Vec::new() } else { fs::read(path).unwrap_or_default() };
                Ok(Self::loaded(module, context, origin, &image))
            }
            // This call has no log: where the file can be read, what is wrong with it is asked for once more.
            Err(error) => match fs::read(path) {
                Ok(image) => Self::from_image(context, &image, &origin),
                Err(reason) => Err(failure::explain(error, || Some(format!("cannot read {origin}: {reason}")))),
            },
        }
    }

    /// Loads an image. An error tells where it is from, what is in it, what would have to run it, and the driver's log.
    pub(crate) fn from_image(context: &Arc<CudaContext>, image: &[u8], origin: &str) -> Result<Arc<Self>, DriverError> {
        context.bind_to_thread()?;
        if !image::is_whole(image) {
            let about = format!("{origin}: {} bytes that end before the image does", image.len());
            return Err(failure::refuse(sys::cudaError_enum_CUDA_ERROR_INVALID_IMAGE, about));
        }
        let ended = with_nul(image);
        let mut log = JitLog::new();
        let (mut options, mut values) = log.options();
        // SAFETY: the image ends in a NUL, or says its size itself and is as long; the options have their values, and the log outlives the call.
        let loaded = unsafe {
            error::output(|module| {
                let count = options.len() as c_uint;
                sys::cuModuleLoadDataEx(module, ended.as_ptr().cast(), count, options.as_mut_ptr(), values.as_mut_ptr())
            })
        };
        match loaded {
            Ok(module) => Ok(Self::loaded(module, context, origin.into(), image)),
            Err(error) => Err(failure::explain(error, || Some(unloadable(context, error, &[(origin, image)], &log)))),
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
        let image = linked.map_err(|error| failure::explain(error, || Some(unloadable(context, error, texts, &log))))?;
        let mut origins: Vec<_> = texts.iter().map(|(origin, _)| *origin).collect();
        origins.dedup();
        Self::from_image(context, &image, &origins.join(", "))
    }

    fn loaded(module: sys::CUmodule, context: &Arc<CudaContext>, origin: String, image: &[u8]) -> Arc<Self> {
        let kernels = if can_list_kernels() { Vec::new() } else { Contents::of(image).kernels() };
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
        let function = unsafe { error::output(|function| sys::cuModuleGetFunction(function, self.module, name.as_ptr())) }
            .map_err(|error| failure::explain(error, || Some(failure::missing(fn_name, self.module, &self.kernels, &self.origin))))?;
        Ok(CudaFunction::new(function, fn_name, self, self.borrows_host_memory(fn_name)?))
    }

    /// Whether a kernel takes references to host memory: then the compiler has put a variable beside it, whose name says so.
    fn borrows_host_memory(&self, kernel: &str) -> Result<bool, DriverError> {
        let mark = c_string(&format!("oxide_host_references${kernel}"))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the driver stores an address and a size.
        match failure::undisturbed(|| unsafe { sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.module, mark.as_ptr()) }) {
            sys::cudaError_enum_CUDA_SUCCESS => Ok(true),
            sys::cudaError_enum_CUDA_ERROR_NOT_FOUND => Ok(false),
            code => Err(DriverError(code)),
        }
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
        let address = unsafe { error::output(|address| sys::cuModuleGetGlobal_v2(address, &mut bytes, self.module, symbol.as_ptr())) }
            .map_err(|error| failure::explain(error, || Some(format!("`{name}` of {}", self.origin))))?;
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
        self.context.release(|| unsafe { sys::cuModuleUnload(self.module) }.result());
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
    fn new(log: &'log mut JitLog) -> Result<Self, DriverError> {
        let mut kept = Box::new(log.options());
        let (options, values) = &mut *kept;
        // SAFETY: the options have their values; the driver stores a link and keeps their addresses and the log's, which outlive it.
        let state = unsafe {
            error::output(|state| sys::cuLinkCreate_v2(options.len() as c_uint, options.as_mut_ptr(), values.as_mut_ptr(), state))
        }?;
        Ok(Self { state, _options: kept, _log: log })
    }

    /// The linked image, a cubin.
    fn link(self, texts: &[(&str, &[u8])]) -> Result<Vec<u8>, DriverError> {
        for (name, text) in texts {
            let mut text = with_nul(text);
            let name = c_string(name)?;
            let kind = sys::CUjitInputType_enum_CU_JIT_INPUT_PTX;
            let (data, size) = (text.as_mut_ptr().cast(), text.len());
            // SAFETY: the driver copies what it needs of the text and the name; no options are given.
            unsafe { sys::cuLinkAddData_v2(self.state, kind, data, size, name.as_ptr(), 0, ptr::null_mut(), ptr::null_mut()) }.result()?;
        }
        let mut size = 0;
        // SAFETY: the driver stores an address and a size.
        let image = unsafe { error::output(|image| sys::cuLinkComplete(self.state, image, &mut size)) }?;
        // SAFETY: the driver owns these bytes until the link is destroyed.
        Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
    }
}

impl Drop for Linker<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed only here. The link has done its work or failed already.
        let _ = unsafe { sys::cuLinkDestroy(self.state) };
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

    /// What was logged, line by line; empty for nothing.
    fn lines(&self) -> Vec<String> {
        let texts = [&self.errors, &self.infos].map(|log| {
            let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
            String::from_utf8_lossy(&log[..end]).into_owned()
        });
        texts.iter().flat_map(|text| text.lines()).map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
    }
}

/// Why images could not be loaded: where each is from and what is in it, what was to run it, and the driver's log.
fn unloadable(context: &Arc<CudaContext>, error: DriverError, images: &[(&str, &[u8])], log: &JitLog) -> String {
    let contents: Vec<_> = images.iter().map(|(origin, image)| format!("{origin}: {}", Contents::of(image))).collect();
    let mut text = contents.join("; ");
    if let Ok((major, minor)) = context.compute_capability() {
        text += &format!("; the device is sm_{major}{minor}");
    }
    if error.is_unsupported_ptx_version()
        && let Some(newest) = image::newest_ptx()
    {
        text += &format!("; {newest}");
    }
    let lines = log.lines();
    if !lines.is_empty() {
        text += "; the driver's log:";
    }
    for line in lines {
        text += &format!("\n    {line}");
        if let [(_, image)] = images
            && let Some(place) = line_named(&line).and_then(|number| inline_ptx(&String::from_utf8_lossy(image), number))
        {
            text += &format!("\n      {place}");
        }
    }
    text
}

/// The line of PTX that a line of the driver's log names: 28 of `ptxas application ptx input, line 28; error   : …`.
fn line_named(log: &str) -> Option<usize> {
    let (_, rest) = log.split_once(", line ")?;
    rest.split_once(';')?.0.trim().parse().ok()
}

/// What line `number`, from 1, of a PTX is, where it is of the program's inline PTX; with its place, where the PTX was made with lines.
fn inline_ptx(ptx: &str, number: usize) -> Option<String> {
    let (mut inside, mut place) = (false, None);
    for line in ptx.lines().take(number) {
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            ["//", "begin", "inline", "asm"] => inside = true,
            ["//", "end", "inline", "asm"] => inside = false,
            [".loc", file, line, column, ..] => place = Some((file, line, column)),
            ["}"] if line.starts_with('}') => place = None,
            _ => {}
        }
    }
    let text = ptx.lines().nth(number.checked_sub(1)?).filter(|_| inside)?.trim();
    let file = |number| ptx.lines().find_map(|line| line.trim().strip_prefix(".file")?.trim().strip_prefix(number)?.split('"').nth(1));
    Some(match place.and_then(|(number, line, column)| Some((file(number)?, line, column))) {
        Some((file, line, column)) => format!("`{text}`, the inline PTX at {file}:{line}:{column}"),
        None => format!("`{text}`, inline PTX: `oxide build --emit=cubin` names its line in the program"),
    })
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

/// A name for the driver, which no name with a NUL in it can be.
fn c_string(name: &str) -> Result<CString, DriverError> {
    CString::new(name).map_err(|_| failure::refuse(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE, format!("a NUL in {name:?}")))
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
        assert_eq!(line_named("ptxas application ptx input, line 5; error   : Not a name"), Some(5));
        assert_eq!(line_named("ptxas fatal   : Ptx assembly aborted due to errors"), None);
        assert_eq!(inline_ptx(PTX, 5).unwrap(), "`frobnicate.u32 %r2, %r2;`, the inline PTX at src/main.rs:13:9");
        let without = PTX.replace("\t.loc\t1 13 9\n", "");
        let expected = "`frobnicate.u32 %r2, %r2;`, inline PTX: `oxide build --emit=cubin` names its line in the program";
        assert_eq!(inline_ptx(&without, 4).unwrap(), expected);
        assert_eq!(inline_ptx(PTX, 7), None);
        assert_eq!(inline_ptx(PTX, 0), None);
        assert_eq!(inline_ptx(PTX, 70), None);
    }
}
