//! Which stream an operation gets.
//!
//! Operations that are not chained may get different streams, with no order between them: of two that are awaited one after the other, the
//! second one comes later only because the first one is complete.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use cuda_core::{CudaContext, CudaStream};

use crate::{
    device_future::DeviceFuture,
    device_operation::DeviceOperation,
    error::{DeviceError, device_assert, device_error},
};

/// A choice of streams.
pub trait SchedulingPolicy: Sync {
    /// Makes the streams, on the context's device.
    ///
    /// # Errors
    ///
    /// What the driver reports, or `Context` where the policy is for another device.
    fn init(&mut self, ctx: &Arc<CudaContext>) -> Result<(), DeviceError>;

    /// A future of the operation, on a stream chosen now.
    ///
    /// # Errors
    ///
    /// `Context` where there are no streams.
    fn schedule<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<DeviceFuture<T, O>, DeviceError>;

    /// Runs the operation on a stream, and waits for it.
    ///
    /// # Errors
    ///
    /// `Context` where there are no streams, else what the operation or waiting for it reports.
    fn sync<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<T, DeviceError>;
}

/// Several streams of a device, of which each operation gets the next one.
#[derive(Debug)]
pub struct StreamPoolRoundRobin {
    device_id: usize,
    num_streams: usize,
    /// Empty before `init`.
    streams: Vec<Arc<CudaStream>>,
    next: AtomicUsize,
}

impl StreamPoolRoundRobin {
    /// A pool of `num_streams` streams, which `init` makes. None is ordered against another or against the default stream.
    ///
    /// # Safety
    ///
    /// Operations that use the same memory are chained, or awaited one after the other.
    pub unsafe fn new(device_id: usize, num_streams: usize) -> Self {
        Self { device_id, num_streams, streams: Vec::new(), next: AtomicUsize::new(0) }
    }

    fn next_stream(&self) -> Result<&Arc<CudaStream>, DeviceError> {
        let count = self.streams.len();
        device_assert(self.device_id, count != 0, "the stream pool is used before its `init`")?;
        Ok(&self.streams[self.next.fetch_add(1, Ordering::Relaxed) % count])
    }
}

impl SchedulingPolicy for StreamPoolRoundRobin {
    fn init(&mut self, ctx: &Arc<CudaContext>) -> Result<(), DeviceError> {
        let device = self.device_id;
        if ctx.ordinal() != device {
            return Err(device_error(device, &format!("got a context of device {}, expected one of device {device}", ctx.ordinal())));
        }
        device_assert(device, self.num_streams != 0, "a stream pool needs at least one stream")?;
        self.streams = (0..self.num_streams).map(|_| ctx.new_stream()).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn schedule<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<DeviceFuture<T, O>, DeviceError> {
        Ok(DeviceFuture::new(op, self.next_stream()?.clone()))
    }

    fn sync<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<T, DeviceError> {
        op.sync_on(self.next_stream()?)
    }
}

/// One stream for all operations.
#[derive(Debug)]
pub struct SingleStream {
    /// `None` before `init`.
    pub stream: Option<Arc<CudaStream>>,
}

impl SingleStream {
    /// A policy whose stream `init` makes. It is not ordered against the default stream.
    ///
    /// # Safety
    ///
    /// As for [`StreamPoolRoundRobin::new`], where another stream uses the same memory.
    pub unsafe fn new() -> Self {
        Self { stream: None }
    }

    fn stream(&self) -> &Arc<CudaStream> {
        self.stream.as_ref().expect("a `SingleStream` is used before its `init`")
    }
}

/// # Panics
///
/// Where it is used before `init`.
impl SchedulingPolicy for SingleStream {
    fn init(&mut self, ctx: &Arc<CudaContext>) -> Result<(), DeviceError> {
        self.stream = Some(ctx.new_stream()?);
        Ok(())
    }

    fn schedule<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<DeviceFuture<T, O>, DeviceError> {
        Ok(DeviceFuture::new(op, self.stream().clone()))
    }

    fn sync<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<T, DeviceError> {
        op.sync_on(self.stream())
    }
}

/// The policy of a device context.
#[derive(Debug)]
pub enum GlobalSchedulingPolicy {
    /// A pool of streams.
    RoundRobin(StreamPoolRoundRobin),
}

impl GlobalSchedulingPolicy {
    /// The policy itself.
    pub fn as_scheduling_policy(&self) -> &impl SchedulingPolicy {
        let Self::RoundRobin(pool) = self;
        pool
    }
}

impl SchedulingPolicy for GlobalSchedulingPolicy {
    fn init(&mut self, ctx: &Arc<CudaContext>) -> Result<(), DeviceError> {
        let Self::RoundRobin(pool) = self;
        pool.init(ctx)
    }

    fn schedule<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<DeviceFuture<T, O>, DeviceError> {
        self.as_scheduling_policy().schedule(op)
    }

    fn sync<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<T, DeviceError> {
        self.as_scheduling_policy().sync(op)
    }
}

impl SchedulingPolicy for Arc<GlobalSchedulingPolicy> {
    /// Fails with `Scheduling` where the policy is shared already.
    fn init(&mut self, ctx: &Arc<CudaContext>) -> Result<(), DeviceError> {
        match Arc::get_mut(self) {
            Some(policy) => policy.init(ctx),
            None => Err(DeviceError::Scheduling("the policy is shared before its `init`".into())),
        }
    }

    fn schedule<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<DeviceFuture<T, O>, DeviceError> {
        (**self).schedule(op)
    }

    fn sync<T: Send, O: DeviceOperation<Output = T>>(&self, op: O) -> Result<T, DeviceError> {
        (**self).sync(op)
    }
}
