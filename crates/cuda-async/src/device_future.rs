//! The future of an operation.
//!
//! | state | a poll |
//! | --- | --- |
//! | idle | queues the work on the future's stream, and a callback behind it that wakes the task; pending |
//! | executing | the result, once the stream has passed the work |
//! | failed | the error that there was before |
//! | complete | panics |
//!
//! Dropping a future in flight neither cancels nor waits: its result is not freed until the stream has passed the work (see [`reclaim`]).

use std::{
    ffi::c_void,
    fmt, mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use cuda_core::{CudaStream, DriverError, IntoResult, sys};

use crate::{device_context, device_operation::DeviceOperation, error::DeviceError, reclaim, signal::Signal};

/// An operation with a stream to run on, as a future of its result.
#[must_use = "a future does nothing until it is polled"]
pub struct DeviceFuture<T, DO> {
    state: State<T, DO>,
}

enum State<T, DO> {
    Idle { operation: DO, stream: Arc<CudaStream> },
    Executing(InFlight<T>),
    Failed(DeviceError),
    Complete,
}

// Nothing is ever pinned in it.
impl<T, DO> Unpin for DeviceFuture<T, DO> {}

impl<T, DO> fmt::Debug for DeviceFuture<T, DO> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.state {
            State::Idle { .. } => "DeviceFuture(idle)",
            State::Executing(_) => "DeviceFuture(executing)",
            State::Failed(_) => "DeviceFuture(failed)",
            State::Complete => "DeviceFuture(complete)",
        })
    }
}

/// A future of no operation, which yields an error.
impl<T, DO> Default for DeviceFuture<T, DO> {
    fn default() -> Self {
        Self::failed(DeviceError::Scheduling("a future without an operation".into()))
    }
}

impl<T, DO> DeviceFuture<T, DO> {
    /// A future that yields `error`.
    pub fn failed(error: DeviceError) -> Self {
        Self { state: State::Failed(error) }
    }

    /// A future that runs `operation` on `stream`: what a scheduling policy makes.
    pub fn new(operation: DO, stream: Arc<CudaStream>) -> Self {
        Self { state: State::Idle { operation, stream } }
    }
}

impl<T: Send, DO: DeviceOperation<Output = T>> DeviceFuture<T, DO> {
    /// Scheduled with the default device's policy.
    pub(crate) fn by_default(operation: DO) -> Self {
        device_context::with_default_device_policy(|policy| operation.schedule(policy)).flatten().unwrap_or_else(Self::failed)
    }
}

impl<T, DO: DeviceOperation<Output = T>> Future for DeviceFuture<T, DO> {
    type Output = Result<T, DeviceError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match mem::replace(&mut self.state, State::Complete) {
            State::Idle { operation, stream } => {
                reclaim::sweep();
                // What was queued before it failed still runs, and may have borrowed what is freed next.
                // SAFETY: the result is not freed until the stream has passed the work.
                let result = unsafe { operation.async_on(&stream) }.inspect_err(|_| reclaim::park_failed(&stream))?;
                let flight = InFlight::new::<DO>(result, stream);
                // The callback may run before the task is registered: this then wakes it at once.
                let _pending = flight.signal.poll(context);
                flight.signal_when_passed()?;
                self.state = State::Executing(flight);
                Poll::Pending
            }
            State::Executing(flight) => match flight.signal.poll(context) {
                Poll::Pending => {
                    self.state = State::Executing(flight);
                    Poll::Pending
                }
                Poll::Ready(code) => Poll::Ready(flight.land(code)),
            },
            State::Failed(error) => Poll::Ready(Err(error)),
            State::Complete => panic!("a `DeviceFuture` was polled after it had completed"),
        }
    }
}

/// The result of work that its stream may not have passed yet.
struct InFlight<T> {
    /// Taken when it leaves.
    result: Option<T>,
    stream: Arc<CudaStream>,
    signal: Arc<Signal>,
    /// What happens to a result whose future was dropped.
    park: fn(T, &Arc<CudaStream>),
}

impl<T> InFlight<T> {
    fn new<DO: DeviceOperation<Output = T>>(result: T, stream: Arc<CudaStream>) -> Self {
        // Only of a result of an operation is it known that it borrows nothing.
        fn park<DO: DeviceOperation>(result: <DO as DeviceOperation>::Output, stream: &Arc<CudaStream>) {
            reclaim::park(result, stream);
        }
        Self { result: Some(result), stream, signal: Arc::new(Signal::new()), park: park::<DO> }
    }

    /// Queues the callback that completes the signal.
    fn signal_when_passed(&self) -> Result<(), DriverError> {
        let context = self.stream.context();
        context.bind_to_thread()?;
        let signal = Arc::into_raw(self.signal.clone());
        // Unlike a host function, it is called with the driver's error where the work before it failed, so that no task waits for ever.
        // SAFETY: the stream is alive and its context current; `complete` takes the signal over where the call succeeds, and is called once.
        match unsafe { sys::cuStreamAddCallback(self.stream.cu_stream(), Some(complete), signal.cast_mut().cast(), 0) } {
            sys::cudaError_enum_CUDA_SUCCESS => Ok(()),
            code => {
                // SAFETY: nobody has taken it over.
                let signal = unsafe { Arc::from_raw(signal) };
                match code {
                    // A driver without this call, which is to be removed one day.
                    sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED => {
                        self.stream.launch_host_function(move || signal.complete(sys::cudaError_enum_CUDA_SUCCESS))
                    }
                    code => code.result(),
                }
            }
        }
    }

    /// The result, or the driver's error in its place.
    fn land(mut self, code: sys::CUresult) -> Result<T, DeviceError> {
        // Also where the work failed nothing of it runs any more, so that the result may be dropped.
        let result = self.result.take();
        code.result()?;
        result.ok_or_else(|| DeviceError::Internal("a result left twice".into()))
    }
}

impl<T> Drop for InFlight<T> {
    fn drop(&mut self) {
        if let Some(result) = self.result.take()
            && !self.signal.is_complete()
        {
            (self.park)(result, &self.stream);
        }
    }
}

/// Called by a thread of the driver's, which must make no call of the driver: it touches nothing but the signal.
unsafe extern "C" fn complete(_stream: sys::CUstream, code: sys::CUresult, signal: *mut c_void) {
    // SAFETY: `signal_when_passed` gave it away to this one call.
    let signal = unsafe { Arc::from_raw(signal.cast_const().cast::<Signal>()) };
    // A waker that panics must not unwind into the driver; whoever made it has printed why.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| signal.complete(code)));
}
