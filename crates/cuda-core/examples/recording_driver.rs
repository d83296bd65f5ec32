//! A driver without a device, for the tests: it records what it is asked, keeps to the driver's rules, and fails where it is told to.
//!
//! Device memory is host memory, and all work runs at once. There are two devices. Handles are never used twice, so that it sees what is
//! used or given back after it was given back; that is a *violation*, and so are a call while another context is current than the one that
//! its handle belongs to, a copy beyond an allocation, and a range that is freed while something is mapped in it.
//!
//! A module's image is text, a line for each kernel: `kernel NAME registers static-shared-bytes size-of-parameter…`. Each module has a
//! constant `WEIGHTS` of 8 bytes.

#![allow(non_snake_case, non_upper_case_globals, improper_ctypes_definitions, clippy::missing_safety_doc, missing_docs)]

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    fmt::Write,
    mem, ptr, slice,
    sync::{Mutex, MutexGuard, PoisonError},
};

use cuda_core::sys::*;

const DEVICES: usize = 2;
/// Bytes of device memory of each device.
const MEMORY: usize = 1 << 20;
const MULTIPROCESSORS: c_int = 4;
const REGISTERS: u32 = 65536;
const SHARED: u32 = 48 << 10;
const SHARED_OPT_IN: u32 = 227 << 10;
const GRANULARITY: usize = 4096;
/// Bytes of the constant that each module has.
const CONSTANT: usize = 8;
/// What a call returns that is told to fail.
const INJECTED: CUresult = cudaError_enum_CUDA_ERROR_ECC_UNCORRECTABLE;

type Outcome = Result<(), CUresult>;

static STATE: Mutex<State> = Mutex::new(State::new());

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

struct State {
    log: Vec<String>,
    violations: Vec<String>,
    objects: BTreeMap<usize, Object>,
    /// How often each primary context is retained.
    retained: [usize; DEVICES],
    peers: Vec<(usize, usize)>,
    flags: [c_uint; DEVICES],
    stack: usize,
    last_handle: usize,
    calls: usize,
    /// Which call fails, counted from 1.
    failing: usize,
    /// Its name, once it has failed.
    failed: Option<&'static str>,
    /// What the named call returns, whenever it is made.
    broken: Option<(CString, CUresult)>,
}

struct Object {
    device: usize,
    alive: bool,
    data: Data,
}

enum Data {
    Stream { captured: Option<Vec<Work>>, invalid: bool },
    Event,
    Module { kernels: Vec<usize>, constant: usize },
    Kernel { name: CString, registers: u32, fixed: u32, most: u32, parameters: Vec<usize> },
    Memory { bytes: Box<[u8]>, ordered: bool },
    Pinned(#[allow(dead_code)] Box<[u8]>),
    Pool { threshold: u64 },
    Graph(Vec<Work>),
    GraphExec(Vec<Work>),
    Physical,
    Range,
    Mapping(usize),
    Multicast,
}

impl Data {
    fn kind(&self) -> &'static str {
        match self {
            Self::Stream { .. } => "stream",
            Self::Event => "event",
            Self::Module { .. } => "module",
            Self::Kernel { .. } => "kernel",
            Self::Memory { .. } => "memory",
            Self::Pinned(_) => "pinned memory",
            Self::Pool { .. } => "pool",
            Self::Graph(_) => "graph",
            Self::GraphExec(_) => "executable graph",
            Self::Physical => "physical memory",
            Self::Range => "range",
            Self::Mapping(_) => "mapping",
            Self::Multicast => "multicast object",
        }
    }
}

/// What a stream runs.
#[derive(Clone)]
enum Work {
    Fill { to: u64, value: u8, bytes: usize },
    ToDevice { to: u64, from: usize, bytes: usize },
    ToHost { to: usize, from: u64, bytes: usize },
    Within { to: u64, from: u64, bytes: usize },
    Launch(String),
    Function(CUhostFn, usize),
    Mark,
}

impl State {
    const fn new() -> Self {
        Self {
            log: Vec::new(),
            violations: Vec::new(),
            objects: BTreeMap::new(),
            retained: [0; DEVICES],
            peers: Vec::new(),
            flags: [0; DEVICES],
            stack: 1024,
            last_handle: 0,
            calls: 0,
            failing: 0,
            failed: None,
            broken: None,
        }
    }

    fn record(&mut self, call: impl Into<String>) -> Outcome {
        self.log.push(call.into());
        Ok(())
    }

    fn violation<T>(&mut self, what: String, code: CUresult) -> Result<T, CUresult> {
        self.violations.push(what);
        Err(code)
    }

    /// The device whose context is current.
    fn current(&mut self) -> Result<usize, CUresult> {
        match CURRENT.get().checked_sub(1) {
            Some(device) if self.retained[device] > 0 => Ok(device),
            _ => self.violation("a call without a context".into(), cudaError_enum_CUDA_ERROR_INVALID_CONTEXT),
        }
    }

    fn add(&mut self, device: usize, data: Data) -> usize {
        self.last_handle += 0x100;
        let handle = match &data {
            Data::Memory { bytes, .. } | Data::Pinned(bytes) => bytes.as_ptr().addr(),
            _ => self.last_handle,
        };
        self.objects.insert(handle, Object { device, alive: true, data });
        handle
    }

    /// A living object, whose context is current.
    fn get(&mut self, handle: usize, kind: &str) -> Result<&mut Object, CUresult> {
        let device = self.current()?;
        let what = match self.objects.get(&handle) {
            Some(object) if object.data.kind() != kind => format!("{} as {kind}", object.data.kind()),
            Some(object) if !object.alive => format!("{kind} after it was given back"),
            Some(object) if object.device != device => format!("{kind} of device {} while {device} is current", object.device),
            Some(_) => return Ok(self.objects.get_mut(&handle).expect("it was there")),
            None => format!("{kind} that never was"),
        };
        self.violation(what, cudaError_enum_CUDA_ERROR_INVALID_HANDLE)
    }

    fn give_back(&mut self, handle: usize, kind: &str) -> Result<&mut Object, CUresult> {
        let object = self.get(handle, kind)?;
        object.alive = false;
        Ok(object)
    }

    /// What stands without a context.
    fn give_back_anywhere(&mut self, handle: usize, kind: &str) -> Outcome {
        match self.objects.get_mut(&handle) {
            Some(object) if object.alive && object.data.kind() == kind => {
                object.alive = false;
                Ok(())
            }
            _ => self.violation(format!("{kind} given back twice"), cudaError_enum_CUDA_ERROR_INVALID_VALUE),
        }
    }

    fn used(&self, device: usize) -> usize {
        let bytes = |object: &Object| match &object.data {
            Data::Memory { bytes, .. } if object.alive && object.device == device => bytes.len(),
            _ => 0,
        };
        self.objects.values().map(bytes).sum()
    }

    fn allocate(&mut self, bytes: usize, ordered: bool) -> Result<u64, CUresult> {
        let device = self.current()?;
        if bytes == 0 {
            return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE);
        }
        if bytes > MEMORY - self.used(device) {
            return Err(cudaError_enum_CUDA_ERROR_OUT_OF_MEMORY);
        }
        self.record(format!("allocate {bytes}"))?;
        Ok(self.add(device, Data::Memory { bytes: vec![0xcd; bytes].into(), ordered }) as u64)
    }

    /// A range of living memory that the current device reaches.
    fn memory(&mut self, address: u64, bytes: usize) -> Result<*mut u8, CUresult> {
        let device = self.current()?;
        let (owner, pointer) = self.range(address, bytes)?;
        if owner == device || self.peers.contains(&(device, owner)) {
            return Ok(pointer);
        }
        self.violation(format!("memory of device {owner} on {device}"), cudaError_enum_CUDA_ERROR_INVALID_VALUE)
    }

    /// A range of living memory, and its device. Copies go between all devices, through the host if need be.
    fn range(&mut self, address: u64, bytes: usize) -> Result<(usize, *mut u8), CUresult> {
        let address = address as usize;
        let owner = self.objects.range_mut(..=address).next_back();
        let found = owner.and_then(|(start, object)| match &mut object.data {
            Data::Memory { bytes: memory, .. } if object.alive && address - start + bytes <= memory.len() => {
                Some((object.device, memory.as_mut_ptr().wrapping_add(address - start)))
            }
            _ => None,
        });
        match found {
            Some(found) => Ok(found),
            None => self.violation(format!("{bytes} bytes that are not allocated"), cudaError_enum_CUDA_ERROR_INVALID_VALUE),
        }
    }

    /// Runs work, or keeps it where the stream is captured.
    fn queue(&mut self, stream: CUstream, work: Work) -> Outcome {
        if !stream.is_null()
            && let Data::Stream { captured: Some(captured), .. } = &mut self.get(stream.addr(), "stream")?.data
        {
            captured.push(work);
            return Ok(());
        }
        self.current()?;
        self.run(&work)
    }

    fn run(&mut self, work: &Work) -> Outcome {
        // SAFETY: the ranges of device memory are checked; the test's host memory is what it says.
        unsafe {
            match *work {
                Work::Fill { to, value, bytes } => {
                    self.memory(to, bytes)?.write_bytes(value, bytes);
                    self.record(format!("fill {bytes} with {value}"))
                }
                Work::ToDevice { to, from, bytes } => {
                    self.range(to, bytes)?.1.copy_from(ptr::with_exposed_provenance(from), bytes);
                    self.record(format!("to device {bytes}"))
                }
                Work::ToHost { to, from, bytes } => {
                    self.range(from, bytes)?.1.copy_to(ptr::with_exposed_provenance_mut(to), bytes);
                    self.record(format!("to host {bytes}"))
                }
                Work::Within { to, from, bytes } => {
                    let (_, from) = self.range(from, bytes)?;
                    self.range(to, bytes)?.1.copy_from(from, bytes);
                    self.record(format!("within device {bytes}"))
                }
                Work::Launch(ref launch) => self.record(launch.clone()),
                Work::Function(function, data) => {
                    if let Some(function) = function {
                        function(ptr::with_exposed_provenance_mut(data));
                    }
                    self.record("host function")
                }
                Work::Mark => Ok(()),
            }
        }
    }

    /// A call that waits, which no captured stream of this device takes.
    fn wait(&mut self, call: &str) -> Outcome {
        let device = self.current()?;
        let mut captured = false;
        for object in self.objects.values_mut().filter(|object| object.device == device) {
            if let Data::Stream { captured: Some(_), invalid } = &mut object.data {
                (*invalid, captured) = (true, true);
            }
        }
        if captured { Err(cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) } else { self.record(call) }
    }

    fn kernel(&mut self, function: CUfunction) -> Result<(&CStr, u32, u32, &mut u32, &[usize]), CUresult> {
        match &mut self.get(function.addr(), "kernel")?.data {
            Data::Kernel { name, registers, fixed, most, parameters } => Ok((name, *registers, *fixed, most, parameters)),
            _ => unreachable!("the kind is checked"),
        }
    }

    fn launch(&mut self, function: CUfunction, config: &CUlaunchConfig, parameters: *mut *mut c_void) -> Outcome {
        let (name, registers, _, &mut most, sizes) = self.kernel(function)?;
        let mut bytes = Vec::new();
        for (index, &size) in sizes.iter().enumerate() {
            // SAFETY: the test passes an address for each parameter, which holds as many bytes.
            let parameter = unsafe { slice::from_raw_parts(parameters.add(index).read().cast::<u8>(), size) };
            bytes.push(parameter.iter().fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            }));
        }
        let (grid, block) = ((config.gridDimX, config.gridDimY, config.gridDimZ), (config.blockDimX, config.blockDimY, config.blockDimZ));
        let shared = config.sharedMemBytes;
        let mut text = format!("launch {} {grid:?} {block:?} {shared}", name.to_string_lossy());
        let (threads, blocks) = (product(block), product(grid));
        if threads == 0 || blocks == 0 || threads > 1024 || shared > most {
            return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE);
        }
        if registers.next_multiple_of(8) * threads.next_multiple_of(32) > REGISTERS {
            return Err(cudaError_enum_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
        }
        for index in 0..config.numAttrs as usize {
            // SAFETY: there are as many attributes, whose ids say which value they have.
            let attribute = unsafe { config.attrs.add(index).read() };
            // SAFETY: as above.
            let (cluster, cooperative) = unsafe { (attribute.value.clusterDim, attribute.value.cooperative) };
            let _ = match attribute.id {
                CUlaunchAttributeID_enum_CU_LAUNCH_ATTRIBUTE_COOPERATIVE => {
                    if blocks > MULTIPROCESSORS as u32 * (2048 / threads) {
                        return Err(cudaError_enum_CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
                    }
                    write!(text, " cooperative {cooperative}")
                }
                CUlaunchAttributeID_enum_CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
                    write!(text, " cluster {:?}", (cluster.x, cluster.y, cluster.z))
                }
                id => write!(text, " attribute {id}"),
            };
        }
        let _ = write!(text, " ({})", bytes.join(" "));
        self.queue(config.hStream, Work::Launch(text))
    }
}

fn product((x, y, z): (u32, u32, u32)) -> u32 {
    x.saturating_mul(y).saturating_mul(z)
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a call, and runs it unless it is to fail. One that gives something back and is told by its number to fail has given it back all
/// the same: nobody may try again. A broken call has no effect.
fn call(name: &'static str, gives_back: bool, run: impl FnOnce() -> Outcome) -> CUresult {
    let mut state = state();
    state.calls += 1;
    if state.calls == state.failing {
        state.failed = Some(name);
        drop(state);
        if gives_back {
            let _ = run();
        }
        return INJECTED;
    }
    if let Some((_, code)) = state.broken.as_ref().filter(|(broken, _)| broken.to_bytes() == name.as_bytes()) {
        return *code;
    }
    drop(state);
    run().err().unwrap_or_default()
}

/// Begins a test: call `failing`, counted from 1, fails; 0 for none.
#[unsafe(no_mangle)]
pub extern "C" fn recording_begin(failing: usize) {
    let mut state = state();
    *state = State { failing, last_handle: state.last_handle, ..State::new() };
    CURRENT.set(0);
}

/// The calls since the last time.
#[unsafe(no_mangle)]
pub extern "C" fn recording_calls(calls: &mut Vec<String>) {
    *calls = mem::take(&mut state().log);
}

/// The call that was told to fail and has, what was done that must not be, and what has not been given back.
#[unsafe(no_mangle)]
pub extern "C" fn recording_end(failed: &mut Option<&'static str>, violations: &mut Vec<String>, leaks: &mut Vec<String>) {
    let mut state = state();
    *failed = state.failed;
    *violations = mem::take(&mut state.violations);
    *leaks = state.objects.values().filter(|object| object.alive).map(|object| object.data.kind().into()).collect();
    leaks.extend(state.retained.iter().filter(|&&retained| retained > 0).map(|retained| format!("context retained {retained} times")));
}

/// What a call returns from now on; without a name, all calls are well again.
#[unsafe(no_mangle)]
pub extern "C" fn recording_break(name: Option<&CStr>, code: CUresult) {
    state().broken = name.map(|name| (name.into(), code));
}

/// Defines entry points: `call` for those that fail without effect, `give_back` for those that have it all the same.
macro_rules! entry_points {
    ($($gives_back:ident fn $name:ident($($argument:ident: $type:ty),*) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
            call(stringify!($name), stringify!($gives_back) == "give_back", || {
                // SAFETY: the caller passes what the real driver may be passed.
                #[allow(unused_unsafe)]
                unsafe { $body }
            })
        }
    )*};
}

/// A handle for a caller.
fn handle<T>(number: usize) -> *mut T {
    ptr::without_provenance_mut(number)
}

fn device(number: c_int) -> Result<usize, CUresult> {
    usize::try_from(number).ok().filter(|&device| device < DEVICES).ok_or(cudaError_enum_CUDA_ERROR_INVALID_DEVICE)
}

fn text(error: CUresult) -> Option<(&'static CStr, &'static CStr)> {
    Some(match error {
        1 => (c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
        2 => (c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
        101 => (c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
        201 => (c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
        209 => (c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device"),
        214 => (c"CUDA_ERROR_ECC_UNCORRECTABLE", c"uncorrectable ECC error encountered"),
        218 => (c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
        222 => (c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the provided PTX was compiled with an unsupported toolchain."),
        500 => (c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
        700 => (c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
        701 => (c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
        705 => (c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", c"peer access has not been enabled"),
        708 => (c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", c"primary context already active"),
        719 => (c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
        720 => (c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", c"too many blocks in cooperative launch"),
        801 => (c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
        _ => return None,
    })
}

entry_points! {
    call fn cuInit(_flags: c_uint) { Ok(()) }
    call fn cuDeviceGetCount(count: *mut c_int) { *count = DEVICES as c_int; Ok(()) }
    call fn cuDeviceGet(out: *mut CUdevice, ordinal: c_int) { *out = device(ordinal)? as c_int; Ok(()) }
    call fn cuDeviceGetName(name: *mut c_char, length: c_int, number: CUdevice) {
        let text = CString::new(format!("recorder {}", device(number)?)).unwrap();
        name.copy_from(text.as_ptr(), text.as_bytes_with_nul().len().min(length as usize));
        Ok(())
    }
    call fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, number: CUdevice) {
        device(number)?;
        *value = match attribute {
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
            | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
            | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y => 1024,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z => 64,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => i32::MAX,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z => 65535,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK => SHARED as c_int,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => SHARED_OPT_IN as c_int,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK => REGISTERS as c_int,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => MULTIPROCESSORS,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED
            | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
            | CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH => 1,
            CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
            _ => 0,
        };
        Ok(())
    }
    call fn cuDeviceCanAccessPeer(can: *mut c_int, from: CUdevice, to: CUdevice) { *can = c_int::from(device(from)? != device(to)?); Ok(()) }
    call fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, number: CUdevice) {
        let device = device(number)?;
        let mut state = state();
        state.retained[device] += 1;
        *context = handle(device + 1);
        state.record("retain")
    }
    give_back fn cuDevicePrimaryCtxRelease_v2(number: CUdevice) {
        let device = device(number)?;
        let mut state = state();
        match state.retained[device].checked_sub(1) {
            Some(rest) => state.retained[device] = rest,
            None => return state.violation("a context released twice".into(), cudaError_enum_CUDA_ERROR_INVALID_CONTEXT),
        }
        state.record("release")
    }
    call fn cuDevicePrimaryCtxReset_v2(number: CUdevice) { device(number)?; state().record("reset") }
    call fn cuDevicePrimaryCtxGetState(number: CUdevice, flags: *mut c_uint, active: *mut c_int) {
        let (device, state) = (device(number)?, state());
        *flags = state.flags[device];
        *active = c_int::from(state.retained[device] > 0);
        Ok(())
    }
    call fn cuDevicePrimaryCtxSetFlags_v2(number: CUdevice, flags: c_uint) { state().flags[device(number)?] = flags; Ok(()) }
    call fn cuCtxGetCurrent(context: *mut CUcontext) { *context = handle(CURRENT.get()); Ok(()) }
    call fn cuCtxSetCurrent(context: CUcontext) { CURRENT.set(context.addr()); Ok(()) }
    call fn cuCtxGetDevice(number: *mut CUdevice) { *number = state().current()? as c_int; Ok(()) }
    call fn cuCtxSynchronize() {
        let mut state = state();
        let device = state.current()?;
        state.wait(if device == 0 { "synchronize all" } else { "synchronize all of the other device" })
    }
    call fn cuCtxGetLimit(value: *mut usize, limit: CUlimit) {
        let mut state = state();
        state.current()?;
        if limit != CUlimit_enum_CU_LIMIT_STACK_SIZE { return Err(cudaError_enum_CUDA_ERROR_UNSUPPORTED_LIMIT) }
        *value = state.stack;
        Ok(())
    }
    call fn cuCtxSetLimit(limit: CUlimit, value: usize) {
        let mut state = state();
        state.current()?;
        if limit != CUlimit_enum_CU_LIMIT_STACK_SIZE { return Err(cudaError_enum_CUDA_ERROR_UNSUPPORTED_LIMIT) }
        state.stack = value;
        Ok(())
    }
    call fn cuCtxEnablePeerAccess(peer: CUcontext, _flags: c_uint) {
        let mut state = state();
        let pair = (state.current()?, peer.addr() - 1);
        if state.peers.contains(&pair) { return Err(cudaError_enum_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) }
        state.peers.push(pair);
        Ok(())
    }
    call fn cuCtxDisablePeerAccess(peer: CUcontext) {
        let mut state = state();
        let pair = (state.current()?, peer.addr() - 1);
        let index = state.peers.iter().position(|other| *other == pair).ok_or(cudaError_enum_CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)?;
        state.peers.remove(index);
        Ok(())
    }

    call fn cuStreamCreate(stream: *mut CUstream, flags: c_uint) {
        let mut state = state();
        let device = state.current()?;
        *stream = handle(state.add(device, Data::Stream { captured: None, invalid: false }));
        state.record(format!("create stream {flags}"))
    }
    give_back fn cuStreamDestroy_v2(stream: CUstream) {
        let mut state = state();
        state.give_back(stream.addr(), "stream")?;
        state.record("destroy stream")
    }
    call fn cuStreamSynchronize(stream: CUstream) {
        let mut state = state();
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        state.wait("synchronize")
    }
    call fn cuStreamWaitEvent(stream: CUstream, event: CUevent, _flags: c_uint) {
        let mut state = state();
        state.get(event.addr(), "event")?;
        state.queue(stream, Work::Mark)?;
        state.record("wait for event")
    }
    call fn cuStreamBeginCapture_v2(stream: CUstream, mode: CUstreamCaptureMode) {
        let mut state = state();
        state.get(stream.addr(), "stream")?.data = Data::Stream { captured: Some(Vec::new()), invalid: false };
        state.record(format!("begin capture {mode}"))
    }
    give_back fn cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph) {
        let mut state = state();
        let device = state.current()?;
        let Data::Stream { captured, invalid } = &mut state.get(stream.addr(), "stream")?.data else { unreachable!() };
        let Some(captured) = captured.take() else { return Err(cudaError_enum_CUDA_ERROR_ILLEGAL_STATE) };
        let invalid = mem::take(invalid);
        // A capture that fails leaves no graph, also where it was told to fail.
        if invalid || state.calls == state.failing { return Err(cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) }
        *graph = handle(state.add(device, Data::Graph(captured)));
        state.record("end capture")
    }
    call fn cuStreamIsCapturing(stream: CUstream, status: *mut CUstreamCaptureStatus) {
        let captured = !stream.is_null() && matches!(state().get(stream.addr(), "stream")?.data, Data::Stream { captured: Some(_), .. });
        *status = CUstreamCaptureStatus::from(captured);
        Ok(())
    }
    call fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void) {
        state().queue(stream, Work::Function(function, data.expose_provenance()))
    }

    call fn cuEventCreate(event: *mut CUevent, flags: c_uint) {
        let mut state = state();
        let device = state.current()?;
        *event = handle(state.add(device, Data::Event));
        state.record(format!("create event {flags}"))
    }
    give_back fn cuEventDestroy_v2(event: CUevent) {
        let mut state = state();
        state.give_back(event.addr(), "event")?;
        state.record("destroy event")
    }
    call fn cuEventRecord(event: CUevent, stream: CUstream) {
        let mut state = state();
        state.get(event.addr(), "event")?;
        state.queue(stream, Work::Mark)?;
        state.record("record event")
    }
    call fn cuEventQuery(event: CUevent) { state().get(event.addr(), "event").map(|_| ()) }
    call fn cuEventSynchronize(event: CUevent) { state().get(event.addr(), "event").map(|_| ()) }
    call fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent) {
        let mut state = state();
        state.get(start.addr(), "event")?;
        state.get(end.addr(), "event")?;
        *milliseconds = 0.5;
        Ok(())
    }

    call fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let mut state = state();
        let device = state.current()?;
        (*free, *total) = (MEMORY - state.used(device), MEMORY);
        Ok(())
    }
    call fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize) { *address = state().allocate(bytes, false)?; Ok(()) }
    call fn cuMemAllocAsync(address: *mut CUdeviceptr, bytes: usize, stream: CUstream) {
        let mut state = state();
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        *address = state.allocate(bytes, true)?;
        Ok(())
    }
    call fn cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream) {
        let mut state = state();
        state.get(pool.addr(), "pool")?;
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        *address = state.allocate(bytes, true)?;
        Ok(())
    }
    give_back fn cuMemFree_v2(address: CUdeviceptr) {
        let mut state = state();
        state.give_back(address as usize, "memory")?;
        state.record("free")
    }
    give_back fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) {
        let mut state = state();
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        let Data::Memory { ordered, .. } = state.give_back(address as usize, "memory")?.data else { unreachable!() };
        state.record(if ordered { "free in order" } else { "free in order what was not allocated so" })
    }
    call fn cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize) {
        let mut state = state();
        let device = state.current()?;
        *address = ptr::with_exposed_provenance_mut(state.add(device, Data::Pinned(vec![0xcd; bytes].into())));
        state.record(format!("pin {bytes}"))
    }
    give_back fn cuMemFreeHost(address: *mut c_void) {
        let mut state = state();
        state.give_back(address.addr(), "pinned memory")?;
        state.record("unpin")
    }
    call fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, bytes: usize) {
        state().run(&Work::ToDevice { to, from: from.expose_provenance(), bytes })
    }
    call fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream) {
        state().queue(stream, Work::ToDevice { to, from: from.expose_provenance(), bytes })
    }
    call fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        state().queue(stream, Work::ToHost { to: to.expose_provenance(), from, bytes })
    }
    call fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        state().queue(stream, Work::Within { to, from, bytes })
    }
    call fn cuMemsetD8Async(to: CUdeviceptr, value: u8, bytes: usize, stream: CUstream) {
        state().queue(stream, Work::Fill { to, value, bytes })
    }

    call fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, address: CUdeviceptr) {
        assert_eq!(attribute, CUpointer_attribute_enum_CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
        let mut state = state();
        let device = state.current()?;
        let (owner, _) = state.range(address, 1)?;
        if owner != device && !state.peers.contains(&(device, owner)) { return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE) }
        data.cast::<CUdeviceptr>().write(address);
        Ok(())
    }

    call fn cuMemPoolCreate(pool: *mut CUmemoryPool, properties: *const CUmemPoolProps) {
        let mut state = state();
        state.current()?;
        let device = device((*properties).location.id)?;
        *pool = handle(state.add(device, Data::Pool { threshold: 0 }));
        state.record("create pool")
    }
    give_back fn cuMemPoolDestroy(pool: CUmemoryPool) {
        let mut state = state();
        state.give_back(pool.addr(), "pool")?;
        state.record("destroy pool")
    }
    call fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void) {
        assert_eq!(attribute, CUmemPool_attribute_enum_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
        state().get(pool.addr(), "pool")?.data = Data::Pool { threshold: value.cast::<u64>().read() };
        Ok(())
    }
    call fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void) {
        let mut state = state();
        let device = state.current()?;
        let Data::Pool { threshold } = state.get(pool.addr(), "pool")?.data else { unreachable!() };
        let bytes = match attribute {
            CUmemPool_attribute_enum_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => threshold,
            _ => state.used(device) as u64,
        };
        value.cast::<u64>().write(bytes);
        Ok(())
    }
    call fn cuMemPoolTrimTo(pool: CUmemoryPool, bytes: usize) {
        let mut state = state();
        state.get(pool.addr(), "pool")?;
        state.record(format!("trim to {bytes}"))
    }

    call fn cuGraphGetNodes(graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize) {
        assert!(nodes.is_null());
        let mut state = state();
        let Data::Graph(work) = &state.get(graph.addr(), "graph")?.data else { unreachable!() };
        *count = work.iter().filter(|work| !matches!(work, Work::Mark)).count();
        Ok(())
    }
    call fn cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, _flags: u64) {
        let mut state = state();
        let device = state.current()?;
        let Data::Graph(work) = &state.get(graph.addr(), "graph")?.data else { unreachable!() };
        let work = work.clone();
        *exec = handle(state.add(device, Data::GraphExec(work)));
        state.record("instantiate graph")
    }
    call fn cuGraphExecUpdate_v2(exec: CUgraphExec, graph: CUgraph, _info: *mut CUgraphExecUpdateResultInfo) {
        let mut state = state();
        let Data::Graph(work) = &state.get(graph.addr(), "graph")?.data else { unreachable!() };
        let work = work.clone();
        state.get(exec.addr(), "executable graph")?.data = Data::GraphExec(work);
        state.record("update graph")
    }
    call fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream) {
        let mut state = state();
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        let Data::GraphExec(work) = &state.get(exec.addr(), "executable graph")?.data else { unreachable!() };
        let work = work.clone();
        work.iter().try_for_each(|work| state.run(work))?;
        state.record("launch graph")
    }
    give_back fn cuGraphDestroy(graph: CUgraph) { state().give_back(graph.addr(), "graph").map(|_| ()) }
    give_back fn cuGraphExecDestroy(exec: CUgraphExec) { state().give_back(exec.addr(), "executable graph").map(|_| ()) }

    call fn cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const CUmemAllocationProp, _option: CUmemAllocationGranularity_flags) {
        device((*properties).location.id)?;
        *bytes = GRANULARITY;
        Ok(())
    }
    call fn cuMemCreate(out: *mut CUmemGenericAllocationHandle, size: usize, properties: *const CUmemAllocationProp, _flags: u64) {
        let device = device((*properties).location.id)?;
        if size == 0 || !size.is_multiple_of(GRANULARITY) { return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE) }
        if size > MEMORY { return Err(cudaError_enum_CUDA_ERROR_OUT_OF_MEMORY) }
        *out = state().add(device, Data::Physical) as u64;
        Ok(())
    }
    give_back fn cuMemRelease(number: CUmemGenericAllocationHandle) {
        let mut state = state();
        let multicast = matches!(state.objects.get(&(number as usize)), Some(Object { data: Data::Multicast, .. }));
        state.give_back_anywhere(number as usize, if multicast { "multicast object" } else { "physical memory" })
    }
    call fn cuMemAddressReserve(base: *mut CUdeviceptr, size: usize, _alignment: usize, _address: CUdeviceptr, _flags: u64) {
        let mut state = state();
        // Ranges do not overlap.
        state.last_handle = (state.last_handle + size).next_multiple_of(GRANULARITY);
        *base = state.add(0, Data::Range) as u64;
        state.last_handle += size;
        Ok(())
    }
    give_back fn cuMemAddressFree(base: CUdeviceptr, size: usize) {
        let mut state = state();
        let end = base as usize + size;
        let mapped = state.objects.range(base as usize + 1..end + 1).any(|(_, object)| object.alive && matches!(object.data, Data::Mapping(_)));
        if mapped { state.violations.push("a range freed with a mapping in it".into()) }
        state.give_back_anywhere(base as usize, "range")
    }
    call fn cuMemMap(va: CUdeviceptr, size: usize, _offset: usize, _physical: CUmemGenericAllocationHandle, _flags: u64) {
        // One above the address: the range may begin there.
        state().objects.insert(va as usize + 1, Object { device: 0, alive: true, data: Data::Mapping(size) });
        Ok(())
    }
    give_back fn cuMemUnmap(va: CUdeviceptr, _size: usize) { state().give_back_anywhere(va as usize + 1, "mapping") }
    call fn cuMemSetAccess(va: CUdeviceptr, size: usize, _access: *const CUmemAccessDesc, count: usize) {
        let mut state = state();
        let mapped = matches!(state.objects.get(&(va as usize + 1)), Some(Object { alive: true, data: Data::Mapping(bytes), .. }) if *bytes == size);
        if !mapped { return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE) }
        state.record(format!("access for {count}"))
    }
    call fn cuMulticastCreate(out: *mut CUmemGenericAllocationHandle, properties: *const CUmulticastObjectProp) {
        if (*properties).numDevices == 0 { return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE) }
        *out = state().add(0, Data::Multicast) as u64;
        Ok(())
    }
    call fn cuMulticastGetGranularity(bytes: *mut usize, _properties: *const CUmulticastObjectProp, _option: CUmulticastGranularity_flags) {
        *bytes = GRANULARITY;
        Ok(())
    }
    call fn cuMulticastAddDevice(_multicast: CUmemGenericAllocationHandle, number: CUdevice) { device(number).map(|_| ()) }
    call fn cuMulticastBindMem(
        multicast: CUmemGenericAllocationHandle, offset: usize, _physical: CUmemGenericAllocationHandle, _from: usize, size: usize, _flags: u64
    ) {
        state().objects.insert(multicast as usize + 1 + offset, Object { device: 0, alive: true, data: Data::Mapping(size) });
        Ok(())
    }
    give_back fn cuMulticastUnbind(multicast: CUmemGenericAllocationHandle, number: CUdevice, offset: usize, _size: usize) {
        device(number)?;
        let mut state = state();
        if !state.objects.get(&(multicast as usize)).is_some_and(|object| object.alive) {
            state.violations.push("unbound from a multicast object that is gone".into());
        }
        state.give_back_anywhere(multicast as usize + 1 + offset, "mapping")
    }

    call fn cuDriverGetVersion(version: *mut c_int) { *version = 12040; Ok(()) }
    call fn cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_char, options: c_uint, keys: *const CUjit_option, values: *const *mut c_void) {
        let mut state = state();
        let device = state.current()?;
        let machine_code = CStr::from_ptr(image).to_bytes().starts_with(b"\x7fELF");
        // What machine code holds begins after its header.
        let image = CStr::from_ptr(if machine_code { image.add(64) } else { image }).to_string_lossy().into_owned();
        if machine_code && image.contains("another GPU") { return Err(cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU) }
        if image.contains(".version 9.9") { return Err(cudaError_enum_CUDA_ERROR_UNSUPPORTED_PTX_VERSION) }
        let kernels: Option<Vec<_>> = image.lines().filter(|line| !line.starts_with(['.', '/'])).map(kernel_of).collect();
        let Some(kernels) = kernels else {
            let keys = slice::from_raw_parts(keys, options as usize);
            let log = keys.iter().position(|&key| key == CUjit_option_enum_CU_JIT_ERROR_LOG_BUFFER).unwrap();
            let message = CString::new(format!("recorder: this is no image: {image}")).unwrap();
            values.add(log).read().cast::<u8>().copy_from(message.as_ptr().cast(), message.as_bytes_with_nul().len());
            return Err(cudaError_enum_CUDA_ERROR_INVALID_PTX);
        };
        let kernels = kernels.into_iter().map(|kernel| state.add(device, kernel)).collect();
        let constant = state.add(device, Data::Memory { bytes: vec![0; CONSTANT].into(), ordered: false });
        *module = handle(state.add(device, Data::Module { kernels, constant }));
        state.record(if machine_code { "load machine code" } else { "load" })
    }
    give_back fn cuModuleUnload(module: CUmodule) {
        let mut state = state();
        let Data::Module { kernels, constant } = &state.give_back(module.addr(), "module")?.data else { unreachable!() };
        for part in kernels.iter().copied().chain([*constant]).collect::<Vec<_>>() {
            state.objects.get_mut(&part).unwrap().alive = false;
        }
        state.record("unload")
    }
    call fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char) {
        let mut state = state();
        let Data::Module { kernels, .. } = &state.get(module.addr(), "module")?.data else { unreachable!() };
        let wanted = CStr::from_ptr(name);
        let kernels = kernels.clone();
        let named = |kernel: &usize| matches!(&state.objects[kernel].data, Data::Kernel { name, .. } if name.as_c_str() == wanted);
        let kernel = kernels.into_iter().find(named).ok_or(cudaError_enum_CUDA_ERROR_NOT_FOUND)?;
        *function = handle(kernel);
        Ok(())
    }
    call fn cuModuleGetGlobal_v2(address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char) {
        if CStr::from_ptr(name) != c"WEIGHTS" { return Err(cudaError_enum_CUDA_ERROR_NOT_FOUND) }
        let mut state = state();
        let Data::Module { constant, .. } = state.get(module.addr(), "module")?.data else { unreachable!() };
        (*address, *bytes) = (constant as u64, CONSTANT);
        Ok(())
    }
    call fn cuModuleGetFunctionCount(count: *mut c_uint, module: CUmodule) {
        let mut state = state();
        let Data::Module { kernels, .. } = &state.get(module.addr(), "module")?.data else { unreachable!() };
        *count = kernels.len() as c_uint;
        Ok(())
    }
    call fn cuModuleEnumerateFunctions(functions: *mut CUfunction, count: c_uint, module: CUmodule) {
        let mut state = state();
        let Data::Module { kernels, .. } = &state.get(module.addr(), "module")?.data else { unreachable!() };
        for (index, &kernel) in kernels.iter().take(count as usize).enumerate() {
            functions.add(index).write(handle(kernel));
        }
        Ok(())
    }
    call fn cuFuncGetName(name: *mut *const c_char, function: CUfunction) { *name = state().kernel(function)?.0.as_ptr(); Ok(()) }
    call fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction) {
        let mut state = state();
        let (_, registers, fixed, most, _) = state.kernel(function)?;
        *value = match attribute {
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => (REGISTERS / registers.next_multiple_of(8)).min(1024) as c_int,
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_NUM_REGS => registers as c_int,
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => fixed as c_int,
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => *most as c_int,
            // The kernel with memory of its own was compiled for clusters of two.
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH if fixed != 0 => 2,
            _ => 0,
        };
        Ok(())
    }
    call fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int) {
        let mut state = state();
        let (_, _, fixed, most, _) = state.kernel(function)?;
        if attribute != CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value as u32 + fixed > SHARED_OPT_IN {
            return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE);
        }
        *most = value as u32;
        Ok(())
    }
    call fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: CUfunction, threads: c_int, _shared: usize) {
        state().kernel(function)?;
        *blocks = 2048 / threads;
        Ok(())
    }
    call fn cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: CUfunction, _config: *const CUlaunchConfig) {
        state().kernel(function)?;
        *size = 8;
        Ok(())
    }
    call fn cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: CUfunction, config: *const CUlaunchConfig) {
        state().kernel(function)?;
        // A cluster lies on one half of the multiprocessors.
        *clusters = (MULTIPROCESSORS / 2) * (1024 / (*config).blockDimX as c_int);
        Ok(())
    }
    call fn cuLaunchKernel(
        function: CUfunction, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: CUstream, parameters: *mut *mut c_void, _extra: *mut *mut c_void
    ) {
        let config = CUlaunchConfig {
            gridDimX: gx, gridDimY: gy, gridDimZ: gz, blockDimX: bx, blockDimY: by, blockDimZ: bz, sharedMemBytes: shared,
            hStream: stream, attrs: ptr::null_mut(), numAttrs: 0,
        };
        state().launch(function, &config, parameters)
    }
    call fn cuLaunchKernelEx(config: *const CUlaunchConfig, function: CUfunction, parameters: *mut *mut c_void, _extra: *mut *mut c_void) {
        state().launch(function, &*config, parameters)
    }
}

/// One line of an image.
fn kernel_of(line: &str) -> Option<Data> {
    let mut words = line.strip_prefix("kernel ")?.split(' ');
    let name = CString::new(words.next()?).ok()?;
    let mut numbers = words.map_while(|word| word.parse::<u32>().ok());
    let (registers, fixed) = (numbers.next()?, numbers.next()?);
    Some(Data::Kernel { name, registers, fixed, most: SHARED - fixed, parameters: numbers.map(|size| size as usize).collect() })
}

/// Never counted: a message asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: CUresult, name: *mut *const c_char) -> CUresult {
    let Some((text, _)) = text(error) else { return cudaError_enum_CUDA_ERROR_INVALID_VALUE };
    // SAFETY: the caller has room for an address.
    unsafe { name.write(text.as_ptr()) };
    cudaError_enum_CUDA_SUCCESS
}

/// Never counted: a message asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: CUresult, string: *mut *const c_char) -> CUresult {
    let Some((_, text)) = text(error) else { return cudaError_enum_CUDA_ERROR_INVALID_VALUE };
    // SAFETY: the caller has room for an address.
    unsafe { string.write(text.as_ptr()) };
    cudaError_enum_CUDA_SUCCESS
}
