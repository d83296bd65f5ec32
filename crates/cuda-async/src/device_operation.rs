//! Operations: device work that has not run yet.
//!
//! ```ignore
//! let sum = zip!(upload(a), upload(b)).and_then(|(a, b)| add(a, b)).and_then(download);
//! let sum = sum.await?;            // or sum.sync()?
//! ```

mod combinators;
mod zip;

use std::{cell::RefCell, future::IntoFuture, sync::Arc};

use cuda_core::{CudaContext, CudaStream};

pub use self::{
    combinators::{
        AndThen, DeviceOperationArc, Empty, IntoDeviceOperation, TryValue, Value, WithContext, empty, try_value, value, with_context,
    },
    zip::{UnzipFirst, UnzipSecond, Unzippable2, Zip2, Zip3, Zippable},
};
use crate::{device_context, device_future::DeviceFuture, error::DeviceError, reclaim, scheduling_policies::SchedulingPolicy};
pub use crate::{unzip, zip};

/// Where an operation runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionContext {
    stream: Arc<CudaStream>,
}

impl ExecutionContext {
    /// On a stream.
    pub fn new(cuda_stream: Arc<CudaStream>) -> Self {
        Self { stream: cuda_stream }
    }

    /// The stream.
    pub fn get_cuda_stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The stream's context.
    pub fn get_cuda_context(&self) -> &Arc<CudaContext> {
        self.stream.context()
    }

    /// The number of the stream's device.
    pub fn get_device_id(&self) -> usize {
        self.stream.context().ordinal()
    }
}

/// Work for a device, described and not yet run.
///
/// Nothing of it happens before the first poll of its future, or [`sync`](Self::sync), [`sync_on`](Self::sync_on) or
/// [`async_on`](Self::async_on). All of it runs on one stream, in the order it is written.
///
/// Its future may go to another thread and need not be pinned, so that this is known of an `impl DeviceOperation` too.
#[must_use = "an operation does nothing until it is awaited or synchronized"]
pub trait DeviceOperation:
    Send + Sized + IntoFuture<Output = Result<<Self as DeviceOperation>::Output, DeviceError>, IntoFuture: Send + Unpin>
{
    /// The result of the work.
    type Output: Send + 'static;

    /// Queues the work on the context's stream. It may return before the work is done.
    ///
    /// # Errors
    ///
    /// What queueing it reports; a fault of a kernel surfaces when the stream has passed it.
    ///
    /// # Safety
    ///
    /// The result is used only by more work on this stream, and dropped only after the stream has passed this work.
    unsafe fn execute(self, context: &ExecutionContext) -> Result<<Self as DeviceOperation>::Output, DeviceError>;

    /// Then, on the same stream, the operation that `f` makes of the result. `f` runs on the host while the work is queued: what the result
    /// stands for on the device may be unfinished.
    fn and_then<O: Send, DO, F>(self, f: F) -> AndThen<Self, DO, F>
    where
        DO: DeviceOperation<Output = O>,
        F: FnOnce(<Self as DeviceOperation>::Output) -> DO + Send,
    {
        AndThen::new(self, f)
    }

    /// Another name of [`and_then`](Self::and_then).
    fn apply<O: Send, DO, F>(self, f: F) -> AndThen<Self, DO, F>
    where
        DO: DeviceOperation<Output = O>,
        F: FnOnce(<Self as DeviceOperation>::Output) -> DO + Send,
    {
        self.and_then(f)
    }

    /// [`and_then`](Self::and_then) with a function that takes the context that it runs in.
    fn and_then_with_context<O: Send + 'static, DO, F>(self, f: F) -> impl DeviceOperation<Output = O>
    where
        DO: DeviceOperation<Output = O>,
        F: FnOnce(&ExecutionContext, <Self as DeviceOperation>::Output) -> DO + Send,
    {
        self.and_then(|result| with_context(|context| f(context, result)))
    }

    /// The same, with a result that can be shared.
    fn arc(self) -> DeviceOperationArc<Self>
    where
        <Self as DeviceOperation>::Output: Sync,
    {
        DeviceOperationArc::new(self)
    }

    /// A future of this operation, on the stream that `policy` chooses now.
    ///
    /// # Errors
    ///
    /// What choosing one reports.
    fn schedule<P: SchedulingPolicy>(self, policy: &P) -> Result<DeviceFuture<<Self as DeviceOperation>::Output, Self>, DeviceError> {
        policy.schedule(self)
    }

    /// Runs it on a stream of the default device's policy, and waits.
    ///
    /// # Errors
    ///
    /// What choosing the stream, queueing the work or waiting for it reports.
    fn sync(self) -> Result<<Self as DeviceOperation>::Output, DeviceError> {
        device_context::with_default_device_policy(|policy| policy.sync(self))?
    }

    /// Runs it on a stream, and waits for the stream, also where queueing the work failed.
    ///
    /// # Errors
    ///
    /// What queueing the work reports, else what waiting reports.
    fn sync_on(self, stream: &Arc<CudaStream>) -> Result<<Self as DeviceOperation>::Output, DeviceError> {
        // SAFETY: the result leaves only after the stream has been waited for, and is parked where that failed.
        let executed = unsafe { self.async_on(stream) };
        match (executed, stream.synchronize()) {
            (executed, Ok(())) => executed,
            (Ok(result), Err(error)) => {
                reclaim::park(result, stream);
                Err(error.into())
            }
            (Err(error), Err(_)) => {
                // What was queued before it failed may have borrowed what is freed next.
                reclaim::park_failed(stream);
                Err(error)
            }
        }
    }

    /// Queues it on a stream, whose context becomes current, and does not wait.
    ///
    /// # Errors
    ///
    /// The context's sticky error, or what queueing the work reports.
    ///
    /// # Safety
    ///
    /// As for [`execute`](Self::execute).
    unsafe fn async_on(self, stream: &Arc<CudaStream>) -> Result<<Self as DeviceOperation>::Output, DeviceError> {
        // Operations call the driver with handles alone, on whatever thread a task is.
        stream.context().bind_to_thread()?;
        let context = ExecutionContext::new(stream.clone());
        let _executing = Executing::on(stream);
        // SAFETY: passed on.
        unsafe { self.execute(&context) }
    }
}

thread_local! {
    /// The streams that operations are being queued on by this thread, the innermost last.
    static EXECUTING: RefCell<Vec<Arc<CudaStream>>> = const { RefCell::new(Vec::new()) };
}

/// Lasts while an operation is being queued. What is dropped meanwhile may be in use by what is queued already.
pub(crate) struct Executing;

impl Executing {
    fn on(stream: &Arc<CudaStream>) -> Self {
        EXECUTING.with_borrow_mut(|streams| streams.push(stream.clone()));
        Self
    }

    /// The streams that operations are being queued on by this thread.
    pub(crate) fn streams() -> Vec<Arc<CudaStream>> {
        // Where the thread is ending, none is.
        EXECUTING.try_with(|streams| streams.borrow().clone()).unwrap_or_default()
    }
}

impl Drop for Executing {
    fn drop(&mut self) {
        EXECUTING.with_borrow_mut(|streams| streams.pop());
    }
}

/// Makes operations awaitable, each with its bounds and its result: the future is scheduled with the default device's policy.
macro_rules! awaitable {
    ($([$($generics:tt)*] $operation:ty => $output:ty;)*) => {$(
        impl<$($generics)*> ::std::future::IntoFuture for $operation {
            type Output = Result<$output, $crate::error::DeviceError>;
            type IntoFuture = $crate::device_future::DeviceFuture<$output, Self>;

            fn into_future(self) -> Self::IntoFuture {
                $crate::device_future::DeviceFuture::by_default(self)
            }
        }
    )*};
}

pub(crate) use awaitable;
