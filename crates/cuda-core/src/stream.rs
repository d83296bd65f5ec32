//! Streams: queues of work that the device takes in order.

use std::{
    ffi::c_void,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::{Arc, atomic::Ordering},
};

use crate::{
    CudaContext, CudaEvent, DriverError, IntoResult, error,
    failure::{Cause, Failure},
    sys,
};

/// A stream of a context.
#[derive(Debug, PartialEq, Eq)]
pub struct CudaStream {
    /// Null for the legacy default stream, which nobody owns.
    stream: sys::CUstream,
    context: Arc<CudaContext>,
}

// SAFETY: the driver locks a stream itself; any thread may queue work.
unsafe impl Send for CudaStream {}
// SAFETY: as above.
unsafe impl Sync for CudaStream {}

impl CudaStream {
    pub(crate) fn legacy_default(context: &Arc<CudaContext>) -> Arc<Self> {
        Arc::new(Self { stream: ptr::null_mut(), context: context.clone() })
    }

    pub(crate) fn non_blocking(context: &Arc<CudaContext>) -> Result<Arc<Self>, DriverError> {
        context.bind_to_thread()?;
        if context.live_streams.load(Ordering::Acquire) == 0 {
            // What was queued while the default stream was the only one must be seen by a stream that is not ordered against it.
            context.synchronize()?;
        }
        let flags = sys::CUstream_flags_enum_CU_STREAM_NON_BLOCKING;
        // SAFETY: the driver stores a stream; `Drop` destroys it.
        let stream = unsafe { error::output(|stream| sys::checked::cuStreamCreate(stream, flags)) }?;
        context.live_streams.fetch_add(1, Ordering::AcqRel);
        Ok(Arc::new(Self { stream, context: context.clone() }))
    }

    /// The driver's handle, valid while `self` is; null for the default stream.
    pub fn cu_stream(&self) -> sys::CUstream {
        self.stream
    }

    /// The context that the stream belongs to.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Waits for all work queued so far.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports: a fault of a kernel surfaces here.
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the stream is alive and its context current.
        unsafe { sys::cuStreamSynchronize(self.stream) }.result()
    }

    /// A new stream, whose work comes after all that is queued here.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn fork(&self) -> Result<Arc<Self>, DriverError> {
        let stream = self.context.new_stream()?;
        stream.join(self)?;
        Ok(stream)
    }

    /// Makes later work here wait for all that `other` holds now.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn join(&self, other: &CudaStream) -> Result<(), DriverError> {
        self.wait(&other.record_event(None)?)
    }

    /// A new event, recorded here; without flags it carries no timing.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn record_event(&self, flags: Option<sys::CUevent_flags>) -> Result<CudaEvent, DriverError> {
        let event = self.context.new_event(flags)?;
        event.record(self)?;
        Ok(event)
    }

    /// Makes later work here wait for an event.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn wait(&self, event: &CudaEvent) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: both are alive.
        unsafe { sys::cuStreamWaitEvent(self.stream, event.cu_event(), 0) }.result()
    }

    /// Calls a function on a thread of the driver's when all that is queued before has run; later work waits until it returns.
    ///
    /// It must not call the driver. It is called once, so that a captured stream takes none: a graph would call it at each launch. A panic
    /// ends it and goes no further. Where the device has failed by then the driver never calls it, and what it owns is leaked.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for a stream that is captured, the sticky error, or what else the driver reports; the
    /// function is then dropped.
    pub fn launch_host_function<F: FnOnce() + Send + 'static>(&self, host_func: F) -> Result<(), DriverError> {
        unsafe extern "C" fn call<F: FnOnce()>(function: *mut c_void) {
            // SAFETY: the driver calls this once, with the box that was given to it.
            let function = unsafe { Box::from_raw(function.cast::<F>()) };
            // What panicked has printed its message; there is nobody here who could take the panic.
            let _ = panic::catch_unwind(AssertUnwindSafe(function));
        }
        self.context.bind_to_thread()?;
        if self.is_captured()? {
            let code = sys::cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
            return Err(Failure::refusal(code, Cause::CapturedHostFunction).into());
        }
        let function = Box::into_raw(Box::new(host_func));
        // SAFETY: `call::<F>` takes what `function` points to.
        let queued = unsafe { sys::cuLaunchHostFunc(self.stream, Some(call::<F>), function.cast()) }.result();
        if queued.is_err() {
            // SAFETY: the driver has refused it, so that it is still ours.
            drop(unsafe { Box::from_raw(function) });
        }
        queued
    }

    /// Whether what is queued now becomes part of a graph. The context is current.
    fn is_captured(&self) -> Result<bool, DriverError> {
        // SAFETY: the stream is alive, and the driver stores the status.
        match unsafe { error::output(|status| sys::checked::cuStreamIsCapturing(self.stream, status)) } {
            // A driver without this function captures nothing.
            Err(failure) if failure.code() == sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED => Ok(false),
            status => Ok(status? != sys::CUstreamCaptureStatus_enum_CU_STREAM_CAPTURE_STATUS_NONE),
        }
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if self.stream.is_null() {
            return;
        }
        self.context.live_streams.fetch_sub(1, Ordering::AcqRel);
        // SAFETY: made by `non_blocking`, and destroyed only here; the driver finishes what is queued.
        self.context.release(|| unsafe { sys::checked::cuStreamDestroy_v2(self.stream) });
    }
}
