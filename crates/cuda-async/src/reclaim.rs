//! Results whose futures were dropped while a stream may still use them.
//!
//! A future that is dropped in flight leaves its result here, behind an event. It is freed when the event has passed: by the next operation
//! that is polled or left here, by [`sweep`], or by [`drain`].

use std::{
    any::Any,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use cuda_core::{CudaContext, CudaEvent, CudaStream, DriverError, sys};

/// A result and the mark behind the work that may use it.
struct Parked {
    event: Arc<CudaEvent>,
    result: Box<dyn Any + Send>,
}

static LOT: Mutex<Vec<Parked>> = Mutex::new(Vec::new());
/// The length of the lot, to be read without a lock.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Changes the lot. Nothing is dropped meanwhile: dropping a result may come back here.
fn with_lot<T>(change: impl FnOnce(&mut Vec<Parked>) -> T) -> T {
    let mut lot: MutexGuard<'_, Vec<Parked>> = LOT.lock().unwrap_or_else(PoisonError::into_inner);
    let value = change(&mut lot);
    PENDING.store(lot.len(), Ordering::Release);
    value
}

/// How many results are kept here.
pub fn pending() -> usize {
    PENDING.load(Ordering::Acquire)
}

/// Frees the results whose streams have passed the work, and returns how many. It does not wait.
pub fn sweep() -> usize {
    if pending() == 0 {
        return 0;
    }
    let done = with_lot(|lot| lot.extract_if(.., |parked| has_passed(&parked.event)).collect::<Vec<_>>());
    done.len()
}

/// Waits for all results that are here, frees them, and returns how many.
pub fn drain() -> usize {
    let mut count = 0;
    for event in events() {
        let waited = undisturbed(event.context(), || event.synchronize());
        // Until now it has stayed in the lot: what is freed meanwhile waits for it there.
        let parked = with_lot(|lot| lot.iter().position(|parked| Arc::ptr_eq(&parked.event, &event)).map(|place| lot.swap_remove(place)));
        let Some(Parked { result, .. }) = parked else { continue };
        count += 1;
        match waited {
            Err(error) if is_refused(error) => leak(result, error),
            _ => drop(result),
        }
    }
    count
}

/// The marks of all results that are here, to be waited for when the lot is free again.
fn events() -> Vec<Arc<CudaEvent>> {
    if pending() == 0 { Vec::new() } else { with_lot(|lot| lot.iter().map(|parked| parked.event.clone()).collect()) }
}

/// Keeps a result until `stream` has passed what is queued on it now. Does not wait, unless no event can be recorded.
pub(crate) fn park<T: Send + 'static>(result: T, stream: &Arc<CudaStream>) {
    sweep();
    match mark(stream) {
        Ok(Some(event)) => with_lot(|lot| lot.push(Parked { event, result: Box::new(result) })),
        Ok(None) => drop(result),
        Err(error) => leak(result, error),
    }
}

/// A result that a stream may use: unless it is handed on, it is not freed until the stream has passed what is queued there by then.
pub(crate) struct Kept<T: Send + 'static> {
    /// Taken when it is handed on.
    result: Option<T>,
    stream: Arc<CudaStream>,
}

impl<T: Send + 'static> Kept<T> {
    pub(crate) fn new(result: T, stream: &Arc<CudaStream>) -> Self {
        Self { result: Some(result), stream: stream.clone() }
    }

    pub(crate) fn hand_on(mut self) -> T {
        self.result.take().expect("it is handed on once")
    }
}

impl<T: Send + 'static> Drop for Kept<T> {
    fn drop(&mut self) {
        if let Some(result) = self.result.take() {
            park(result, &self.stream);
        }
    }
}

/// Makes what is freed next wait for what is queued on `stream` now: the beginning of an operation that failed may have borrowed it.
pub(crate) fn park_failed(stream: &Arc<CudaStream>) {
    // Where the driver takes no mark and cannot wait, nothing runs any more.
    if let Ok(Some(event)) = mark(stream) {
        with_lot(|lot| lot.push(Parked { event, result: Box::new(()) }));
    }
}

/// A mark behind what is queued on `stream` now; `None` where there can be none, and the stream was waited for.
fn mark(stream: &CudaStream) -> Result<Option<Arc<CudaEvent>>, DriverError> {
    // Another thread may leave an error meanwhile, which the first attempt reports.
    undisturbed(stream.context(), || match stream.record_event(None).or_else(|_| stream.record_event(None)) {
        Ok(event) => Ok(Some(Arc::new(event))),
        Err(_) => stream.synchronize().map(|()| None),
    })
}

/// Makes `stream` wait for all that uses results kept here: a future that was dropped may have borrowed what is freed next.
///
/// # Errors
///
/// What the driver reports.
pub(crate) fn wait_on(stream: &CudaStream) -> Result<(), DriverError> {
    events().iter().try_for_each(|event| stream.wait(event))
}

/// Whether nothing that is in front of the event runs any more: also where the device reports a fault.
fn has_passed(event: &CudaEvent) -> bool {
    match undisturbed(event.context(), || event.query()) {
        Ok(passed) => passed,
        Err(error) => !is_refused(error),
    }
}

/// Calls the driver outside a program's own calls: the context's sticky error stays for the next of those.
pub(crate) fn undisturbed<T>(context: &CudaContext, ask: impl FnOnce() -> T) -> T {
    let kept = context.check_err();
    let answer = ask();
    context.record_err(kept);
    answer
}

/// Whether the driver refused a call from one of its own callbacks.
fn is_refused(error: DriverError) -> bool {
    error.0 == sys::cudaError_enum_CUDA_ERROR_NOT_PERMITTED
}

fn leak<T>(result: T, error: DriverError) {
    eprintln!("oxide: a result that the device may still use is never freed: {error}");
    mem::forget(result);
}
