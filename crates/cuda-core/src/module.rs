//! Modules: loaded device code, its kernels and its globals.

use std::{
    ffi::{CString, c_uint, c_void},
    fs, ptr,
    sync::Arc,
};

use crate::{CudaContext, CudaFunction, DriverError, IntoResult, error, failure, sys};

/// Loaded device code, unloaded on drop.
#[derive(Debug)]
pub struct CudaModule {
    module: sys::CUmodule,
    context: Arc<CudaContext>,
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
        // SAFETY: the driver stores a module; `Drop` unloads it.
        match unsafe { error::output(|module| sys::cuModuleLoad(module, name.as_ptr())) } {
            Ok(module) => Ok(Arc::new(Self { module, context: context.clone() })),
            // This call has no log: where the file can be read, what is wrong with it is asked for once more.
            Err(error) => match fs::read(path) {
                Ok(image) => Self::from_image(context, &image),
                Err(reason) => {
                    eprintln!("oxide: cannot read `{path}`: {reason}");
                    Err(error)
                }
            },
        }
    }

    pub(crate) fn from_image(context: &Arc<CudaContext>, image: &[u8]) -> Result<Arc<Self>, DriverError> {
        context.bind_to_thread()?;
        let image = with_nul(image);
        let mut log = JitLog::new();
        let (mut options, mut values) = log.options();
        // SAFETY: the image ends in a NUL, or says its size itself; the options have their values, and the log outlives the call.
        let loaded = unsafe {
            error::output(|module| {
                let count = options.len() as c_uint;
                sys::cuModuleLoadDataEx(module, image.as_ptr().cast(), count, options.as_mut_ptr(), values.as_mut_ptr())
            })
        };
        log.report(loaded).map(|module| Arc::new(Self { module, context: context.clone() }))
    }

    /// Links several PTX texts, each with a name for the driver's messages, into one module.
    pub(crate) fn from_ptx_texts(context: &Arc<CudaContext>, texts: &[(&str, &[u8])]) -> Result<Arc<Self>, DriverError> {
        if let [(_, text)] = texts {
            return Self::from_image(context, text);
        }
        context.bind_to_thread()?;
        let mut log = JitLog::new();
        let linked = Linker::new(&mut log).and_then(|linker| linker.link(texts));
        let image = log.report(linked)?;
        Self::from_image(context, &image)
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
            .map_err(|error| failure::explain(error, || failure::missing(fn_name, self.module)))?;
        Ok(CudaFunction::new(function, fn_name, self))
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
            .map_err(|error| failure::explain(error, || Some(format!("`{name}`"))))?;
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

/// An open link, destroyed on drop. It writes its messages to the log that it borrows.
struct Linker<'log> {
    state: sys::CUlinkState,
    _log: &'log mut JitLog,
}

impl<'log> Linker<'log> {
    fn new(log: &'log mut JitLog) -> Result<Self, DriverError> {
        let (mut options, mut values) = log.options();
        // SAFETY: the options have their values; the driver stores a link and keeps the log's addresses, which outlive it.
        let state = unsafe {
            error::output(|state| sys::cuLinkCreate_v2(options.len() as c_uint, options.as_mut_ptr(), values.as_mut_ptr(), state))
        }?;
        Ok(Self { state, _log: log })
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
    fn options(&mut self) -> ([sys::CUjit_option; 4], [*mut c_void; 4]) {
        let size = ptr::without_provenance_mut(Self::BYTES);
        let options = [
            sys::CUjit_option_enum_CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option_enum_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            sys::CUjit_option_enum_CU_JIT_INFO_LOG_BUFFER,
            sys::CUjit_option_enum_CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        ];
        (options, [self.errors.as_mut_ptr().cast(), size, self.infos.as_mut_ptr().cast(), size])
    }

    /// Prints what was logged, if the call failed.
    fn report<T>(&self, result: Result<T, DriverError>) -> Result<T, DriverError> {
        if result.is_err() {
            for log in [&self.errors, &self.infos] {
                let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
                let text = String::from_utf8_lossy(&log[..end]);
                if !text.trim().is_empty() {
                    eprintln!("{}", text.trim_end());
                }
            }
        }
        result
    }
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
