//! Launches, and how many blocks fit.

use std::{
    ffi::{c_int, c_uint, c_void},
    ptr, slice,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use super::call::{entry_points, passed, store};
use crate::{
    driver::{
        capture::enqueue,
        device,
        error::{Error, Result},
        handle::Handle,
        module::Function,
        state::{self, Current},
        work::{KernelWork, Work},
    },
    exec::{
        abi, grid,
        launch::{self, Shape},
    },
};

/// The configuration of a launch, without its parameters.
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
        let requires = |dim: [u32; 3]| dim != [0; 3];
        if !within(self.grid_dim, device::MAX_GRID)
            || !within(self.block_dim, device::MAX_BLOCK)
            || threads > u64::from(function.max_threads())
            || (requires(kernel.block_dim) && kernel.block_dim != self.block_dim)
            || self.shared > function.max_dynamic_shared()
        {
            return Err(Error::INVALID_VALUE);
        }
        let own = [kernel.cluster_dim, function.settings.cluster_dim].into_iter().find(|&dim| requires(dim));
        if own.is_some() && self.cluster_dim.is_some_and(|dim| Some(dim) != own) {
            return Err(Error::INVALID_VALUE);
        }
        let cluster_dim = own.or(self.cluster_dim).unwrap_or([1; 3]);
        let divides = cluster_dim.iter().zip(self.grid_dim).all(|(&cluster, grid)| cluster > 0 && grid.is_multiple_of(cluster));
        if !divides
            || cluster_dim.iter().try_fold(1u32, |size, &dim| size.checked_mul(dim)).is_none_or(|size| size > function.max_cluster())
        {
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

/// Checks that all blocks of a launch can be resident together, on the GPU that this device emulates and on this device.
fn check_together(shape: &Shape) -> Result<()> {
    let threads = shape.threads() as u32;
    let room = u64::from(device::resident_blocks(threads, shape.shared + shape.dynamic_shared)) * device::MULTIPROCESSORS;
    if shape.blocks() > room {
        return Err(Error::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    let all = shape.blocks() * shape.threads() as u64;
    if all > grid::MAX_FIBERS {
        eprintln!(
            "oxide: the CPU device has room for {} threads that run together, and this cooperative launch has {all}",
            grid::MAX_FIBERS
        );
        return Err(Error::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    Ok(())
}

/// A launch of a kernel in the current context, checked, with its parameters read.
unsafe fn prepare(state: &mut Current, function: Handle, request: &Request, parameters: Parameters) -> Result<KernelWork> {
    let handle = function;
    let (device, function) = (state.device, state.own_function(function)?.clone());
    let kernel = function.kernel();
    let shape = request.shape(&function)?;
    if shape.cooperative {
        check_together(&shape)?;
    }
    // SAFETY: the image's names are strings.
    if let (Some(reason), Some(name)) = unsafe { (abi::text(kernel.refused), abi::text(kernel.name)) } {
        eprintln!("oxide: {}", launch::refusal(name, reason));
        return Err(Error::NOT_SUPPORTED);
    }
    // SAFETY: the caller's.
    let parameters = unsafe { parameters.read(kernel) }?;
    Ok(KernelWork { function, handle: handle.addr(), device, shape, parameters, pointers: OnceLock::new() })
}

/// Checks a shape that has been changed.
///
/// # Errors
///
/// As a launch's.
pub fn check(function: &Function, shape: &Shape) -> Result<()> {
    let &Shape { grid_dim, block_dim, cluster_dim, cooperative, dynamic_shared: shared, .. } = shape;
    Request { grid_dim, block_dim, cluster_dim: Some(cluster_dim), cooperative, shared }.shape(function)?;
    if cooperative { check_together(shape) } else { Ok(()) }
}

/// Queues a launch.
unsafe fn launch(function: Handle, request: &Request, stream: Handle, parameters: Parameters) -> Result<()> {
    state::begin_launch();
    let mut state = state::context()?;
    let stream = state.own_stream(stream)?;
    // SAFETY: the caller's.
    let work = unsafe { prepare(&mut state, function, request, parameters) }?;
    enqueue(state, stream, Work::Kernel(Box::new(work)), Vec::new()).map(drop)
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[repr(C)]
pub struct NodeParameters {
    pub function: Handle,
    pub grid_dim: [c_uint; 3],
    pub block_dim: [c_uint; 3],
    pub shared: c_uint,
    pub pointers: *mut *mut c_void,
    pub extra: *mut *mut c_void,
    pub kernel: Handle,
    pub context: Handle,
}

/// The launch of a node of a graph; what its parameters do not contain is that of the launch before.
///
/// # Safety
///
/// As a launch's.
///
/// # Errors
///
/// As a launch's.
pub unsafe fn node(state: &mut Current, parameters: &NodeParameters, before: Option<&KernelWork>) -> Result<KernelWork> {
    let function = if parameters.function.is_null() { parameters.kernel } else { parameters.function };
    let request = Request {
        grid_dim: parameters.grid_dim,
        block_dim: parameters.block_dim,
        cluster_dim: before.map(|work| work.shape.cluster_dim).filter(|dim| *dim != [1; 3]),
        cooperative: before.is_some_and(|work| work.shape.cooperative),
        shared: parameters.shared,
    };
    // SAFETY: the caller's.
    unsafe { prepare(state, function, &request, Parameters { pointers: parameters.pointers, extra: parameters.extra }) }
}

/// A launch's parameters, in either of the driver API's forms.
struct Parameters {
    pointers: *mut *mut c_void,
    extra: *mut *mut c_void,
}

impl Parameters {
    /// The kernel's buffer, aligned to 16 bytes, the most that images require.
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
                (other, _) => {
                    eprintln!("oxide: the CPU device does not have launch attribute {other}");
                    return Err(Error::NOT_SUPPORTED);
                }
            }
        }
        Ok(request)
    }
}

/// How many blocks of so many threads and bytes of dynamic shared memory a multiprocessor has room for.
fn resident(function: &Function, threads: c_int, shared: usize) -> Result<u32> {
    let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(Error::INVALID_VALUE)?;
    let shared = u32::try_from(shared).ok().and_then(|shared| shared.checked_add(function.kernel().shared)).ok_or(Error::INVALID_VALUE)?;
    let fits = threads <= function.max_threads() && shared <= device::MAX_SHARED;
    Ok(if fits { device::resident_blocks(threads, shared) } else { 0 })
}

type SharedOfBlock = unsafe extern "C" fn(c_int) -> usize;

entry_points! {
    fn cuLaunchKernel / cuLaunchKernel_ptsz(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint,
        stream: Handle, pointers: *mut *mut c_void, extra: *mut *mut c_void,
    ) since 4000 {
        let (grid_dim, block_dim) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let request = Request { grid_dim, block_dim, cluster_dim: None, cooperative: false, shared };
        launch(function, &request, stream, Parameters { pointers, extra })
    }
    fn cuLaunchKernelEx / cuLaunchKernelEx_ptsz(
        config: *const LaunchConfig, function: Handle, pointers: *mut *mut c_void, extra: *mut *mut c_void,
    ) since 11060 {
        let config = config.as_ref().ok_or(Error::INVALID_VALUE)?;
        launch(function, &config.request()?, config.stream, Parameters { pointers, extra })
    }
    fn cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz(
        function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint,
        stream: Handle, pointers: *mut *mut c_void,
    ) since 9000 {
        let (grid_dim, block_dim) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let request = Request { grid_dim, block_dim, cluster_dim: None, cooperative: true, shared };
        launch(function, &request, stream, Parameters { pointers, extra: ptr::null_mut() })
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: Handle, threads: c_int, shared: usize) since 6050 {
        let mut state = state::context()?;
        store(blocks, resident(state.function(function)?, threads, shared)? as c_int)
    }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, function: Handle, threads: c_int, shared: usize, _flags: c_uint,
    ) since 7000 {
        passed(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared))
    }
    // The most threads of a multiprocessor, in the largest blocks that give as many.
    fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut c_int, block: *mut c_int, function: Handle, shared_of: Option<SharedOfBlock>, shared: usize, limit: c_int,
    ) since 6050 {
        let function = state::context()?.function(function)?.clone();
        let most = if limit > 0 { function.max_threads().min(limit as u32) } else { function.max_threads() };
        let mut best = (0, 0, 0);
        for threads in (1..=most).rev().filter(|threads| threads % 32 == 0 || *threads == most) {
            let shared = shared_of.map_or(shared, |shared_of| shared_of(threads as c_int));
            let blocks = resident(&function, threads as c_int, shared)?;
            if blocks * threads > best.0 {
                best = (blocks * threads, blocks, threads);
            }
        }
        store(block, best.2 as c_int)?;
        store(grid, (u64::from(best.1) * device::MULTIPROCESSORS) as c_int)
    }
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut c_int, block: *mut c_int, function: Handle, shared_of: Option<SharedOfBlock>, shared: usize, limit: c_int, _flags: c_uint,
    ) since 7000 {
        passed(cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit))
    }
    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: Handle, blocks: c_int, threads: c_int) since 10020 {
        let mut state = state::context()?;
        let function = state.function(function)?;
        let blocks = u32::try_from(blocks).ok().filter(|&blocks| blocks > 0).ok_or(Error::INVALID_VALUE)?;
        if resident(function, threads, 0)? < blocks {
            return Err(Error::INVALID_VALUE);
        }
        let room = (device::ALL_SHARED / blocks).saturating_sub(device::RESERVED_SHARED).min(device::MAX_SHARED);
        store(bytes, room.saturating_sub(function.kernel().shared) as usize)
    }
    fn cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: Handle, config: *const LaunchConfig) since 11070 {
        let mut state = state::context()?;
        config.as_ref().ok_or(Error::INVALID_VALUE)?;
        store(size, state.function(function)?.max_cluster() as c_int)
    }
    fn cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: Handle, config: *const LaunchConfig) since 11070 {
        let mut state = state::context()?;
        let shape = config.as_ref().ok_or(Error::INVALID_VALUE)?.request()?.shape(state.function(function)?)?;
        let blocks = device::resident_blocks(shape.threads() as u32, shape.shared + shape.dynamic_shared);
        store(clusters, (u64::from(blocks) * device::MULTIPROCESSORS / shape.in_cluster()) as c_int)
    }
}
