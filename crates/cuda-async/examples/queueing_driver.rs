//! A driver without devices, for `tests/operations.rs`: what is queued on its streams runs on a thread of its own, which a test can hold.
//!
//! Every call that a test may want to see is recorded, and the next call of a name can be made to fail.

#![allow(non_snake_case, clippy::missing_safety_doc, missing_docs)]

use std::{
    cell::Cell,
    collections::{HashMap, HashSet, VecDeque},
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr,
    sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
};

type Handle = *mut c_void;
type Callback = unsafe extern "C" fn(Handle, c_uint, *mut c_void);
type HostFunction = unsafe extern "C" fn(*mut c_void);

const SUCCESS: c_uint = 0;
const NOT_READY: c_uint = 600;
const NO_CONTEXT: c_uint = 201;
const NOT_FOUND: c_uint = 500;
const DEVICES: c_int = 2;

/// Work on a stream.
enum Work {
    Mark { record: usize },
    Call { callback: Callback, data: usize },
    Host { function: HostFunction, data: usize },
}

#[derive(Default)]
struct State {
    calls: Vec<String>,
    /// What the next calls of a name return.
    failures: HashMap<String, VecDeque<c_uint>>,
    queue: VecDeque<(usize, Work)>,
    held: bool,
    /// The stream whose work runs at this moment.
    running: Option<usize>,
    /// What a kernel has done to the device.
    fault: c_uint,
    handles: usize,
    /// The latest record of each event, and those that are not passed.
    records: HashMap<usize, usize>,
    ahead: HashSet<usize>,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(|| {
    thread::spawn(run);
    Mutex::default()
});
static CHANGED: Condvar = Condvar::new();

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The device: takes work off the queue, in the order in which it was queued.
fn run() {
    loop {
        let mut state = CHANGED.wait_while(state(), |state| state.held || state.queue.is_empty()).unwrap();
        let (stream, work) = state.queue.pop_front().unwrap();
        let fault = state.fault;
        state.running = Some(stream);
        if let Work::Mark { record } = work {
            state.ahead.remove(&record);
        }
        drop(state);
        match work {
            Work::Mark { .. } => {}
            // SAFETY: the test's crate gave both.
            Work::Call { callback, data } => unsafe {
                callback(ptr::without_provenance_mut(stream), fault, ptr::with_exposed_provenance_mut(data))
            },
            // As the driver's documentation says: not called after a fault.
            Work::Host { .. } if fault != SUCCESS => {}
            // SAFETY: as above.
            Work::Host { function, data } => unsafe { function(ptr::with_exposed_provenance_mut(data)) },
        }
        self::state().running = None;
        CHANGED.notify_all();
    }
}

fn queue(stream: Handle, work: Work) -> c_uint {
    state().queue.push_back((stream.addr(), work));
    CHANGED.notify_all();
    SUCCESS
}

fn record(call: String) -> c_uint {
    let mut state = state();
    let name = call.split(' ').next().unwrap().to_owned();
    state.calls.push(call);
    state.failures.get_mut(&name).and_then(VecDeque::pop_front).unwrap_or(SUCCESS)
}

fn new_handle() -> usize {
    let mut state = state();
    state.handles += 1;
    state.handles
}

fn wait_for(passed: impl Fn(&State) -> bool) -> c_uint {
    CHANGED.wait_while(state(), |state| !passed(state)).unwrap().fault
}

/// Moves the calls since the last time into the test's list.
#[unsafe(no_mangle)]
pub extern "C" fn queueing_take_calls(calls: &mut Vec<String>) {
    *calls = std::mem::take(&mut state().calls);
}

/// Makes the next call of a name fail, or the one after those that fail already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn queueing_fail(name: *const c_char, result: c_uint) {
    // SAFETY: the test passes a name.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    state().failures.entry(name).or_default().push_back(result);
}

/// Lets the streams stand still, or go on.
#[unsafe(no_mangle)]
pub extern "C" fn queueing_hold(held: bool) {
    state().held = held;
    CHANGED.notify_all();
}

/// What a kernel has done to the device; 0 for a device that is well.
#[unsafe(no_mangle)]
pub extern "C" fn queueing_fault(result: c_uint) {
    state().fault = result;
}

/// Waits until the streams have nothing left to do.
#[unsafe(no_mangle)]
pub extern "C" fn queueing_settle() {
    wait_for(|state| state.queue.is_empty() && state.running.is_none());
}

/// Defines entry points; a pointer that the real driver writes is one here.
macro_rules! entry_points {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_uint {
            // SAFETY: the test passes what the real driver may be passed.
            #[allow(unused_unsafe)]
            unsafe { $body }
        }
    )*};
}

entry_points! {
    fn cuInit(_flags: c_uint) { SUCCESS }
    fn cuDeviceGetCount(count: *mut c_int) { *count = DEVICES; SUCCESS }
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
        if !(0..DEVICES).contains(&ordinal) { return 101 }
        *device = ordinal;
        SUCCESS
    }
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) {
        *context = ptr::without_provenance_mut(0xc0 + device as usize);
        record(format!("retain {device}"))
    }
    fn cuDevicePrimaryCtxRelease_v2(_device: c_int) { SUCCESS }
    fn cuCtxGetCurrent(context: *mut Handle) { *context = ptr::without_provenance_mut(CURRENT.get()); SUCCESS }
    fn cuCtxSetCurrent(context: Handle) { CURRENT.set(context.addr()); SUCCESS }
    fn cuCtxSynchronize() { SUCCESS }
    fn cuStreamCreate(stream: *mut Handle, _flags: c_uint) {
        let handle = 0x1000 + new_handle();
        *stream = ptr::without_provenance_mut(handle);
        SUCCESS
    }
    fn cuStreamDestroy_v2(_stream: Handle) { SUCCESS }
    fn cuStreamSynchronize(stream: Handle) {
        let stream = stream.addr();
        match record(format!("synchronize {stream:#x}")) {
            SUCCESS => wait_for(|state| state.running != Some(stream) && state.queue.iter().all(|(other, _)| *other != stream)),
            failure => failure,
        }
    }
    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) { record(format!("wait {:#x} {:#x}", stream.addr(), event.addr())) }
    fn cuStreamAddCallback(stream: Handle, callback: Option<Callback>, data: *mut c_void, _flags: c_uint) {
        match record(format!("callback {:#x}", stream.addr())) {
            SUCCESS => queue(stream, Work::Call { callback: callback.unwrap(), data: data.expose_provenance() }),
            failure => failure,
        }
    }
    fn cuLaunchHostFunc(stream: Handle, function: Option<HostFunction>, data: *mut c_void) {
        match record(format!("host {:#x}", stream.addr())) {
            SUCCESS => queue(stream, Work::Host { function: function.unwrap(), data: data.expose_provenance() }),
            failure => failure,
        }
    }
    fn cuEventCreate(event: *mut Handle, _flags: c_uint) { *event = ptr::without_provenance_mut(0x2000 + new_handle()); SUCCESS }
    fn cuEventDestroy_v2(_event: Handle) { SUCCESS }
    fn cuEventRecord(event: Handle, stream: Handle) {
        let failure = record(format!("mark {:#x} {:#x}", stream.addr(), event.addr()));
        if failure != SUCCESS { return failure }
        let (event, mark) = (event.addr(), new_handle());
        let mut state = state();
        state.records.insert(event, mark);
        state.ahead.insert(mark);
        drop(state);
        queue(stream, Work::Mark { record: mark })
    }
    fn cuEventQuery(event: Handle) {
        let state = state();
        let ahead = state.records.get(&event.addr()).is_some_and(|mark| state.ahead.contains(mark));
        if state.fault != SUCCESS { state.fault } else if ahead { NOT_READY } else { SUCCESS }
    }
    fn cuEventSynchronize(event: Handle) {
        let event = event.addr();
        wait_for(|state| state.records.get(&event).is_none_or(|mark| !state.ahead.contains(mark)))
    }
    fn cuGetErrorString(_error: c_uint, text: *mut *const c_char) { *text = c"an error".as_ptr(); SUCCESS }
    fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: Handle) {
        if CURRENT.get() == 0 { return NO_CONTEXT }
        *address = 0x10_0000 + 0x100 * new_handle() as u64;
        record(format!("allocate {bytes} {:#x}", stream.addr()))
    }
    fn cuMemFreeAsync(address: u64, stream: Handle) { record(format!("free {address:#x} {:#x}", stream.addr())) }
    fn cuModuleLoadDataEx(module: *mut Handle, _image: *const c_void, _options: c_uint, _keys: *const c_uint, _values: *const *mut c_void) {
        *module = ptr::without_provenance_mut(0xd0);
        SUCCESS
    }
    fn cuModuleUnload(_module: Handle) { SUCCESS }
    fn cuModuleGetFunction(function: *mut Handle, _module: Handle, _name: *const c_char) {
        *function = ptr::without_provenance_mut(0xf0);
        SUCCESS
    }
    fn cuModuleGetGlobal_v2(_address: *mut u64, _bytes: *mut usize, _module: Handle, _name: *const c_char) { NOT_FOUND }
    fn cuLaunchKernel(
        _kernel: Handle, grid: c_uint, _gy: c_uint, _gz: c_uint, _bx: c_uint, _by: c_uint, _bz: c_uint,
        _shared: c_uint, stream: Handle, parameters: *mut *mut c_void, _extra: *mut *mut c_void
    ) {
        // The tests' kernel takes an address and one byte.
        let (address, byte) = ((*parameters).cast::<u64>().read_unaligned(), (*parameters.add(1)).cast::<u8>().read());
        record(format!("launch {grid} {address:#x} {byte} {:#x}", stream.addr()))
    }
}
