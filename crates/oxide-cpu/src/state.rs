//! What the driver remembers between calls: the primary context, and everything that programs hold handles of.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    ffi::{CStr, c_void},
    mem, ptr,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use crate::{
    abi::Kernel,
    error::{Error, Result},
    image::Image,
    memory,
};

/// A handle, as programs see it: a number, never used twice.
pub type Handle = *mut c_void;

/// The handle of the primary context, the only one.
pub const CONTEXT: Handle = ptr::without_provenance_mut(0x0c0);

/// Handles of streams that every context has: the default one by its three names.
const DEFAULT_STREAMS: [usize; 3] = [0, 1, 2];

/// Images that were loaded together; one linked from several texts has several.
pub struct Module {
    pub images: Vec<Image>,
}

/// A kernel of a module, which it keeps loaded while it runs.
#[derive(Clone)]
pub struct Function {
    pub module: Arc<Module>,
    /// The module's handle.
    pub owner: usize,
    /// Which image of the module, and which kernel of the image.
    pub place: (usize, usize),
    /// Most bytes of dynamic shared memory that a launch may ask for.
    pub most_dynamic_shared: u32,
    /// Whether clusters may have more blocks than every GPU allows.
    pub large_clusters: bool,
}

impl Function {
    /// Gives the kernel's image what the host has set of constants that images before it have too: linked, they are one.
    pub fn share_constants(&self) {
        let before = &self.module.images[..self.place.0];
        for global in self.image().globals() {
            // SAFETY: the image's names are strings.
            let name = unsafe { CStr::from_ptr(global.name) };
            let Some(first) = before.iter().find_map(|image| image.global(name)).filter(|first| first.size == global.size) else {
                continue;
            };
            let [from, to] = [first.address, global.address].map(|address| ptr::with_exposed_provenance_mut::<u8>(address as usize));
            // SAFETY: two variables of this size, which kernels only read.
            unsafe { ptr::copy_nonoverlapping(from.cast_const(), to, global.size as usize) };
        }
    }

    pub fn image(&self) -> &Image {
        &self.module.images[self.place.0]
    }

    pub fn kernel(&self) -> &Kernel {
        &self.image().kernels()[self.place.1]
    }
}

pub struct Event {
    pub timed: bool,
    pub recorded: Option<Instant>,
}

/// A link under way.
#[derive(Default)]
pub struct Link {
    pub texts: Vec<Vec<u8>>,
    /// What it was linked to, which programs have the address of.
    pub result: Vec<u8>,
}

#[derive(Default)]
pub struct State {
    initialised: bool,
    /// How often the primary context is retained.
    retained: u32,
    /// The error that a kernel left, which every later call returns until the context ends.
    error: Option<Error>,
    /// What the host has set as the limit of a thread's stack, in bytes.
    pub stack_size: Option<usize>,
    last_handle: usize,
    pub streams: BTreeSet<usize>,
    pub events: BTreeMap<usize, Event>,
    pub modules: BTreeMap<usize, Arc<Module>>,
    pub functions: BTreeMap<usize, Function>,
    pub links: BTreeMap<usize, Link>,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

thread_local! {
    /// The stack of contexts of this thread of the system, the current one last; `false` stands for none.
    static CONTEXTS: RefCell<Vec<bool>> = const { RefCell::new(Vec::new()) };
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
/// `NOT_INITIALIZED` before `cuInit`.
pub fn driver() -> Result<MutexGuard<'static, State>> {
    let state = lock();
    if state.initialised { Ok(state) } else { Err(Error::NOT_INITIALIZED) }
}

/// The state, for calls that need a current context.
///
/// # Errors
///
/// `NOT_INITIALIZED`, `INVALID_CONTEXT` where none is current, and the error that a kernel left.
pub fn context() -> Result<MutexGuard<'static, State>> {
    let state = driver()?;
    if current().is_null() || state.retained == 0 {
        return Err(Error::INVALID_CONTEXT);
    }
    state.error.map_or(Ok(state), Err)
}

/// The current context of this thread of the system, or null.
pub fn current() -> Handle {
    let is_set = CONTEXTS.with_borrow(|contexts| contexts.last().copied().unwrap_or_default());
    if is_set { CONTEXT } else { ptr::null_mut() }
}

fn is_context(context: Handle) -> Result<bool> {
    match context {
        _ if context.is_null() => Ok(false),
        CONTEXT => Ok(true),
        _ => Err(Error::INVALID_CONTEXT),
    }
}

/// Makes a context, or null for none, the current one in place of another.
///
/// # Errors
///
/// `INVALID_CONTEXT` for another handle.
pub fn set_current(context: Handle) -> Result<()> {
    let is_set = is_context(context)?;
    CONTEXTS.with_borrow_mut(|contexts| {
        contexts.pop();
        contexts.push(is_set);
    });
    Ok(())
}

/// Makes a context the current one, above another.
///
/// # Errors
///
/// `INVALID_CONTEXT` for another handle, null included.
pub fn push_current(context: Handle) -> Result<()> {
    if !is_context(context)? {
        return Err(Error::INVALID_CONTEXT);
    }
    CONTEXTS.with_borrow_mut(|contexts| contexts.push(true));
    Ok(())
}

/// Takes the current context off the stack.
///
/// # Errors
///
/// `INVALID_CONTEXT` where none is current.
pub fn pop_current() -> Result<Handle> {
    let top = CONTEXTS.with_borrow_mut(Vec::pop);
    if top == Some(true) { Ok(CONTEXT) } else { Err(Error::INVALID_CONTEXT) }
}

/// Keeps the error of a kernel.
pub fn fail(error: Error) {
    lock().error.get_or_insert(error);
}

impl State {
    /// A new handle.
    pub fn handle(&mut self) -> usize {
        self.last_handle = self.last_handle.max(0x1000) + 0x10;
        self.last_handle
    }

    pub fn retain(&mut self) {
        self.retained += 1;
    }

    pub fn is_active(&self) -> bool {
        self.retained > 0
    }

    /// Gives the primary context back; the last time ends it.
    ///
    /// # Errors
    ///
    /// `INVALID_CONTEXT` where it is not retained.
    pub fn release(&mut self) -> Result<()> {
        self.retained = self.retained.checked_sub(1).ok_or(Error::INVALID_CONTEXT)?;
        if self.retained == 0 {
            self.reset();
        }
        Ok(())
    }

    /// Ends the primary context: what it held is gone, its error too.
    pub fn reset(&mut self) {
        let (initialised, retained, last_handle) = (self.initialised, self.retained, self.last_handle);
        let ended = mem::replace(self, Self { initialised, retained, last_handle, ..Self::default() });
        drop(ended);
        memory::free_all();
    }

    /// Checks a stream's handle.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE` for another.
    pub fn stream(&self, stream: Handle) -> Result<()> {
        let stream = stream.addr();
        if DEFAULT_STREAMS.contains(&stream) || self.streams.contains(&stream) { Ok(()) } else { Err(Error::INVALID_HANDLE) }
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
        self.modules.get(&module.addr()).ok_or(Error::INVALID_HANDLE)
    }

    /// A function by its handle.
    ///
    /// # Errors
    ///
    /// `INVALID_HANDLE`, after its module is unloaded too.
    pub fn function(&mut self, function: Handle) -> Result<&mut Function> {
        self.functions.get_mut(&function.addr()).ok_or(Error::INVALID_HANDLE)
    }

    /// Keeps a module and returns its handle.
    pub fn add_module(&mut self, images: Vec<Image>) -> Handle {
        let handle = self.handle();
        self.modules.insert(handle, Arc::new(Module { images }));
        ptr::without_provenance_mut(handle)
    }
}
