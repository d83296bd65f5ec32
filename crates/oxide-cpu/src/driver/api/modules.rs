//! Modules, libraries, links, and attributes of their functions and variables.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    ptr, slice,
};

use super::call::{Address, entry_points, list, passed, store, store_if, string};
use crate::{
    driver::{
        device,
        error::{Error, Result},
        handle::{Handle, handle},
        image::{self, LINKED, Refusal, load_images},
        module::{Function, Settings},
        state::{self, Library, LibraryKernel, Link},
    },
    exec::abi,
};

thread_local! {
    /// The message that `cuModuleLoad`, which has no log, has just printed.
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where a call's options want its messages: `CU_JIT_ERROR_LOG_BUFFER` and its size.
struct Log {
    buffer: *mut u8,
    size: usize,
}

impl Log {
    /// # Safety
    ///
    /// `keys` and `values` hold `count` options, and buffers their sizes.
    unsafe fn new(count: c_uint, keys: *const c_uint, values: *const *mut c_void) -> Self {
        const ERROR_LOG_BUFFER: c_uint = 5;
        const ERROR_LOG_BUFFER_SIZE_BYTES: c_uint = 6;
        let mut log = Self { buffer: ptr::null_mut(), size: 0 };
        if keys.is_null() || values.is_null() {
            return log;
        }
        for option in 0..count as usize {
            // SAFETY: passed on.
            match unsafe { (*keys.add(option), *values.add(option)) } {
                (ERROR_LOG_BUFFER, value) => log.buffer = value.cast(),
                (ERROR_LOG_BUFFER_SIZE_BYTES, value) => log.size = value.addr(),
                _ => {}
            }
        }
        log
    }

    /// Reports why a module is refused: in the log where the call has one, else on stderr. A program that loads it again with a log, after the
    /// reason was printed, gets an empty one, since it would print that.
    fn refuse((error, reason): Refusal, log: Option<&Self>) -> Error {
        match log.filter(|log| !log.buffer.is_null() && log.size > 0) {
            Some(log) => {
                let reason = if PRINTED.take() == reason { String::new() } else { format!("oxide: {reason}") };
                let length = reason.len().min(log.size - 1);
                // SAFETY: the buffer has the size that its option says.
                unsafe {
                    ptr::copy_nonoverlapping(reason.as_ptr(), log.buffer, length);
                    log.buffer.add(length).write(0);
                }
            }
            None => {
                eprintln!("oxide: {reason}");
                PRINTED.set(reason);
            }
        }
        error
    }
}

/// Loads a module from memory that ends in a NUL.
unsafe fn load_module(module: *mut Handle, image: *const c_void, log: Option<&Log>) -> Result<()> {
    let owner = state::context()?.owner();
    // SAFETY: the caller's.
    let text = unsafe { string(image.cast()) }?;
    let images = load_images(text.to_bytes(), None).map_err(|refusal| Log::refuse(refusal, log))?;
    let number = state::context()?.add_module(images, owner);
    // SAFETY: the caller's.
    unsafe { store(module, handle(number)) }
}

/// Adds a library, whose images load.
fn add_library(text: &[u8], beside: Option<PathBuf>, log: &Log) -> Result<Handle> {
    drop(state::driver()?);
    let images = load_images(text, beside.as_deref()).map_err(|refusal| Log::refuse(refusal, Some(log)))?;
    // SAFETY: the images' names are strings.
    let names = images.iter().flat_map(|image| image.kernels()).map(|kernel| unsafe { CStr::from_ptr(kernel.name) }.to_owned());
    let kernels = names.collect();
    let mut state = state::driver()?;
    let number = state.handle();
    state.libraries.insert(number, Library { text: text.to_vec(), beside, loaded: Some(images), modules: BTreeMap::new(), kernels });
    Ok(handle(number))
}

/// The handle of a library's kernel.
fn library_kernel(library: Handle, name: &CStr) -> Result<Handle> {
    let mut state = state::driver()?;
    let library = library.addr();
    let found = state.libraries.get(&library).ok_or(Error::INVALID_HANDLE)?;
    if !found.kernels.iter().any(|kernel| kernel.as_c_str() == name) {
        return Err(Error::NOT_FOUND);
    }
    let known = state.kernels.iter().find(|(_, kernel)| kernel.library == library && kernel.name.as_c_str() == name);
    if let Some((&known, _)) = known {
        return Ok(handle(known));
    }
    let number = state.handle();
    state.kernels.insert(number, LibraryKernel { library, name: name.to_owned(), settings: BTreeMap::new() });
    Ok(handle(number))
}

fn function_attribute(function: &Function, attribute: c_uint) -> Result<c_int> {
    let kernel = function.kernel();
    let cluster = if function.settings.cluster_dim == [0; 3] { kernel.cluster_dim } else { function.settings.cluster_dim };
    Ok(match attribute {
        // MAX_THREADS_PER_BLOCK
        0 => function.max_threads() as c_int,
        // SHARED_SIZE_BYTES
        1 => kernel.shared as c_int,
        // CONST_SIZE_BYTES, LOCAL_SIZE_BYTES, NUM_REGS, CACHE_MODE_CA: nothing that a CPU has
        2..=4 | 7 => 0,
        // PTX_VERSION, BINARY_VERSION
        5 | 6 => 90,
        // MAX_DYNAMIC_SHARED_SIZE_BYTES
        8 => function.max_dynamic_shared() as c_int,
        // PREFERRED_SHARED_MEMORY_CARVEOUT: CU_SHAREDMEM_CARVEOUT_DEFAULT
        9 => -1,
        // CLUSTER_SIZE_MUST_BE_SET: where it must, it is set
        10 => 0,
        // REQUIRED_CLUSTER_WIDTH, HEIGHT, DEPTH
        11..=13 => cluster[attribute as usize - 11] as c_int,
        // NON_PORTABLE_CLUSTER_SIZE_ALLOWED
        14 => function.settings.large_clusters.into(),
        // CLUSTER_SCHEDULING_POLICY_PREFERENCE
        15 => 0,
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// What settings become where an attribute is set.
fn with_attribute(settings: Settings, kernel: &abi::Kernel, attribute: c_uint, value: c_int) -> Result<Settings> {
    let mut settings = settings;
    let most = device::MAX_SHARED.saturating_sub(kernel.shared);
    match (attribute, u32::try_from(value)) {
        // MAX_DYNAMIC_SHARED_SIZE_BYTES
        (8, Ok(bytes)) if bytes <= most => settings.max_dynamic_shared = Some(bytes),
        // REQUIRED_CLUSTER_WIDTH, HEIGHT, DEPTH, of a kernel that requires none itself
        (11..=13, Ok(size)) if kernel.cluster_dim == [0; 3] => settings.cluster_dim[attribute as usize - 11] = size,
        // NON_PORTABLE_CLUSTER_SIZE_ALLOWED
        (14, Ok(allowed)) => settings.large_clusters = allowed != 0,
        // PREFERRED_SHARED_MEMORY_CARVEOUT, CLUSTER_SCHEDULING_POLICY_PREFERENCE: hints
        (9 | 15, _) => {}
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(settings)
}

/// Where a parameter lies in the buffer, and its size.
unsafe fn parameter(kernel: &abi::Kernel, number: usize, offset: *mut usize, size: *mut usize) -> Result<()> {
    // SAFETY: the image says how many there are.
    let places = unsafe { slice::from_raw_parts(kernel.parameters, kernel.parameter_count as usize) };
    let place = places.get(number).ok_or(Error::INVALID_VALUE)?;
    // SAFETY: the caller's.
    unsafe { store(offset, place.offset as usize)? };
    // SAFETY: the caller's.
    unsafe { store_if(size, place.size as usize) };
    Ok(())
}

/// The function of a library's kernel in the current context.
fn with_library_kernel<T>(kernel: Handle, what: impl FnOnce(&mut Function) -> Result<T>) -> Result<T> {
    let mut state = state::context()?;
    let number = state.function_of(kernel.addr())?;
    what(state.functions.get_mut(&number).ok_or(Error::INVALID_HANDLE)?)
}

fn path(text: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(text.to_bytes()))
}

fn text_of_file(path: &Path) -> Result<Vec<u8>> {
    let mut text = image::read(path)?;
    if text.last() == Some(&0) {
        text.pop();
    }
    Ok(text)
}

/// The variable of a module.
unsafe fn global(address: *mut Address, bytes: *mut usize, module: usize, name: &CStr) -> Result<()> {
    let state = state::context()?;
    let found = state.module(handle(module))?.images.iter().find_map(|image| image.global(name)).ok_or(Error::NOT_FOUND)?;
    // SAFETY: the caller's.
    unsafe {
        store_if(address, found.address);
        store_if(bytes, found.size as usize);
    }
    Ok(())
}

entry_points! {
    fn cuModuleLoad(module: *mut Handle, file: *const c_char) since 2000 {
        let owner = state::context()?.owner();
        let path = path(string(file)?);
        let images = load_images(&text_of_file(path)?, Some(path)).map_err(|refusal| Log::refuse(refusal, None))?;
        let number = state::context()?.add_module(images, owner);
        store(module, handle(number))
    }
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) since 2000 { load_module(module, image, None) }
    fn cuModuleLoadDataEx(module: *mut Handle, image: *const c_void, count: c_uint, keys: *mut c_uint, values: *mut *mut c_void) since 2010 {
        load_module(module, image, Some(&Log::new(count, keys, values)))
    }
    fn cuModuleLoadFatBinary(module: *mut Handle, image: *const c_void) since 2000 { load_module(module, image, None) }
    fn cuModuleUnload(module: Handle) since 2000 { state::context()?.unload(module.addr()) }
    fn cuModuleGetLoadingMode(mode: *mut c_uint) since 11070 {
        // CU_MODULE_EAGER_LOADING
        drop(state::driver()?);
        store(mode, 1)
    }
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) since 2000 {
        let mut state = state::context()?;
        let number = state.find_function(module.addr(), string(name)?)?;
        store(function, handle(number))
    }
    fn cuModuleGetFunctionCount(count: *mut c_uint, module: Handle) since 12040 {
        let state = state::context()?;
        store(count, state.module(module)?.images.iter().map(|image| image.kernels().len() as c_uint).sum())
    }
    fn cuModuleEnumerateFunctions(functions: *mut Handle, count: c_uint, module: Handle) since 12040 {
        let mut state = state::context()?;
        let found = state.module(module)?.clone();
        for (number, kernel) in found.images.iter().flat_map(|image| image.kernels()).take(count as usize).enumerate() {
            let function = state.find_function(module.addr(), CStr::from_ptr(kernel.name))?;
            store(functions.add(number), handle(function))?;
        }
        Ok(())
    }
    fn cuModuleGetGlobal_v2(address: *mut Address, bytes: *mut usize, module: Handle, name: *const c_char) since 3020 {
        global(address, bytes, module.addr(), string(name)?)
    }

    fn cuLinkCreate_v2(_count: c_uint, _keys: *mut c_uint, _values: *mut *mut c_void, link: *mut Handle) since 6050 {
        let mut state = state::context()?;
        let (number, context) = (state.handle(), state.number);
        store(link, handle(number))?;
        state.links.insert(number, Link { context, texts: Vec::new(), result: Vec::new() });
        Ok(())
    }
    fn cuLinkAddData_v2(
        link: Handle, kind: c_uint, data: *mut c_void, size: usize, _name: *const c_char, _count: c_uint, _keys: *mut c_uint,
        _values: *mut *mut c_void,
    ) since 6050 {
        const PTX: c_uint = 1;
        let mut state = state::context()?;
        let link = state.links.get_mut(&link.addr()).ok_or(Error::INVALID_HANDLE)?;
        if kind != PTX {
            return Err(Error::NOT_SUPPORTED);
        }
        let text = list(data.cast::<u8>(), size)?;
        link.texts.push(text.strip_suffix(b"\0").unwrap_or(text).to_vec());
        Ok(())
    }
    fn cuLinkAddFile_v2(link: Handle, kind: c_uint, file: *const c_char, count: c_uint, keys: *mut c_uint, values: *mut *mut c_void) since 6050 {
        let mut text = text_of_file(path(string(file)?))?;
        passed(cuLinkAddData_v2(link, kind, text.as_mut_ptr().cast(), text.len(), file, count, keys, values))
    }
    fn cuLinkComplete(link: Handle, image: *mut *mut c_void, size: *mut usize) since 5050 {
        let mut state = state::context()?;
        let link = state.links.get_mut(&link.addr()).ok_or(Error::INVALID_HANDLE)?;
        link.result = LINKED.to_vec();
        for text in &link.texts {
            link.result.extend_from_slice(format!("{}\n", text.len()).as_bytes());
            link.result.extend_from_slice(text);
        }
        link.result.push(0);
        store(image, link.result.as_mut_ptr().cast())?;
        store_if(size, link.result.len());
        Ok(())
    }
    fn cuLinkDestroy(link: Handle) since 5050 { state::context()?.links.remove(&link.addr()).map(drop).ok_or(Error::INVALID_HANDLE) }

    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Handle) since 2020 {
        let mut state = state::context()?;
        store(value, function_attribute(state.function(function)?, attribute)?)
    }
    fn cuFuncSetAttribute(function: Handle, attribute: c_uint, value: c_int) since 9000 {
        let mut state = state::context()?;
        let function = state.function(function)?;
        function.settings = with_attribute(function.settings, function.kernel(), attribute, value)?;
        Ok(())
    }
    fn cuFuncSetCacheConfig(function: Handle, config: c_uint) since 3000 {
        let mut state = state::context()?;
        state.function(function)?;
        if config <= 3 { Ok(()) } else { Err(Error::INVALID_VALUE) }
    }
    fn cuFuncGetModule(module: *mut Handle, function: Handle) since 11000 {
        let mut state = state::context()?;
        let owner = state.function(function)?.owner;
        store(module, handle(owner))
    }
    fn cuFuncGetName(name: *mut *const c_char, function: Handle) since 12030 {
        let mut state = state::context()?;
        store(name, state.function(function)?.kernel().name)
    }
    fn cuFuncGetParamInfo(function: Handle, number: usize, offset: *mut usize, size: *mut usize) since 12040 {
        let mut state = state::context()?;
        parameter(state.function(function)?.kernel(), number, offset, size)
    }
    // CU_FUNCTION_LOADING_STATE_LOADED
    fn cuFuncIsLoaded(loaded: *mut c_uint, function: Handle) since 12040 { state::context()?.function(function)?; store(loaded, 1) }
    fn cuFuncLoad(function: Handle) since 12040 { state::context()?.function(function).map(drop) }

    fn cuLibraryLoadData(
        library: *mut Handle, code: *const c_void, keys: *mut c_uint, values: *mut *mut c_void, count: c_uint, _library_keys: *mut c_uint,
        _library_values: *mut *mut c_void, _library_count: c_uint,
    ) since 12000 {
        if library.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        store(library, add_library(string(code.cast())?.to_bytes(), None, &Log::new(count, keys, values))?)
    }
    fn cuLibraryLoadFromFile(
        library: *mut Handle, file: *const c_char, keys: *mut c_uint, values: *mut *mut c_void, count: c_uint, _library_keys: *mut c_uint,
        _library_values: *mut *mut c_void, _library_count: c_uint,
    ) since 12000 {
        if library.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let path = path(string(file)?);
        store(library, add_library(&text_of_file(path)?, Some(path.to_owned()), &Log::new(count, keys, values))?)
    }
    fn cuLibraryUnload(library: Handle) since 12000 {
        let mut state = state::driver()?;
        let removed = state.libraries.remove(&library.addr()).ok_or(Error::INVALID_HANDLE)?;
        state.kernels.retain(|_, kernel| kernel.library != library.addr());
        removed.modules.values().try_for_each(|&module| state.unload(module))
    }
    fn cuLibraryGetKernel(kernel: *mut Handle, library: Handle, name: *const c_char) since 12000 { store(kernel, library_kernel(library, string(name)?)?) }
    fn cuLibraryGetKernelCount(count: *mut c_uint, library: Handle) since 12040 {
        let state = state::driver()?;
        store(count, state.libraries.get(&library.addr()).ok_or(Error::INVALID_HANDLE)?.kernels.len() as c_uint)
    }
    fn cuLibraryEnumerateKernels(kernels: *mut Handle, count: c_uint, library: Handle) since 12040 {
        let names = state::driver()?.libraries.get(&library.addr()).ok_or(Error::INVALID_HANDLE)?.kernels.clone();
        names.iter().take(count as usize).enumerate().try_for_each(|(number, name)| store(kernels.add(number), library_kernel(library, name)?))
    }
    fn cuLibraryGetModule(module: *mut Handle, library: Handle) since 12000 {
        let number = state::context()?.module_of(library.addr())?;
        store(module, handle(number))
    }
    fn cuLibraryGetGlobal(address: *mut Address, bytes: *mut usize, library: Handle, name: *const c_char) since 12000 {
        let module = state::context()?.module_of(library.addr())?;
        global(address, bytes, module, string(name)?)
    }
    // Modules that oxide writes have no managed variables.
    fn cuLibraryGetManaged(_address: *mut Address, _bytes: *mut usize, library: Handle, _name: *const c_char) since 12000 {
        state::driver()?.libraries.get(&library.addr()).ok_or(Error::INVALID_HANDLE).and(Err(Error::NOT_FOUND))
    }
    fn cuKernelGetFunction(function: *mut Handle, kernel: Handle) since 12000 {
        let number = state::context()?.function_of(kernel.addr())?;
        store(function, handle(number))
    }
    fn cuKernelGetLibrary(library: *mut Handle, kernel: Handle) since 12050 {
        let number = state::driver()?.kernels.get(&kernel.addr()).ok_or(Error::INVALID_HANDLE)?.library;
        store(library, handle(number))
    }
    fn cuKernelGetName(name: *mut *const c_char, kernel: Handle) since 12030 {
        let state = state::driver()?;
        store(name, state.kernels.get(&kernel.addr()).ok_or(Error::INVALID_HANDLE)?.name.as_ptr())
    }
    fn cuKernelGetParamInfo(kernel: Handle, number: usize, offset: *mut usize, size: *mut usize) since 12040 {
        with_library_kernel(kernel, |function| parameter(function.kernel(), number, offset, size))
    }
    fn cuKernelGetAttribute(value: *mut c_int, attribute: c_uint, kernel: Handle, number: c_int) since 12000 {
        let device = state::device(number)?;
        let settings = state::driver()?.kernels.get(&kernel.addr()).ok_or(Error::INVALID_HANDLE)?.settings.get(&device).copied();
        with_library_kernel(kernel, |function| {
            let of_device = Function { settings: settings.unwrap_or_default(), ..function.clone() };
            store(value, function_attribute(&of_device, attribute)?)
        })
    }
    fn cuKernelSetAttribute(attribute: c_uint, value: c_int, kernel: Handle, number: c_int) since 12000 {
        let device = state::device(number)?;
        let mut state = state::context()?;
        let function = state.function_of(kernel.addr())?;
        let settings = state.kernels[&kernel.addr()].settings.get(&device).copied().unwrap_or_default();
        let settings = with_attribute(settings, state.functions[&function].kernel(), attribute, value)?;
        let found = state.kernels.get_mut(&kernel.addr()).ok_or(Error::INVALID_HANDLE)?;
        found.settings.insert(device, settings);
        // Its functions in contexts of the device have it too.
        let (library, name) = (found.library, found.name.clone());
        let modules: Vec<usize> = state.libraries[&library].modules.values().copied().collect();
        let contexts: Vec<usize> = state.contexts.iter().filter(|(_, context)| context.device == device).map(|(&number, _)| number).collect();
        for function in state.functions.values_mut() {
            if modules.contains(&function.owner) && contexts.contains(&function.context) && function.name() == name.as_c_str() {
                function.settings = settings;
            }
        }
        Ok(())
    }
    fn cuKernelSetCacheConfig(kernel: Handle, config: c_uint, number: c_int) since 12000 {
        state::device(number)?;
        state::driver()?.kernels.get(&kernel.addr()).ok_or(Error::INVALID_HANDLE)?;
        if config <= 3 { Ok(()) } else { Err(Error::INVALID_VALUE) }
    }
}
