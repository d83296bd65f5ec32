//! The contexts, streams and kernels of each thread.
//!
//! A thread builds its own at first use: for a device, a pool of streams that operations get and one more for what is freed. The primary
//! context behind them is shared by the process. Closures that are called here may use all of this module.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    hash::Hash,
    rc::Rc,
    sync::Arc,
};

use cuda_core::{CudaContext, CudaFunction, CudaModule, CudaStream};

use crate::{
    error::{DeviceError, device_assert, device_error},
    scheduling_policies::{GlobalSchedulingPolicy, SchedulingPolicy, StreamPoolRoundRobin},
};

/// The device of a thread that has chosen none.
pub const DEFAULT_DEVICE_ID: usize = 0;
/// The devices of a thread that has said nothing of them.
pub const DEFAULT_NUM_DEVICES: usize = 1;
/// The streams of a device's pool.
pub const DEFAULT_ROUND_ROBIN_STREAM_POOL_SIZE: usize = 4;

/// A kernel and its module.
type Kept = (Arc<CudaModule>, Arc<CudaFunction>);

/// What a thread keeps of one device.
#[derive(Debug)]
pub struct AsyncDeviceContext {
    device_id: usize,
    context: Arc<CudaContext>,
    policy: Arc<GlobalSchedulingPolicy>,
    deallocator_stream: Arc<CudaStream>,
    functions: RefCell<HashMap<String, Kept>>,
}

impl AsyncDeviceContext {
    /// The device's number.
    pub fn device_id(&self) -> usize {
        self.device_id
    }

    /// The device's primary context.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// How operations get their streams.
    pub fn policy(&self) -> &Arc<GlobalSchedulingPolicy> {
        &self.policy
    }
}

thread_local! {
    static DEFAULT_DEVICE: Cell<usize> = const { Cell::new(DEFAULT_DEVICE_ID) };
    /// `None` before the first use.
    static DEVICES: RefCell<Option<HashMap<usize, Rc<AsyncDeviceContext>>>> = const { RefCell::new(None) };
}

/// Builds the contexts of the devices `0..num_devices` for this thread, of which `default_device_id` becomes its default.
///
/// # Errors
///
/// `Context` where this thread has contexts already, or where the default is not among the devices; and what the driver reports. Nothing is
/// changed then.
pub fn init_device_contexts(default_device_id: usize, num_devices: usize) -> Result<(), DeviceError> {
    let device = default_device_id;
    let unused = DEVICES.with_borrow(Option::is_none);
    device_assert(device, unused, "this thread already has its device contexts: call `init_device_contexts` once, before them")?;
    if device >= num_devices {
        return Err(device_error(device, &format!("got {num_devices} devices, expected more than the default's number")));
    }
    let devices = (0..num_devices).map(|device| Ok((device, Rc::new(build(device)?)))).collect::<Result<_, DeviceError>>()?;
    DEVICES.set(Some(devices));
    DEFAULT_DEVICE.set(device);
    Ok(())
}

/// The number of this thread's default device.
pub fn get_default_device() -> usize {
    DEFAULT_DEVICE.get()
}

/// Chooses this thread's default device.
pub fn set_default_device(default_device_id: usize) {
    DEFAULT_DEVICE.set(default_device_id);
}

/// A context of a device, whose policy is initialised here.
///
/// # Errors
///
/// What the driver or the policy reports.
pub fn new_device_context(device_id: usize, mut policy: GlobalSchedulingPolicy) -> Result<AsyncDeviceContext, DeviceError> {
    let context = CudaContext::new(device_id)?;
    policy.init(&context)?;
    let deallocator_stream = context.new_stream()?;
    Ok(AsyncDeviceContext { device_id, context, policy: Arc::new(policy), deallocator_stream, functions: RefCell::default() })
}

fn build(device_id: usize) -> Result<AsyncDeviceContext, DeviceError> {
    // SAFETY: an operation that writes memory owns it or borrows it exclusively until it is complete, so that two on different streams share
    // only what both read. Those that pass addresses are made in unsafe code, whose author orders them.
    let pool = unsafe { StreamPoolRoundRobin::new(device_id, DEFAULT_ROUND_ROBIN_STREAM_POOL_SIZE) };
    new_device_context(device_id, GlobalSchedulingPolicy::RoundRobin(pool))
}

/// This thread's context of a device, built at first use. It is shared, not taken: what is called with it may come here again.
fn device_context(device_id: usize) -> Result<Rc<AsyncDeviceContext>, DeviceError> {
    let find = |devices: &RefCell<Option<HashMap<usize, Rc<AsyncDeviceContext>>>>| {
        if let Some(found) = devices.borrow().as_ref().and_then(|devices| devices.get(&device_id)) {
            return Ok(found.clone());
        }
        let built = Rc::new(build(device_id)?);
        devices.borrow_mut().get_or_insert_default().insert(device_id, built.clone());
        Ok(built)
    };
    DEVICES.try_with(find).unwrap_or_else(|_| Err(device_error(device_id, "the thread is ending")))
}

/// Calls `f` with the policy of this thread's default device.
///
/// # Errors
///
/// What building the device's context reports.
pub fn with_default_device_policy<F, T>(f: F) -> Result<T, DeviceError>
where
    F: FnOnce(&Arc<GlobalSchedulingPolicy>) -> T,
{
    Ok(f(&device_context(get_default_device())?.policy))
}

/// Calls `f` with the primary context of a device.
///
/// # Errors
///
/// What building the device's context reports.
pub fn with_cuda_context<F, T>(device_id: usize, f: F) -> Result<T, DeviceError>
where
    F: FnOnce(&Arc<CudaContext>) -> T,
{
    Ok(f(&device_context(device_id)?.context))
}

/// Calls `f` with the stream on which this thread frees the memory of a device.
///
/// # Errors
///
/// What building the device's context reports.
///
/// # Safety
///
/// The stream is ordered after no other: what is freed on it is in use by none.
pub unsafe fn with_deallocator_stream<F, T>(device_id: usize, f: F) -> Result<T, DeviceError>
where
    F: FnOnce(&Arc<CudaStream>) -> T,
{
    Ok(f(&device_context(device_id)?.deallocator_stream))
}

/// Loads a file of PTX, a cubin or a fat binary on a device; a relative path starts at the working directory.
///
/// # Errors
///
/// What building the device's context or the driver reports.
pub fn load_module_from_file(filename: &str, device_id: usize) -> Result<Arc<CudaModule>, DeviceError> {
    Ok(device_context(device_id)?.context.load_module_from_file(filename)?)
}

/// Loads the text of PTX on a device.
///
/// # Errors
///
/// What building the device's context or the driver reports.
pub fn load_module_from_ptx(ptx_src: &str, device_id: usize) -> Result<Arc<CudaModule>, DeviceError> {
    Ok(device_context(device_id)?.context.load_module_from_ptx_src(ptx_src)?)
}

/// The cache's key of a kernel.
pub trait FunctionKey: Hash {
    /// Text that no other kernel has.
    fn get_hash_string(&self) -> String;
}

/// Keeps a kernel of a device, and its module, for this thread; one of the same key is replaced.
///
/// # Errors
///
/// What building the device's context reports.
pub fn insert_cuda_function(
    device_id: usize,
    key: &impl FunctionKey,
    value: (Arc<CudaModule>, Arc<CudaFunction>),
) -> Result<(), DeviceError> {
    // One that is replaced is dropped when the map is free again.
    let _replaced = device_context(device_id)?.functions.borrow_mut().insert(key.get_hash_string(), value);
    Ok(())
}

/// A kernel that this thread keeps.
///
/// # Errors
///
/// `KernelCache` where there is none of this key, or what building the device's context reports.
pub fn get_cuda_function(device_id: usize, key: &impl FunctionKey) -> Result<Arc<CudaFunction>, DeviceError> {
    let key = key.get_hash_string();
    let found = device_context(device_id)?.functions.borrow().get(&key).map(|(_, function)| function.clone());
    found.ok_or_else(|| DeviceError::KernelCache(format!("none of key `{key}` for device {device_id}")))
}
