//! The driver API's entry points, with the meanings and errors of the CUDA driver API reference.

#![allow(non_snake_case)]

use std::{
    cell::RefCell,
    ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr, slice,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use crate::{
    abi,
    block::{self, Launch, Shape},
    device,
    error::{self, Error, Result},
    grid,
    image::{self, Image, Refusal},
    memory::{self, Kind},
    spots::Chains,
    state::{self, CONTEXT, Event, Function, Handle, Link},
    text,
};

type Address = u64;

/// Defines exported functions that return the code of a `Result`, and the table of them.
macro_rules! entry_points {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            /// The driver API's function of this name.
            ///
            /// # Safety
            ///
            /// As the driver API says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> c_uint {
                // SAFETY: the caller passes what the driver API's function of this name takes.
                #[allow(unused_unsafe)]
                let run = || -> Result<()> { unsafe { $body } };
                run().map_or_else(|Error(code)| code, |()| 0)
            }
        )*

        /// Every entry point by name.
        const ENTRY_POINTS: &[(&str, *const ())] = &[$((stringify!($name), $name as *const ())),*];
    };
}

/// Stores what a call returns.
///
/// # Safety
///
/// `place` is null or may be written.
unsafe fn store<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: passed on.
    unsafe { place.write(value) };
    Ok(())
}

fn check_device(number: c_int) -> Result<()> {
    if number == 0 { Ok(()) } else { Err(Error::INVALID_DEVICE) }
}

/// The string that a pointer names.
///
/// # Safety
///
/// It is null or points to a string, alive while the result is used.
unsafe fn string<'a>(text: *const c_char) -> Result<&'a CStr> {
    // SAFETY: passed on.
    if text.is_null() { Err(Error::INVALID_VALUE) } else { Ok(unsafe { CStr::from_ptr(text) }) }
}

/// Checks the handle of a stream in a context that is current.
fn check_stream(stream: Handle) -> Result<()> {
    state::context()?.stream(stream)
}

/// Copies; source and destination may overlap.
///
/// # Safety
///
/// Both hold `bytes`.
unsafe fn copy(to: Address, from: Address, bytes: usize) -> Result<()> {
    let (to, from) = (ptr::with_exposed_provenance_mut::<u8>(to as usize), ptr::with_exposed_provenance::<u8>(from as usize));
    if bytes > 0 {
        if to.is_null() || from.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: passed on.
        unsafe { ptr::copy(from, to, bytes) };
    }
    Ok(())
}

unsafe fn to_device(to: Address, from: *const c_void, bytes: usize, stream: Handle) -> Result<()> {
    check_stream(stream)?;
    memory::check(to, bytes)?;
    memory::mark_written(to, bytes);
    // SAFETY: checked for the device's part, the caller's for the host's.
    unsafe { copy(to, from.expose_provenance() as u64, bytes) }
}

unsafe fn to_host(to: *mut c_void, from: Address, bytes: usize, stream: Handle) -> Result<()> {
    check_stream(stream)?;
    memory::check(from, bytes)?;
    // SAFETY: as above.
    unsafe { copy(to.expose_provenance() as u64, from, bytes) }
}

unsafe fn within_device(to: Address, from: Address, bytes: usize, stream: Handle) -> Result<()> {
    check_stream(stream)?;
    memory::check(to, bytes)?;
    memory::check(from, bytes)?;
    memory::mark_written(to, bytes);
    // SAFETY: checked.
    unsafe { copy(to, from, bytes) }
}

/// Copies between any two places: what is not the device's is taken for the host's.
unsafe fn anywhere(to: Address, from: Address, bytes: usize, stream: Handle) -> Result<()> {
    check_stream(stream)?;
    for address in [to, from] {
        if memory::find(address).is_some() {
            memory::check(address, bytes)?;
        }
    }
    memory::mark_written(to, bytes);
    // SAFETY: checked for the device's part, the caller's for the host's.
    unsafe { copy(to, from, bytes) }
}

/// Fills `count` elements.
unsafe fn fill<T: Copy>(address: Address, value: T, count: usize, stream: Handle) -> Result<()> {
    check_stream(stream)?;
    memory::check(address, count.checked_mul(size_of::<T>()).ok_or(Error::INVALID_VALUE)?)?;
    if !address.is_multiple_of(align_of::<T>() as u64) {
        return Err(Error::INVALID_VALUE);
    }
    if count > 0 {
        memory::mark_written(address, count * size_of::<T>());
        // SAFETY: the range is the device's, and aligned.
        unsafe { slice::from_raw_parts_mut(ptr::with_exposed_provenance_mut::<T>(address as usize), count) }.fill(value);
    }
    Ok(())
}

thread_local! {
    /// What `cuModuleLoad`, which has no log, has just said on stderr.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
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

    /// Says why a module is refused: in the log where the call has one, else on stderr. A program that asks again for a log, after it was
    /// said on stderr, gets an empty one, since it would print that.
    fn refuse((error, reason): Refusal, log: Option<&Self>) -> Error {
        match log.filter(|log| !log.buffer.is_null() && log.size > 0) {
            Some(log) => {
                let reason = if SAID.take() == reason { String::new() } else { format!("oxide: {reason}") };
                let length = reason.len().min(log.size - 1);
                // SAFETY: the buffer has the size that its option says.
                unsafe {
                    ptr::copy_nonoverlapping(reason.as_ptr(), log.buffer, length);
                    log.buffer.add(length).write(0);
                }
            }
            None => {
                eprintln!("oxide: {reason}");
                SAID.set(reason);
            }
        }
        error
    }
}

/// `CU_LIMIT_STACK_SIZE`.
const LIMIT_STACK_SIZE: c_uint = 0;

/// Bytes of stack that a GPU gives each thread where nobody asked for more.
const STACK_SIZE: usize = 1024;

/// The first line of what a link results in. Each text follows, with its length in a line of its own.
const LINKED: &[u8] = b"// oxide linked\n";

/// Loads the images of one text, or of all the texts of a link.
fn load_images(text: &[u8], beside: Option<&Path>) -> std::result::Result<Vec<Image>, Refusal> {
    let Some(mut rest) = text.strip_prefix(LINKED) else { return Ok(vec![image::load(text, beside)?]) };
    let mut images = Vec::new();
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let length = str::from_utf8(&rest[..end]).ok().and_then(|length| length.parse().ok());
        let text = length.and_then(|length| rest[end + 1..].split_at_checked(length));
        let (text, after) = text.ok_or_else(|| (Error::INVALID_IMAGE, "the result of the link is cut short".to_owned()))?;
        images.push(image::load(text, beside)?);
        rest = after;
    }
    Ok(images)
}

/// Loads a module from memory that ends in a NUL.
unsafe fn load_module(module: *mut Handle, image: *const c_void, log: Option<&Log>) -> Result<()> {
    drop(state::context()?);
    // SAFETY: the caller's.
    let text = unsafe { string(image.cast()) }?;
    let images = load_images(text.to_bytes(), None).map_err(|refusal| Log::refuse(refusal, log))?;
    let handle = state::context()?.add_module(images);
    // SAFETY: the caller's.
    unsafe { store(module, handle) }
}

/// What a launch is asked for besides its parameters.
struct Request {
    grid_dim: [u32; 3],
    block_dim: [u32; 3],
    /// `None` for the kernel's own.
    cluster_dim: Option<[u32; 3]>,
    cooperative: bool,
    shared: u32,
}

/// Launches before this one.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);

impl Request {
    /// The shape of a launch of a kernel.
    ///
    /// # Errors
    ///
    /// What no GPU of this kind would run.
    fn shape(&self, function: &Function) -> Result<Shape> {
        let kernel = function.kernel();
        let within = |dim: [u32; 3], most: [u32; 3]| dim.iter().zip(most).all(|(&dim, most)| (1..=most).contains(&dim));
        let threads: u64 = self.block_dim.iter().map(|&dim| u64::from(dim)).product();
        let most_threads = if kernel.max_threads > 0 { kernel.max_threads } else { device::MOST_THREADS };
        let asks = |dim: [u32; 3]| dim != [0; 3];
        if !within(self.grid_dim, device::MOST_GRID)
            || !within(self.block_dim, device::MOST_BLOCK)
            || threads > u64::from(most_threads)
            || (asks(kernel.block_dim) && kernel.block_dim != self.block_dim)
            || self.shared > function.most_dynamic_shared
        {
            return Err(Error::INVALID_VALUE);
        }
        let own = asks(kernel.cluster_dim).then_some(kernel.cluster_dim);
        if own.is_some() && self.cluster_dim.is_some_and(|dim| Some(dim) != own) {
            return Err(Error::INVALID_VALUE);
        }
        let cluster_dim = own.or(self.cluster_dim).unwrap_or([1; 3]);
        let most_cluster = if function.large_clusters { device::MOST_CLUSTER } else { device::CLUSTER };
        let divides = cluster_dim.iter().zip(self.grid_dim).all(|(&cluster, grid)| cluster > 0 && grid.is_multiple_of(cluster));
        if !divides || cluster_dim.iter().try_fold(1u32, |size, &dim| size.checked_mul(dim)).is_none_or(|size| size > most_cluster) {
            return Err(Error::INVALID_CLUSTER_SIZE);
        }
        let number = LAUNCHES.fetch_add(1, Ordering::Relaxed);
        Ok(Shape {
            number,
            grid_dim: self.grid_dim,
            block_dim: self.block_dim,
            cluster_dim,
            cooperative: self.cooperative,
            dynamic_shared: self.shared,
            shared: kernel.shared,
        })
    }
}

/// Checks that all blocks of a launch can be there together, on the GPU that this device stands for and on this device.
fn check_together(shape: &Shape) -> Result<()> {
    let threads = shape.threads() as u32;
    let room = u64::from(device::resident_blocks(threads, shape.shared + shape.dynamic_shared)) * device::MULTIPROCESSORS;
    if shape.blocks() > room {
        return Err(Error::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    let all = shape.blocks() * shape.threads() as u64;
    if all > grid::MOST_FIBERS {
        eprintln!(
            "oxide: the CPU device has room for {} threads that run together, and this cooperative launch has {all}",
            grid::MOST_FIBERS
        );
        return Err(Error::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    Ok(())
}

/// Runs a kernel.
unsafe fn launch(function: Handle, request: &Request, stream: Handle, parameters: Parameters) -> Result<()> {
    let function = {
        let mut state = state::context()?;
        state.stream(stream)?;
        state.function(function)?.clone()
    };
    let kernel = function.kernel();
    let shape = request.shape(&function)?;
    if shape.cooperative {
        check_together(&shape)?;
    }
    // SAFETY: the image's names are strings.
    if let (Some(reason), Some(name)) = unsafe { (abi::text(kernel.refused), abi::text(kernel.name)) } {
        eprintln!("oxide: {}", block::refusal(name, reason));
        return Err(Error::NOT_SUPPORTED);
    }
    // SAFETY: the caller's.
    let parameters = unsafe { parameters.read(kernel) }?;
    let image = function.image().table();
    if image.checks == 0 {
        memory::mark_all_written();
    }
    let launch = Launch { image, kernel, shape, parameters: &parameters, chains: &Chains::default() };
    function.share_constants();
    let result = grid::run(&launch);
    text::flush();
    result.map_err(|failure| {
        match failure.error {
            Error::ASSERT => eprintln!("{}", failure.message),
            _ => eprintln!("oxide: {}", failure.message),
        }
        state::fail(failure.error);
        failure.error
    })
}

/// A launch's parameters, in either of the driver API's forms.
struct Parameters {
    pointers: *mut *mut c_void,
    extra: *mut *mut c_void,
}

impl Parameters {
    /// The kernel's buffer, aligned to 16 bytes, the most that images ask for.
    ///
    /// # Safety
    ///
    /// The pointers are as many as the kernel has parameters, and each holds its size; or the extra is such a buffer.
    unsafe fn read(self, kernel: &abi::Kernel) -> Result<Vec<u128>> {
        let bytes = kernel.buffer as usize;
        let mut buffer = vec![0u128; bytes.div_ceil(16)];
        // SAFETY: the image says how many there are.
        let places = unsafe { slice::from_raw_parts(kernel.parameters, kernel.parameter_count as usize) };
        if places.is_empty() {
            return Ok(buffer);
        }
        let to = buffer.as_mut_ptr().cast::<u8>();
        if !self.pointers.is_null() {
            for (number, place) in places.iter().enumerate() {
                // SAFETY: the caller's; the places lie in the buffer.
                unsafe {
                    let from = *self.pointers.add(number);
                    if from.is_null() && place.size > 0 {
                        return Err(Error::INVALID_VALUE);
                    }
                    ptr::copy_nonoverlapping(from.cast::<u8>().cast_const(), to.add(place.offset as usize), place.size as usize);
                }
            }
            return Ok(buffer);
        }
        // SAFETY: the caller's.
        let (from, size) = unsafe { self.packed() }.ok_or(Error::INVALID_VALUE)?;
        if size < bytes {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: the caller's; the buffer has room.
        unsafe { ptr::copy_nonoverlapping(from, to, bytes) };
        Ok(buffer)
    }

    /// The buffer and its size that `extra` names: pairs of a key and a value, ended by a null.
    unsafe fn packed(&self) -> Option<(*const u8, usize)> {
        const BUFFER_POINTER: usize = 1;
        const BUFFER_SIZE: usize = 2;
        let mut extra = self.extra;
        let (mut buffer, mut size) = (ptr::null(), 0);
        while !extra.is_null() {
            // SAFETY: the caller's.
            unsafe {
                match (*extra).addr() {
                    BUFFER_POINTER => buffer = (*extra.add(1)).cast::<u8>().cast_const(),
                    BUFFER_SIZE => size = *(*extra.add(1)).cast::<usize>(),
                    _ => break,
                }
                extra = extra.add(2);
            }
        }
        (!buffer.is_null()).then_some((buffer, size))
    }
}

/// `CUlaunchConfig`.
#[repr(C)]
pub struct LaunchConfig {
    grid_dim: [c_uint; 3],
    block_dim: [c_uint; 3],
    shared: c_uint,
    stream: Handle,
    attributes: *const LaunchAttribute,
    attribute_count: c_uint,
}

/// `CUlaunchAttribute`.
#[repr(C)]
pub struct LaunchAttribute {
    kind: c_uint,
    padding: u32,
    /// Of which each kind takes the first.
    values: [u32; 16],
}

impl LaunchConfig {
    /// # Safety
    ///
    /// There are as many attributes as it says.
    unsafe fn request(&self) -> Result<Request> {
        let attributes = match self.attribute_count {
            0 => &[],
            _ if self.attributes.is_null() => return Err(Error::INVALID_VALUE),
            // SAFETY: the caller's.
            count => unsafe { slice::from_raw_parts(self.attributes, count as usize) },
        };
        let mut request =
            Request { grid_dim: self.grid_dim, block_dim: self.block_dim, cluster_dim: None, cooperative: false, shared: self.shared };
        for attribute in attributes {
            match (attribute.kind, attribute.values) {
                // COOPERATIVE
                (2, [value, ..]) => request.cooperative = value != 0,
                // CLUSTER_DIMENSION
                (4, [x, y, z, ..]) => request.cluster_dim = Some([x, y, z]),
                // IGNORE, ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                // PROGRAMMATIC_STREAM_SERIALIZATION, PRIORITY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN, PREFERRED_CLUSTER_DIMENSION,
                // PREFERRED_SHARED_MEMORY_CARVEOUT: hints, or permissions that a device which runs one launch at a time does not use
                (0 | 1 | 3 | 5 | 6 | 8..=11 | 14, _) => {}
                _ => return Err(Error::NOT_SUPPORTED),
            }
        }
        Ok(request)
    }
}

/// The address of an entry point by the name that `cuda.h` gives it, which may stand for a later version.
fn entry_point(name: &str) -> Option<*const ()> {
    let find = |wanted: &str| ENTRY_POINTS.iter().find(|(name, _)| *name == wanted).map(|(_, address)| *address);
    find(&format!("{name}_v3")).or_else(|| find(&format!("{name}_v2"))).or_else(|| find(name))
}

entry_points! {
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        state::initialise();
        Ok(())
    }
    fn cuDriverGetVersion(version: *mut c_int) { store(version, device::DRIVER_VERSION) }
    fn cuGetErrorName(code: c_uint, text: *mut *const c_char) {
        let found = error::describe(code);
        store(text, found.map_or(ptr::null(), |(name, _)| name.as_ptr()))?;
        found.map(|_| ()).ok_or(Error::INVALID_VALUE)
    }
    fn cuGetErrorString(code: c_uint, text: *mut *const c_char) {
        let found = error::describe(code);
        store(text, found.map_or(ptr::null(), |(_, description)| description.as_ptr()))?;
        found.map(|_| ()).ok_or(Error::INVALID_VALUE)
    }
    fn cuGetProcAddress_v2(name: *const c_char, address: *mut *const (), _version: c_int, _flags: u64, status: *mut c_uint) {
        let found = string(name)?.to_str().ok().and_then(entry_point);
        store(address, found.unwrap_or(ptr::null()))?;
        if !status.is_null() {
            // CU_GET_PROC_ADDRESS_SUCCESS, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
            status.write(found.is_none().into());
        }
        found.map(|_| ()).ok_or(Error::NOT_FOUND)
    }
    fn cuGetProcAddress(name: *const c_char, address: *mut *const (), version: c_int, flags: u64) {
        match cuGetProcAddress_v2(name, address, version, flags, ptr::null_mut()) {
            0 => Ok(()),
            code => Err(Error(code)),
        }
    }

    fn cuDeviceGetCount(count: *mut c_int) { drop(state::driver()?); store(count, 1) }
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) { drop(state::driver()?); check_device(ordinal)?; store(device, 0) }
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) {
        drop(state::driver()?);
        check_device(device)?;
        let room = usize::try_from(length).ok().and_then(|length| length.checked_sub(1)).ok_or(Error::INVALID_VALUE)?;
        if name.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let text = &device::NAME.as_bytes()[..device::NAME.len().min(room)];
        ptr::copy_nonoverlapping(text.as_ptr(), name.cast(), text.len());
        store(name.add(text.len()), 0)
    }
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) { drop(state::driver()?); check_device(device)?; store(uuid, *b"oxide CPU device") }
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) { drop(state::driver()?); check_device(device)?; store(bytes, memory::amounts()?.1) }
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int) {
        drop(state::driver()?);
        check_device(device)?;
        store(value, device::attribute(attribute).ok_or(Error::INVALID_VALUE)?)
    }

    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) {
        let mut state = state::driver()?;
        check_device(device)?;
        store(context, CONTEXT)?;
        state.retain();
        Ok(())
    }
    fn cuDevicePrimaryCtxRelease_v2(device: c_int) { let mut state = state::driver()?; check_device(device)?; state.release() }
    fn cuDevicePrimaryCtxReset_v2(device: c_int) { let mut state = state::driver()?; check_device(device)?; state.reset(); Ok(()) }
    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, _flags: c_uint) { drop(state::driver()?); check_device(device) }
    fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) {
        let state = state::driver()?;
        check_device(device)?;
        store(flags, 0)?;
        store(active, state.is_active().into())
    }
    fn cuCtxGetCurrent(context: *mut Handle) { drop(state::driver()?); store(context, state::current()) }
    fn cuCtxSetCurrent(context: Handle) { drop(state::driver()?); state::set_current(context) }
    fn cuCtxPushCurrent_v2(context: Handle) { drop(state::driver()?); state::push_current(context) }
    fn cuCtxPopCurrent_v2(context: *mut Handle) {
        drop(state::driver()?);
        let popped = state::pop_current()?;
        if context.is_null() { Ok(()) } else { store(context, popped) }
    }
    fn cuCtxGetDevice(device: *mut c_int) {
        drop(state::driver()?);
        if state::current().is_null() {
            return Err(Error::INVALID_CONTEXT);
        }
        store(device, 0)
    }
    fn cuCtxGetLimit(value: *mut usize, limit: c_uint) {
        let state = state::context()?;
        if limit == LIMIT_STACK_SIZE { store(value, state.stack_size.unwrap_or(STACK_SIZE)) } else { Err(Error::UNSUPPORTED_LIMIT) }
    }
    // The threads' stacks are larger than any limit that a GPU takes.
    fn cuCtxSetLimit(limit: c_uint, value: usize) {
        let mut state = state::context()?;
        if limit != LIMIT_STACK_SIZE {
            return Err(Error::UNSUPPORTED_LIMIT);
        }
        state.stack_size = Some(value);
        Ok(())
    }
    fn cuCtxSynchronize() { state::context().map(drop) }
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        drop(state::context()?);
        store(least, 0)?;
        store(greatest, 0)
    }

    fn cuStreamCreate(stream: *mut Handle, flags: c_uint) {
        let mut state = state::context()?;
        if flags > 1 {
            return Err(Error::INVALID_VALUE);
        }
        let handle = state.handle();
        store(stream, ptr::without_provenance_mut(handle))?;
        state.streams.insert(handle);
        Ok(())
    }
    fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, _priority: c_int) {
        match cuStreamCreate(stream, flags) {
            0 => Ok(()),
            code => Err(Error(code)),
        }
    }
    fn cuStreamDestroy_v2(stream: Handle) {
        if state::context()?.streams.remove(&stream.addr()) { Ok(()) } else { Err(Error::INVALID_HANDLE) }
    }
    fn cuStreamSynchronize(stream: Handle) { check_stream(stream) }
    fn cuStreamQuery(stream: Handle) { check_stream(stream) }
    fn cuStreamGetCtx(stream: Handle, context: *mut Handle) { check_stream(stream)?; store(context, CONTEXT) }
    fn cuStreamGetPriority(stream: Handle, priority: *mut c_int) { check_stream(stream)?; store(priority, 0) }
    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) {
        let mut state = state::context()?;
        state.stream(stream)?;
        state.event(event).map(|_| ())
    }
    fn cuLaunchHostFunc(stream: Handle, run: Option<unsafe extern "C" fn(*mut c_void)>, data: *mut c_void) {
        check_stream(stream)?;
        run.ok_or(Error::INVALID_VALUE)?(data);
        Ok(())
    }

    fn cuEventCreate(event: *mut Handle, flags: c_uint) {
        const DISABLE_TIMING: c_uint = 2;
        let mut state = state::context()?;
        let handle = state.handle();
        store(event, ptr::without_provenance_mut(handle))?;
        state.events.insert(handle, Event { timed: flags & DISABLE_TIMING == 0, recorded: None });
        Ok(())
    }
    fn cuEventDestroy_v2(event: Handle) { state::context()?.events.remove(&event.addr()).map(|_| ()).ok_or(Error::INVALID_HANDLE) }
    fn cuEventRecord(event: Handle, stream: Handle) {
        let mut state = state::context()?;
        state.stream(stream)?;
        state.event(event)?.recorded = Some(Instant::now());
        Ok(())
    }
    fn cuEventQuery(event: Handle) { state::context()?.event(event).map(|_| ()) }
    fn cuEventSynchronize(event: Handle) { state::context()?.event(event).map(|_| ()) }
    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) {
        let mut state = state::context()?;
        let mut time = |event: Handle| {
            let event = state.event(event)?;
            event.recorded.filter(|_| event.timed).ok_or(Error::INVALID_HANDLE)
        };
        let (start, end) = (time(start)?, time(end)?);
        let passed = end.saturating_duration_since(start).as_secs_f64() - start.saturating_duration_since(end).as_secs_f64();
        store(milliseconds, (passed * 1e3) as f32)
    }
    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: Handle, end: Handle) {
        match cuEventElapsedTime(milliseconds, start, end) {
            0 => Ok(()),
            code => Err(Error(code)),
        }
    }

    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        drop(state::context()?);
        let amounts = memory::amounts()?;
        store(free, amounts.0)?;
        store(total, amounts.1)
    }
    fn cuMemAlloc_v2(address: *mut Address, bytes: usize) { drop(state::context()?); store(address, memory::allocate(bytes, Kind::Device)?) }
    fn cuMemAllocAsync(address: *mut Address, bytes: usize, stream: Handle) { check_stream(stream)?; store(address, memory::allocate(bytes, Kind::Device)?) }
    fn cuMemFree_v2(address: Address) {
        drop(state::context()?);
        if address == 0 { Ok(()) } else { memory::free(address, Kind::Device) }
    }
    fn cuMemFreeAsync(address: Address, stream: Handle) {
        check_stream(stream)?;
        if address == 0 { Ok(()) } else { memory::free(address, Kind::Device) }
    }
    fn cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize) {
        drop(state::context()?);
        store(address, ptr::with_exposed_provenance_mut(memory::allocate(bytes, Kind::Host)? as usize))
    }
    fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, _flags: c_uint) {
        drop(state::context()?);
        store(address, ptr::with_exposed_provenance_mut(memory::allocate(bytes, Kind::Host)? as usize))
    }
    fn cuMemFreeHost(address: *mut c_void) { drop(state::context()?); memory::free(address.addr() as u64, Kind::Host) }
    fn cuMemGetAddressRange_v2(start: *mut Address, bytes: *mut usize, address: Address) {
        drop(state::context()?);
        let (found, size, _) = memory::find(address).ok_or(Error::NOT_FOUND)?;
        if !start.is_null() {
            store(start, found)?;
        }
        if bytes.is_null() { Ok(()) } else { store(bytes, size) }
    }
    fn cuMemcpy(to: Address, from: Address, bytes: usize) { anywhere(to, from, bytes, ptr::null_mut()) }
    fn cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: Handle) { anywhere(to, from, bytes, stream) }
    fn cuMemcpyHtoD_v2(to: Address, from: *const c_void, bytes: usize) { to_device(to, from, bytes, ptr::null_mut()) }
    fn cuMemcpyHtoDAsync_v2(to: Address, from: *const c_void, bytes: usize, stream: Handle) { to_device(to, from, bytes, stream) }
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: Address, bytes: usize) { to_host(to, from, bytes, ptr::null_mut()) }
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: Address, bytes: usize, stream: Handle) { to_host(to, from, bytes, stream) }
    fn cuMemcpyDtoD_v2(to: Address, from: Address, bytes: usize) { within_device(to, from, bytes, ptr::null_mut()) }
    fn cuMemcpyDtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle) { within_device(to, from, bytes, stream) }
    fn cuMemsetD8_v2(address: Address, value: u8, count: usize) { fill(address, value, count, ptr::null_mut()) }
    fn cuMemsetD8Async(address: Address, value: u8, count: usize, stream: Handle) { fill(address, value, count, stream) }
    fn cuMemsetD16_v2(address: Address, value: u16, count: usize) { fill(address, value, count, ptr::null_mut()) }
    fn cuMemsetD16Async(address: Address, value: u16, count: usize, stream: Handle) { fill(address, value, count, stream) }
    fn cuMemsetD32_v2(address: Address, value: u32, count: usize) { fill(address, value, count, ptr::null_mut()) }
    fn cuMemsetD32Async(address: Address, value: u32, count: usize, stream: Handle) { fill(address, value, count, stream) }

    fn cuModuleLoad(module: *mut Handle, path: *const c_char) {
        drop(state::context()?);
        let path = Path::new(OsStr::from_bytes(string(path)?.to_bytes()));
        let text = image::read(path)?;
        let text = text.strip_suffix(b"\0").unwrap_or(&text);
        let images = load_images(text, Some(path)).map_err(|refusal| Log::refuse(refusal, None))?;
        let handle = state::context()?.add_module(images);
        store(module, handle)
    }
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) { load_module(module, image, None) }
    fn cuModuleLoadDataEx(module: *mut Handle, image: *const c_void, count: c_uint, keys: *mut c_uint, values: *mut *mut c_void) {
        load_module(module, image, Some(&Log::new(count, keys, values)))
    }
    fn cuModuleUnload(module: Handle) {
        let mut state = state::context()?;
        let unloaded = state.modules.remove(&module.addr()).ok_or(Error::INVALID_HANDLE)?;
        state.functions.retain(|_, function| function.owner != module.addr());
        drop(unloaded);
        Ok(())
    }
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) {
        let mut state = state::context()?;
        let found = state.module(module)?.clone();
        let name = string(name)?;
        let places = found.images.iter().enumerate().find_map(|(number, image)| Some((number, image.kernel(name)?)));
        let place = places.ok_or(Error::NOT_FOUND)?;
        let known = state.functions.iter().find(|(_, function)| function.owner == module.addr() && function.place == place);
        let handle = match known {
            Some((&handle, _)) => handle,
            None => {
                let handle = state.handle();
                let shared = found.images[place.0].kernels()[place.1].shared;
                let most_dynamic_shared = device::SHARED.saturating_sub(shared);
                state.functions.insert(handle, Function { module: found, owner: module.addr(), place, most_dynamic_shared, large_clusters: false });
                handle
            }
        };
        store(function, ptr::without_provenance_mut(handle))
    }
    fn cuModuleGetGlobal_v2(address: *mut Address, bytes: *mut usize, module: Handle, name: *const c_char) {
        let state = state::context()?;
        let name = string(name)?;
        let global = state.module(module)?.images.iter().find_map(|image| image.global(name)).ok_or(Error::NOT_FOUND)?;
        if !address.is_null() {
            store(address, global.address)?;
        }
        if bytes.is_null() { Ok(()) } else { store(bytes, global.size as usize) }
    }

    fn cuLinkCreate_v2(_count: c_uint, _keys: *mut c_uint, _values: *mut *mut c_void, link: *mut Handle) {
        let mut state = state::context()?;
        let handle = state.handle();
        store(link, ptr::without_provenance_mut(handle))?;
        state.links.insert(handle, Link::default());
        Ok(())
    }
    fn cuLinkAddData_v2(
        link: Handle, kind: c_uint, data: *mut c_void, size: usize, _name: *const c_char, _count: c_uint, _keys: *mut c_uint,
        _values: *mut *mut c_void,
    ) {
        const PTX: c_uint = 1;
        let mut state = state::context()?;
        let link = state.links.get_mut(&link.addr()).ok_or(Error::INVALID_HANDLE)?;
        if kind != PTX {
            return Err(Error::NOT_SUPPORTED);
        }
        if data.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let text = slice::from_raw_parts(data.cast::<u8>(), size);
        link.texts.push(text.strip_suffix(b"\0").unwrap_or(text).to_vec());
        Ok(())
    }
    fn cuLinkComplete(link: Handle, image: *mut *mut c_void, size: *mut usize) {
        let mut state = state::context()?;
        let link = state.links.get_mut(&link.addr()).ok_or(Error::INVALID_HANDLE)?;
        link.result = LINKED.to_vec();
        for text in &link.texts {
            link.result.extend_from_slice(format!("{}\n", text.len()).as_bytes());
            link.result.extend_from_slice(text);
        }
        link.result.push(0);
        store(image, link.result.as_mut_ptr().cast())?;
        if size.is_null() { Ok(()) } else { store(size, link.result.len()) }
    }
    fn cuLinkDestroy(link: Handle) { state::context()?.links.remove(&link.addr()).map(|_| ()).ok_or(Error::INVALID_HANDLE) }

    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Handle) {
        let mut state = state::context()?;
        let function = state.function(function)?;
        let kernel = function.kernel();
        let most_threads = if kernel.max_threads > 0 { kernel.max_threads } else { device::MOST_THREADS };
        store(value, match attribute {
            // MAX_THREADS_PER_BLOCK
            0 => most_threads as c_int,
            // SHARED_SIZE_BYTES
            1 => kernel.shared as c_int,
            // CONST_SIZE_BYTES, LOCAL_SIZE_BYTES, NUM_REGS, CACHE_MODE_CA: nothing that a CPU has
            2..=4 | 7 => 0,
            // PTX_VERSION, BINARY_VERSION
            5 | 6 => 90,
            // MAX_DYNAMIC_SHARED_SIZE_BYTES
            8 => function.most_dynamic_shared as c_int,
            // CLUSTER_SIZE_MUST_BE_SET: where it must, it is set
            10 => 0,
            // REQUIRED_CLUSTER_WIDTH, HEIGHT, DEPTH
            11..=13 => kernel.cluster_dim[attribute as usize - 11] as c_int,
            // NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            14 => function.large_clusters.into(),
            // CLUSTER_SCHEDULING_POLICY_PREFERENCE
            15 => 0,
            _ => return Err(Error::INVALID_VALUE),
        })
    }
    fn cuFuncSetAttribute(function: Handle, attribute: c_uint, value: c_int) {
        let mut state = state::context()?;
        let function = state.function(function)?;
        let most = device::MOST_SHARED.saturating_sub(function.kernel().shared);
        match (attribute, u32::try_from(value)) {
            // MAX_DYNAMIC_SHARED_SIZE_BYTES
            (8, Ok(bytes)) if bytes <= most => function.most_dynamic_shared = bytes,
            // NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            (14, Ok(allowed)) => function.large_clusters = allowed != 0,
            // PREFERRED_SHARED_MEMORY_CARVEOUT, CLUSTER_SCHEDULING_POLICY_PREFERENCE: hints
            (9 | 15, _) => {}
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }
    fn cuFuncSetCacheConfig(function: Handle, _config: c_uint) { state::context()?.function(function).map(|_| ()) }
    fn cuLaunchKernel(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint,
        stream: Handle, pointers: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let (grid_dim, block_dim) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let request = Request { grid_dim, block_dim, cluster_dim: None, cooperative: false, shared };
        launch(function, &request, stream, Parameters { pointers, extra })
    }
    fn cuLaunchKernelEx(config: *const LaunchConfig, function: Handle, pointers: *mut *mut c_void, extra: *mut *mut c_void) {
        let config = config.as_ref().ok_or(Error::INVALID_VALUE)?;
        launch(function, &config.request()?, config.stream, Parameters { pointers, extra })
    }
    fn cuLaunchCooperativeKernel(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint,
        stream: Handle, pointers: *mut *mut c_void,
    ) {
        let (grid_dim, block_dim) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let request = Request { grid_dim, block_dim, cluster_dim: None, cooperative: true, shared };
        launch(function, &request, stream, Parameters { pointers, extra: ptr::null_mut() })
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: Handle, threads: c_int, shared: usize) {
        let mut state = state::context()?;
        let kernel = state.function(function)?.kernel();
        let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(Error::INVALID_VALUE)?;
        let shared = u32::try_from(shared).ok().and_then(|shared| shared.checked_add(kernel.shared)).ok_or(Error::INVALID_VALUE)?;
        let fits = threads <= if kernel.max_threads > 0 { kernel.max_threads } else { device::MOST_THREADS } && shared <= device::MOST_SHARED;
        store(blocks, if fits { device::resident_blocks(threads, shared) as c_int } else { 0 })
    }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, function: Handle, threads: c_int, shared: usize, _flags: c_uint,
    ) {
        match cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared) {
            0 => Ok(()),
            code => Err(Error(code)),
        }
    }
    fn cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: Handle, config: *const LaunchConfig) {
        let mut state = state::context()?;
        config.as_ref().ok_or(Error::INVALID_VALUE)?;
        let function = state.function(function)?;
        store(size, if function.large_clusters { device::MOST_CLUSTER } else { device::CLUSTER } as c_int)
    }
    fn cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: Handle, config: *const LaunchConfig) {
        let mut state = state::context()?;
        let shape = config.as_ref().ok_or(Error::INVALID_VALUE)?.request()?.shape(state.function(function)?)?;
        let blocks = device::resident_blocks(shape.threads() as u32, shape.shared + shape.dynamic_shared);
        store(clusters, (u64::from(blocks) * device::MULTIPROCESSORS / shape.in_cluster()) as c_int)
    }
}
