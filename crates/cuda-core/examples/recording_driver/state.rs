//! What the driver knows: the objects that are alive, and what was asked.

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::{CStr, CString, c_int, c_uint, c_void},
    fmt::Write,
    ptr, slice,
    sync::{Mutex, MutexGuard, PoisonError},
};

use cuda_core::sys::*;

pub const DEVICES: usize = 2;
/// Bytes of device memory of each device.
pub const MEMORY: usize = 1 << 20;
pub const MULTIPROCESSORS: c_int = 4;
pub const REGISTERS: u32 = 65536;
pub const SHARED: u32 = 48 << 10;
pub const SHARED_OPT_IN: u32 = 227 << 10;
pub const GRANULARITY: usize = 4096;
/// Bytes of the constant that each module has.
pub const CONSTANT: usize = 8;

pub type Outcome = Result<(), CUresult>;

pub static STATE: Mutex<State> = Mutex::new(State::new());

thread_local! {
    pub static CURRENT: Cell<usize> = const { Cell::new(0) };
}

pub struct State {
    pub log: Vec<String>,
    pub violations: Vec<String>,
    pub objects: BTreeMap<usize, Object>,
    /// How often each primary context is retained.
    pub retained: [usize; DEVICES],
    pub peers: Vec<(usize, usize)>,
    pub flags: [c_uint; DEVICES],
    pub stack: usize,
    pub last_handle: usize,
    pub calls: usize,
    /// Which call fails, counted from 1.
    pub failing: usize,
    /// Its name, once it has failed.
    pub failed: Option<&'static str>,
    /// What the named call returns, whenever it is made.
    pub broken: Option<(CString, CUresult)>,
}

pub struct Object {
    pub device: usize,
    pub alive: bool,
    pub data: Data,
}

pub enum Data {
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
    pub fn kind(&self) -> &'static str {
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
pub enum Work {
    Fill { to: u64, value: u8, bytes: usize },
    ToDevice { to: u64, from: usize, bytes: usize },
    ToHost { to: usize, from: u64, bytes: usize },
    Within { to: u64, from: u64, bytes: usize },
    Launch(String),
    Function(CUhostFn, usize),
    Mark,
}

impl State {
    pub const fn new() -> Self {
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

    pub fn record(&mut self, call: impl Into<String>) -> Outcome {
        self.log.push(call.into());
        Ok(())
    }

    pub fn violation<T>(&mut self, what: String, code: CUresult) -> Result<T, CUresult> {
        self.violations.push(what);
        Err(code)
    }

    /// The device whose context is current.
    pub fn current(&mut self) -> Result<usize, CUresult> {
        match CURRENT.get().checked_sub(1) {
            Some(device) if self.retained[device] > 0 => Ok(device),
            _ => self.violation("a call without a context".into(), cudaError_enum_CUDA_ERROR_INVALID_CONTEXT),
        }
    }

    pub fn add(&mut self, device: usize, data: Data) -> usize {
        self.last_handle += 0x100;
        let handle = match &data {
            Data::Memory { bytes, .. } | Data::Pinned(bytes) => bytes.as_ptr().addr(),
            _ => self.last_handle,
        };
        self.objects.insert(handle, Object { device, alive: true, data });
        handle
    }

    /// A living object, whose context is current.
    pub fn get(&mut self, handle: usize, kind: &str) -> Result<&mut Object, CUresult> {
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

    pub fn give_back(&mut self, handle: usize, kind: &str) -> Result<&mut Object, CUresult> {
        let object = self.get(handle, kind)?;
        object.alive = false;
        Ok(object)
    }

    /// What stands without a context.
    pub fn give_back_anywhere(&mut self, handle: usize, kind: &str) -> Outcome {
        match self.objects.get_mut(&handle) {
            Some(object) if object.alive && object.data.kind() == kind => {
                object.alive = false;
                Ok(())
            }
            _ => self.violation(format!("{kind} given back twice"), cudaError_enum_CUDA_ERROR_INVALID_VALUE),
        }
    }

    pub fn used(&self, device: usize) -> usize {
        let bytes = |object: &Object| match &object.data {
            Data::Memory { bytes, .. } if object.alive && object.device == device => bytes.len(),
            _ => 0,
        };
        self.objects.values().map(bytes).sum()
    }

    pub fn allocate(&mut self, bytes: usize, ordered: bool) -> Result<u64, CUresult> {
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
    pub fn memory(&mut self, address: u64, bytes: usize) -> Result<*mut u8, CUresult> {
        let device = self.current()?;
        let (owner, pointer) = self.range(address, bytes)?;
        if owner == device || self.peers.contains(&(device, owner)) {
            return Ok(pointer);
        }
        self.violation(format!("memory of device {owner} on {device}"), cudaError_enum_CUDA_ERROR_INVALID_VALUE)
    }

    /// A range of living memory, and its device. Copies go between all devices, through the host if need be.
    pub fn range(&mut self, address: u64, bytes: usize) -> Result<(usize, *mut u8), CUresult> {
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
    pub fn queue(&mut self, stream: CUstream, work: Work) -> Outcome {
        if !stream.is_null()
            && let Data::Stream { captured: Some(captured), .. } = &mut self.get(stream.addr(), "stream")?.data
        {
            captured.push(work);
            return Ok(());
        }
        self.current()?;
        self.run(&work)
    }

    pub fn run(&mut self, work: &Work) -> Outcome {
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
    pub fn wait(&mut self, call: &str) -> Outcome {
        let device = self.current()?;
        let mut captured = false;
        for object in self.objects.values_mut().filter(|object| object.device == device) {
            if let Data::Stream { captured: Some(_), invalid } = &mut object.data {
                (*invalid, captured) = (true, true);
            }
        }
        if captured { Err(cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) } else { self.record(call) }
    }

    pub fn kernel(&mut self, function: CUfunction) -> Result<(&CStr, u32, u32, &mut u32, &[usize]), CUresult> {
        match &mut self.get(function.addr(), "kernel")?.data {
            Data::Kernel { name, registers, fixed, most, parameters } => Ok((name, *registers, *fixed, most, parameters)),
            _ => unreachable!("the kind is checked"),
        }
    }

    pub fn launch(&mut self, function: CUfunction, config: &CUlaunchConfig, parameters: *mut *mut c_void) -> Outcome {
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

pub fn product((x, y, z): (u32, u32, u32)) -> u32 {
    x.saturating_mul(y).saturating_mul(z)
}

pub fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle for a caller.
pub fn handle<T>(number: usize) -> *mut T {
    ptr::without_provenance_mut(number)
}

pub fn device(number: c_int) -> Result<usize, CUresult> {
    usize::try_from(number).ok().filter(|&device| device < DEVICES).ok_or(cudaError_enum_CUDA_ERROR_INVALID_DEVICE)
}
