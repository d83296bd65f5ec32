//! The state of the driver: devices, contexts, and everything that programs have handles of.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{CStr, CString, c_int, c_uint},
    ops::{Deref, DerefMut},
    path::PathBuf,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    completion::Completion,
    current, device,
    error::{Error, Result},
    graph::Graph,
    handle::Handle,
    image::{ModuleImage, load_images},
    memory::{self, Owner},
    module::{Function, Module, Settings},
    peer_access::PeerAccess,
    pool::Pool,
    stream::Stream,
    user_object::UserObject,
    work::Executable,
};

/// `CU_STREAM_LEGACY` and `CU_STREAM_PER_THREAD`; null is the former, for entry points with per-thread default streams the latter.
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;

/// The number of a device's primary context.
pub fn primary(device: usize) -> usize {
    0x0c0 + 0x10 * device
}

/// A context.
pub struct Context {
    pub device: usize,
    pub flags: c_uint,
    /// How often a primary context is retained; 1 for one that was created.
    pub uses: u32,
    /// The error of a kernel, which every later call returns until the context ends.
    error: Option<Error>,
    /// Its message.
    fault: String,
    /// Limits that were set, by their numbers.
    pub limits: BTreeMap<c_uint, usize>,
    /// Contexts whose memory this one's kernels may access.
    pub peers: BTreeSet<usize>,
    pub cache_config: c_uint,
    /// The default streams: the legacy one, and those of threads of the system.
    legacy: usize,
    per_thread: BTreeMap<u64, usize>,
}

/// A module that is loaded into each context that uses it (`CUlibrary`).
pub struct Library {
    pub text: Vec<u8>,
    pub beside: Option<PathBuf>,
    /// Its images, loaded to check them, until a context uses them.
    pub loaded: Option<Vec<ModuleImage>>,
    /// The handle of its module in each context.
    pub modules: BTreeMap<usize, usize>,
    pub kernels: Vec<CString>,
}

/// A kernel of a library (`CUkernel`).
pub struct LibraryKernel {
    pub library: usize,
    pub name: CString,
    /// Its settings, by device.
    pub settings: BTreeMap<usize, Settings>,
}

pub struct Event {
    pub context: usize,
    pub flags: c_uint,
    /// The end of the work before it.
    pub record: Option<Arc<Completion>>,
    /// The capture that it was recorded in, and the nodes before it.
    pub captured: Option<(u64, BTreeSet<usize>)>,
}

/// A link in progress.
pub struct Link {
    pub context: usize,
    pub texts: Vec<Vec<u8>>,
    /// Its result, to which programs have the address.
    pub result: Vec<u8>,
}

#[derive(Default)]
pub struct State {
    initialised: bool,
    last_handle: usize,
    pub contexts: BTreeMap<usize, Context>,
    pub streams: BTreeMap<usize, Stream>,
    pub events: BTreeMap<usize, Event>,
    /// Modules, with their contexts.
    pub modules: BTreeMap<usize, (usize, Arc<Module>)>,
    pub functions: BTreeMap<usize, Function>,
    pub links: BTreeMap<usize, Link>,
    pub libraries: BTreeMap<usize, Library>,
    pub kernels: BTreeMap<usize, LibraryKernel>,
    pub graphs: BTreeMap<usize, Graph>,
    pub executables: BTreeMap<usize, Arc<Executable>>,
    /// User objects, and how many references the program holds.
    pub objects: BTreeMap<usize, (Arc<UserObject>, c_uint)>,
    pub pools: BTreeMap<usize, Pool>,
    /// Flags of devices' primary contexts, which may be set before the context is retained.
    flags: BTreeMap<usize, c_uint>,
    /// Of each device, its default pool and the one that it uses.
    pub device_pools: BTreeMap<usize, (usize, usize)>,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

thread_local! {
    /// This thread of the system.
    static THREAD: Thread = {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Thread(LAST.fetch_add(1, Ordering::Relaxed))
    };
}

/// The number of a thread of the system, whose default streams end with it.
struct Thread(u64);

impl Drop for Thread {
    fn drop(&mut self) {
        let mut state = lock();
        let State { contexts, streams, .. } = &mut *state;
        for context in contexts.values_mut() {
            // The context waits for one that has work to do.
            if let Some(stream) = context.per_thread.get(&self.0).copied()
                && streams.get(&stream).is_none_or(Stream::is_idle)
            {
                context.per_thread.remove(&self.0);
                streams.remove(&stream);
            }
        }
    }
}

/// The number of this thread of the system.
pub fn thread() -> u64 {
    THREAD.with(|thread| thread.0)
}

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `cuInit`: the calls before it fail.
pub fn initialise() {
    lock().initialised = true;
}

/// The state, for calls that need no context.
///
/// # Errors
///
/// `NOT_INITIALIZED` before `cuInit`, `NOT_PERMITTED` for a host function that a stream runs.
pub fn driver() -> Result<MutexGuard<'static, State>> {
    if current::is_in_host_function() {
        return Err(Error::NOT_PERMITTED);
    }
    let state = lock();
    if state.initialised { Ok(state) } else { Err(Error::NOT_INITIALIZED) }
}

/// The state, for the driver's own use.
pub fn internal() -> MutexGuard<'static, State> {
    lock()
}

/// The state, and the context that is current.
pub struct Current {
    state: MutexGuard<'static, State>,
    /// The context's number.
    pub number: usize,
    pub device: usize,
}

impl Deref for Current {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Current {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Current {
    pub fn owner(&self) -> Owner {
        Owner { context: self.number, device: self.device }
    }

    pub fn context(&mut self) -> Result<&mut Context> {
        let number = self.number;
        self.state.contexts.get_mut(&number).ok_or(Error::INVALID_CONTEXT)
    }

    /// The number of a stream by its handle, which may stand for a default stream of the current context.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE` for one that is none.
    pub fn stream(&mut self, stream: Handle) -> Result<usize> {
        let number = self.number;
        let stream = match stream.addr() {
            0 if current::has_per_thread_default() => PER_THREAD,
            0 => LEGACY,
            other => other,
        };
        match stream {
            LEGACY => Ok(self.context()?.legacy),
            PER_THREAD => {
                let thread = thread();
                if let Some(&stream) = self.context()?.per_thread.get(&thread) {
                    return Ok(stream);
                }
                let stream = self.handle();
                self.streams.insert(stream, Stream::new(number, device::STREAM_DEFAULT, 0));
                self.context()?.per_thread.insert(thread, stream);
                Ok(stream)
            }
            other if self.streams.contains_key(&other) => Ok(other),
            _ => Err(Error::INVALID_HANDLE),
        }
    }

    /// A stream of the current context.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE` for one of another context, too.
    pub fn own_stream(&mut self, stream: Handle) -> Result<usize> {
        let stream = self.stream(stream)?;
        if self.streams[&stream].context == self.number { Ok(stream) } else { Err(Error::INVALID_HANDLE) }
    }

    /// A function by its handle, which may be that of a library's kernel.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE`, after its module is unloaded too.
    pub fn function(&mut self, function: Handle) -> Result<&mut Function> {
        let mut number = function.addr();
        if self.kernels.contains_key(&number) {
            number = self.function_of(number)?;
        }
        self.functions.get_mut(&number).ok_or(Error::INVALID_HANDLE)
    }

    /// A function of the current context.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE` for one of another context, too.
    pub fn own_function(&mut self, function: Handle) -> Result<&mut Function> {
        let context = self.number;
        self.function(function).and_then(|function| if function.context == context { Ok(function) } else { Err(Error::INVALID_HANDLE) })
    }

    /// The function of a library's kernel in the current context.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE`, and the error of an image that does not load.
    pub fn function_of(&mut self, kernel: usize) -> Result<usize> {
        let kernel = self.kernels.get(&kernel).ok_or(Error::INVALID_HANDLE)?;
        let (library, name) = (kernel.library, kernel.name.clone());
        let settings = kernel.settings.get(&self.device).copied().unwrap_or_default();
        let module = self.module_of(library)?;
        let known = self.functions.len();
        let function = self.find_function(module, &name)?;
        if self.functions.len() > known
            && let Some(function) = self.functions.get_mut(&function)
        {
            function.settings = settings;
        }
        Ok(function)
    }

    /// The module of a library in the current context, loaded if need be.
    ///
    /// # Errors
    ///
    /// As [`Self::function_of`].
    pub fn module_of(&mut self, library: usize) -> Result<usize> {
        let (context, owner) = (self.number, self.owner());
        let found = self.libraries.get_mut(&library).ok_or(Error::INVALID_HANDLE)?;
        if let Some(&module) = found.modules.get(&context) {
            return Ok(module);
        }
        let images = match found.loaded.take() {
            Some(images) => images,
            None => load_images(&found.text, found.beside.as_deref()).map_err(|(error, _)| error)?,
        };
        let module = self.add_module(images, owner);
        self.libraries.entry(library).and_modify(|library| _ = library.modules.insert(context, module));
        Ok(module)
    }
}

/// The state and the current context.
///
/// # Errors
///
/// `NOT_INITIALIZED`, `INVALID_CONTEXT` where none is current, `CONTEXT_IS_DESTROYED`, and the error of a kernel.
pub fn context() -> Result<Current> {
    let current = current_or_failed()?;
    match current.contexts.get(&current.number).and_then(|context| context.error) {
        Some(error) => Err(error),
        None => Ok(current),
    }
}

/// As [`context`], for calls that work after the error of a kernel, too.
///
/// # Errors
///
/// As [`context`].
pub fn current_or_failed() -> Result<Current> {
    let state = driver()?;
    let number = current::context();
    if number == 0 {
        return Err(Error::INVALID_CONTEXT);
    }
    let device = state.contexts.get(&number).ok_or(Error::CONTEXT_IS_DESTROYED)?.device;
    Ok(Current { state, number, device })
}

/// Records the error of a kernel in its context, and its message for the thread that has run it.
pub fn fault(context: usize, error: Error, message: String) {
    current::set_fault(message);
    if let Some(context) = lock().contexts.get_mut(&context) {
        context.error.get_or_insert(error);
    }
}

/// Records an error of work that no call waits for, and a kernel's message, for the next call that queries it.
pub fn fail(context: usize, error: Error) {
    let message = current::take_fault();
    if let Some(context) = lock().contexts.get_mut(&context) {
        context.error.get_or_insert(error);
        if context.fault.is_empty() {
            context.fault = message;
        }
    }
}

/// Clears the message of the launch before.
pub fn begin_launch() {
    current::take_fault();
}

/// The message of the last launch of this thread, as printed on stderr. Where it did not fail, that of a kernel of the current context that no
/// call waited for; empty where none failed.
pub fn last_fault() -> String {
    match current::take_fault() {
        fault if fault.is_empty() => lock().contexts.get(&current::context()).map(|context| context.fault.clone()).unwrap_or_default(),
        fault => fault,
    }
}

/// The error of a kernel in a context, or that the context is destroyed.
pub fn failure(context: usize) -> Option<Error> {
    match lock().contexts.get(&context) {
        Some(context) => context.error,
        None => Some(Error::CONTEXT_IS_DESTROYED),
    }
}

impl State {
    /// A new handle.
    pub fn handle(&mut self) -> usize {
        self.last_handle = self.last_handle.max(0x1000) + 0x10;
        self.last_handle
    }

    /// Checks a context's handle.
    ///
    /// # Errors
    ///
    /// `INVALID_CONTEXT` for an invalid handle; that of a primary context is valid even where it is not retained.
    pub fn check_context(&self, context: Handle) -> Result<usize> {
        let number = context.addr();
        let is_primary = (0..device::count()).any(|device| primary(device) == number);
        if is_primary || self.contexts.contains_key(&number) { Ok(number) } else { Err(Error::INVALID_CONTEXT) }
    }

    pub fn add_context(&mut self, number: usize, device: usize, flags: c_uint) {
        let legacy = self.handle();
        self.streams.insert(legacy, Stream::new(number, device::STREAM_DEFAULT, 0));
        self.contexts.insert(
            number,
            Context {
                device,
                flags,
                uses: 1,
                error: None,
                fault: String::new(),
                limits: BTreeMap::new(),
                peers: BTreeSet::new(),
                cache_config: 0,
                legacy,
                per_thread: BTreeMap::new(),
            },
        );
    }

    /// Removes a context and all that it holds; its queued work must have ended. Its graphs are returned, to be dropped when the state is
    /// unlocked: that may destroy objects of the program's.
    #[must_use]
    pub fn end_context(&mut self, number: usize) -> Vec<Arc<Executable>> {
        self.contexts.remove(&number);
        self.contexts.values_mut().for_each(|other| _ = other.peers.remove(&number));
        self.streams.retain(|_, stream| stream.context != number);
        self.events.retain(|_, event| event.context != number);
        self.functions.retain(|_, function| function.context != number);
        self.modules.retain(|_, (context, _)| *context != number);
        self.libraries.values_mut().for_each(|library| _ = library.modules.remove(&number));
        self.links.retain(|_, link| link.context != number);
        memory::free_all(number);
        self.executables.extract_if(.., |_, executable| executable.context == number).map(|(_, executable)| executable).collect()
    }

    /// Whether a stream is a default one that blocking streams of its context wait for, and that waits for them.
    pub fn is_legacy(&self, stream: usize) -> bool {
        self.streams.get(&stream).and_then(|found| self.contexts.get(&found.context)).is_some_and(|context| context.legacy == stream)
    }

    pub fn is_per_thread(&self, stream: usize) -> bool {
        let context = self.streams.get(&stream).and_then(|found| self.contexts.get(&found.context));
        context.is_some_and(|context| context.per_thread.values().any(|&own| own == stream))
    }

    /// The legacy default stream of a context.
    pub fn legacy(&self, context: usize) -> Option<usize> {
        self.contexts.get(&context).map(|context| context.legacy)
    }

    /// An event by its handle.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE`.
    pub fn event(&mut self, event: Handle) -> Result<&mut Event> {
        self.events.get_mut(&event.addr()).ok_or(Error::INVALID_HANDLE)
    }

    /// A module by its handle.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE`.
    pub fn module(&self, module: Handle) -> Result<&Arc<Module>> {
        self.modules.get(&module.addr()).map(|(_, module)| module).ok_or(Error::INVALID_HANDLE)
    }

    /// Adds a module and returns its number.
    pub fn add_module(&mut self, images: Vec<ModuleImage>, owner: Owner) -> usize {
        let number = self.handle();
        images.iter().for_each(|image| image.register(owner));
        self.modules.insert(number, (owner.context, Arc::new(Module { images })));
        number
    }

    /// Removes a module and its functions.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE`.
    pub fn unload(&mut self, module: usize) -> Result<()> {
        self.modules.remove(&module).ok_or(Error::INVALID_HANDLE)?;
        self.functions.retain(|_, function| function.owner != module);
        Ok(())
    }

    /// The number of a module's function by its name.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE`, `NOT_FOUND`.
    pub fn find_function(&mut self, module: usize, name: &CStr) -> Result<usize> {
        let (context, found) = self.modules.get(&module).cloned().ok_or(Error::INVALID_HANDLE)?;
        let index =
            found.images.iter().enumerate().find_map(|(number, image)| Some((number, image.kernel(name)?))).ok_or(Error::NOT_FOUND)?;
        if let Some((&known, _)) = self.functions.iter().find(|(_, function)| function.owner == module && function.index == index) {
            return Ok(known);
        }
        let number = self.handle();
        self.functions.insert(number, Function { context, module: found, owner: module, index, settings: Settings::default() });
        Ok(number)
    }

    /// The memory of other devices that kernels in a context may access.
    pub fn peer_access(&self, context: usize, device: usize) -> PeerAccess {
        let peers = self.contexts.get(&context).map(|context| context.peers.clone()).unwrap_or_default();
        let pools = self.pools.iter().filter(|(_, pool)| pool.access.contains(&device)).map(|(&pool, _)| pool).collect();
        PeerAccess::new(device, peers, pools)
    }

    pub fn primary_flags(&self, device: usize) -> c_uint {
        let context = self.contexts.get(&primary(device)).map(|context| context.flags);
        context.or_else(|| self.flags.get(&device).copied()).unwrap_or_default()
    }

    pub fn set_primary_flags(&mut self, device: usize, flags: c_uint) {
        self.flags.insert(device, flags);
        self.contexts.entry(primary(device)).and_modify(|context| context.flags = flags);
    }

    /// The default pool of a device, and the one that it uses.
    pub fn pools_of(&mut self, device: usize) -> (usize, usize) {
        if let Some(&pools) = self.device_pools.get(&device) {
            return pools;
        }
        let number = self.handle();
        self.pools.insert(number, Pool::new(device, true));
        self.device_pools.insert(device, (number, number));
        (number, number)
    }
}

/// A device by its number.
///
/// # Errors
///
/// `INVALID_DEVICE`.
pub fn device(number: c_int) -> Result<usize> {
    usize::try_from(number).ok().filter(|&number| number < device::count()).ok_or(Error::INVALID_DEVICE)
}
