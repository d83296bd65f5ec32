//! Events: marks in a stream.

use std::sync::Arc;

use crate::{CudaContext, CudaStream, DriverError, IntoResult, error, failure::Cause, sys};

/// An event of a context.
#[derive(Debug)]
pub struct CudaEvent {
    event: sys::CUevent,
    context: Arc<CudaContext>,
}

// SAFETY: the driver locks an event itself.
unsafe impl Send for CudaEvent {}
// SAFETY: as above.
unsafe impl Sync for CudaEvent {}

impl CudaEvent {
    pub(crate) fn new(context: &Arc<CudaContext>, flags: Option<sys::CUevent_flags>) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        let flags = flags.unwrap_or(sys::CUevent_flags_enum_CU_EVENT_DISABLE_TIMING);
        // SAFETY: the driver stores an event; `Drop` destroys it.
        let event = unsafe { error::output(|event| sys::checked::cuEventCreate(event, flags)) }?;
        Ok(Self { event, context: context.clone() })
    }

    /// The driver's handle, valid while `self` is.
    pub fn cu_event(&self) -> sys::CUevent {
        self.event
    }

    /// The context that the event belongs to.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Marks the present end of a stream, in place of any earlier mark.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports: event and stream are of one context.
    pub fn record(&self, stream: &CudaStream) -> Result<(), DriverError> {
        // A default stream has one handle in every context, and is that of the current one.
        stream.context().bind_to_thread()?;
        // SAFETY: both are alive.
        unsafe { sys::cuEventRecord(self.event, stream.cu_stream()) }.result()
    }

    /// Waits until the device has passed the mark.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the event is alive.
        unsafe { sys::cuEventSynchronize(self.event) }.result()
    }

    /// Whether the device has passed the mark.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports; not being ready is not an error.
    pub fn query(&self) -> Result<bool, DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the event is alive.
        match unsafe { sys::cuEventQuery(self.event) } {
            sys::cudaError_enum_CUDA_ERROR_NOT_READY => Ok(false),
            code => code.result().map(|()| true),
        }
    }

    /// The milliseconds from this mark to `end`; waits for both.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports: both events must carry timing.
    pub fn elapsed_ms(&self, end: &Self) -> Result<f32, DriverError> {
        self.synchronize()?;
        end.synchronize()?;
        // SAFETY: the driver stores a float.
        let elapsed = unsafe { error::output(|milliseconds| sys::checked::cuEventElapsedTime(milliseconds, self.event, end.event)) };
        Ok(elapsed.map_err(|failure| match failure.code() {
            sys::cudaError_enum_CUDA_ERROR_INVALID_HANDLE => failure.because(Cause::EventWithoutTiming),
            _ => failure,
        })?)
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and destroyed only here; the driver waits until it is passed.
        self.context.release(|| unsafe { sys::checked::cuEventDestroy_v2(self.event) });
    }
}
