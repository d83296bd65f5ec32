//! Results that nobody waits for any more, while a stream may still use them.
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

use cuda_core::{CudaEvent, CudaStream, DriverError, sys};

/// A result and the mark behind the work that may use it.
struct Parked {
    event: CudaEvent,
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

/// Frees the results whose streams have passed the work, and says how many. It does not wait.
pub fn sweep() -> usize {
    if pending() == 0 {
        return 0;
    }
    let done = with_lot(|lot| lot.extract_if(.., |parked| has_passed(&parked.event)).collect::<Vec<_>>());
    done.len()
}

/// Waits for all results that are here, frees them, and says how many.
pub fn drain() -> usize {
    let all = with_lot(mem::take);
    let count = all.len();
    for Parked { event, result } in all {
        match undisturbed(&event, CudaEvent::synchronize) {
            Err(error) if is_refused(error) => leak(result, error),
            _ => drop(result),
        }
    }
    count
}

/// Keeps a result until `stream` has passed what is queued on it now. Does not wait, unless no event can be recorded.
pub(crate) fn park<T: Send + 'static>(result: T, stream: &Arc<CudaStream>) {
    sweep();
    // The first attempt may report what an earlier `Drop` could not.
    match stream.record_event(None).or_else(|_| stream.record_event(None)) {
        Ok(event) => with_lot(|lot| lot.push(Parked { event, result: Box::new(result) })),
        Err(_) => match stream.synchronize() {
            Ok(()) => drop(result),
            Err(error) => leak(result, error),
        },
    }
}

/// Makes `stream` wait for all that uses results kept here: a future that was dropped may have borrowed what is freed next.
///
/// # Errors
///
/// What the driver reports.
pub(crate) fn wait_on(stream: &CudaStream) -> Result<(), DriverError> {
    if pending() == 0 {
        return Ok(());
    }
    with_lot(|lot| lot.iter().try_for_each(|parked| stream.wait(&parked.event)))
}

/// Whether nothing that is in front of the event runs any more: also where the device reports a fault.
fn has_passed(event: &CudaEvent) -> bool {
    match undisturbed(event, CudaEvent::query) {
        Ok(passed) => passed,
        Err(error) => !is_refused(error),
    }
}

/// Asks the driver for an event; an error that the context keeps for somebody else stays there.
fn undisturbed<T>(event: &CudaEvent, ask: impl FnOnce(&CudaEvent) -> Result<T, DriverError>) -> Result<T, DriverError> {
    let kept = event.context().check_err();
    let answer = ask(event);
    event.context().record_err(kept);
    answer
}

/// Whether the driver did not answer, since a callback of its own asked.
fn is_refused(error: DriverError) -> bool {
    error.0 == sys::cudaError_enum_CUDA_ERROR_NOT_PERMITTED
}

fn leak<T>(result: T, error: DriverError) {
    eprintln!("oxide: a result that the device may still use is never freed: {error}");
    mem::forget(result);
}
