//! Launches as operations.

use std::{fmt, marker::PhantomData, sync::Arc};

use cuda_async::{
    device_context,
    device_future::DeviceFuture,
    device_operation::{DeviceOperation, ExecutionContext},
    error::DeviceError,
    launch::{AsyncKernelLaunch, AsyncKernelLaunchBuilder, OwnedAsyncKernelLaunch},
};
use cuda_core::{CudaContext, DriverError, KernelLaunchContract, PreparedLaunch};

use crate::{
    EmbeddedModuleError, KernelSliceArg, KernelSliceArgMut, RowWidth, RowWidthOwned,
    launch::{Borrowed, DisjointParameter, DisjointRowsParameter, Kernel, Rows, Shape, Slice, Value, Word, slice_of},
};

/// An operation that launches a kernel in a shape prepared by its contract `C`. It borrows its buffers for `'a`, and has no result.
#[must_use = "an operation does nothing until it is awaited or synchronized"]
pub struct PreparedAsyncKernelLaunch<'a, C: KernelLaunchContract> {
    launch: AsyncKernelLaunch<'a>,
    contract: PhantomData<fn() -> C>,
}

/// An operation that launches a kernel in a shape prepared by its contract `C`. It owns its buffers, and returns them: `R`.
#[must_use = "an operation does nothing until it is awaited or synchronized"]
pub struct PreparedOwnedAsyncKernelLaunch<R: Send, C: KernelLaunchContract> {
    launch: OwnedAsyncKernelLaunch<R>,
    contract: PhantomData<fn() -> C>,
}

impl<'a, C: KernelLaunchContract> PreparedAsyncKernelLaunch<'a, C> {
    /// `launch` is of the function and the shape that were prepared.
    #[doc(hidden)]
    pub fn __new(launch: AsyncKernelLaunch<'a>, _prepared: &PreparedLaunch<C>) -> Self {
        Self { launch, contract: PhantomData }
    }
}

impl<R: Send, C: KernelLaunchContract> PreparedOwnedAsyncKernelLaunch<R, C> {
    /// `launch` is of the function and the shape that were prepared.
    #[doc(hidden)]
    pub fn __new(launch: OwnedAsyncKernelLaunch<R>, _prepared: &PreparedLaunch<C>) -> Self {
        Self { launch, contract: PhantomData }
    }
}

impl<C: KernelLaunchContract> fmt::Debug for PreparedAsyncKernelLaunch<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedAsyncKernelLaunch({:?})", C::SPEC.kernel_name())
    }
}

impl<R: Send, C: KernelLaunchContract> fmt::Debug for PreparedOwnedAsyncKernelLaunch<R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PreparedOwnedAsyncKernelLaunch({:?})", C::SPEC.kernel_name())
    }
}

/// A launch error where the stream is of another device than the function, and the driver's `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` where a buffer
/// is of one that the function's does not reach.
impl<C: KernelLaunchContract> DeviceOperation for PreparedAsyncKernelLaunch<'_, C> {
    type Output = ();

    unsafe fn execute(self, context: &ExecutionContext) -> Result<(), DeviceError> {
        // SAFETY: passed on.
        unsafe { self.launch.execute(context) }
    }
}

/// A launch error where the stream is of another device than the function, and the driver's `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` where a buffer
/// is of one that the function's does not reach.
impl<R: Send + 'static, C: KernelLaunchContract> DeviceOperation for PreparedOwnedAsyncKernelLaunch<R, C> {
    type Output = R;

    unsafe fn execute(self, context: &ExecutionContext) -> Result<R, DeviceError> {
        // SAFETY: passed on.
        unsafe { self.launch.execute(context) }
    }
}

impl<C: KernelLaunchContract> IntoFuture for PreparedAsyncKernelLaunch<'_, C> {
    type Output = Result<(), DeviceError>;
    type IntoFuture = DeviceFuture<(), Self>;

    fn into_future(self) -> Self::IntoFuture {
        schedule(self)
    }
}

impl<R: Send + 'static, C: KernelLaunchContract> IntoFuture for PreparedOwnedAsyncKernelLaunch<R, C> {
    type Output = Result<R, DeviceError>;
    type IntoFuture = DeviceFuture<R, Self>;

    fn into_future(self) -> Self::IntoFuture {
        schedule(self)
    }
}

/// By the default device's policy.
fn schedule<T: Send, O: DeviceOperation<Output = T>>(operation: O) -> DeviceFuture<T, O> {
    let scheduled = device_context::with_default_device_policy(|policy| operation.schedule(policy));
    scheduled.flatten().unwrap_or_else(DeviceFuture::failed)
}

/// A kernel with its arguments. No part of the interface.
#[doc(hidden)]
pub struct Builder<'a>(AsyncKernelLaunchBuilder<'a>);

#[doc(hidden)]
impl<'a> Builder<'a> {
    /// A kernel without arguments.
    pub fn new(kernel: Kernel) -> Self {
        Self(AsyncKernelLaunchBuilder::new(Arc::new(kernel.0)))
    }

    /// The next argument.
    pub fn push<A: OperationArgument + 'a>(&mut self, argument: A) {
        argument.push_to(&mut self.0);
    }

    /// Whether the kernel reaches the buffers; what it does not is an error when the operation is run.
    pub fn reach(&mut self, reached: Result<(), DriverError>) {
        self.0.__reach(reached);
    }

    /// Makes fewer arguments than the kernel has parameters an error when the operation is run.
    pub fn check_argument_count(&mut self) {
        self.0.__check_argument_count();
    }

    /// The launch.
    ///
    /// # Safety
    ///
    /// As for [`AsyncKernelLaunchBuilder::finalize_unchecked`].
    pub unsafe fn finish(mut self, shape: Shape) -> AsyncKernelLaunch<'a> {
        self.0.set_cooperative(shape.cooperative);
        if let Some(cluster) = shape.cluster {
            self.0.set_cluster_dim(cluster);
        }
        // SAFETY: passed on.
        unsafe { self.0.finalize_unchecked(shape.config) }
    }
}

/// An argument, copied into an operation as the parameters in the PTX that it stands for.
#[doc(hidden)]
pub trait OperationArgument {
    /// Adds each.
    fn push_to<'a>(self, builder: &mut AsyncKernelLaunchBuilder<'a>)
    where
        Self: 'a;
}

macro_rules! operation_arguments {
    ($([$($generics:tt)*] $argument:ty = |$this:ident| $($word:expr),+;)*) => {$(
        impl<$($generics)*> OperationArgument for $argument {
            fn push_to<'a>(self, builder: &mut AsyncKernelLaunchBuilder<'a>)
            where
                Self: 'a,
            {
                let $this = self;
                builder$(.push_scalar_arg($word))+;
            }
        }
    )*};
}

operation_arguments! {
    [T: Copy] Value<T> = |this| this.0;
    [T: Copy] Word<T> = |this| this.0;
    [] Slice = |this| this.address, this.length;
    [] Rows = |this| this.slice.address, this.slice.length, this.width;
}

impl OperationArgument for Borrowed<'_> {
    fn push_to<'a>(self, builder: &mut AsyncKernelLaunchBuilder<'a>)
    where
        Self: 'a,
    {
        builder.__reach(self.reached);
        self.slice.push_to(builder);
    }
}

/// A parameter `&[T]` or `&mut [T]`.
#[doc(hidden)]
pub fn slice<Buffer: KernelSliceArg>(buffer: &Buffer) -> Slice {
    slice_of(buffer)
}

/// A parameter `DisjointSlice<T, …>`.
#[doc(hidden)]
pub fn disjoint_slice<Buffer: KernelSliceArgMut, Parameter: DisjointParameter<Element = Buffer::Elem>>(buffer: &Buffer) -> Slice {
    slice_of(buffer)
}

/// A parameter `DisjointSlice<T, …>` of a space whose rows are as wide as the launch sets.
#[doc(hidden)]
pub fn rows<T, Parameter: DisjointRowsParameter<Element = T>>(rows: &RowWidth<'_, T>) -> Rows {
    Rows::new(slice_of(rows.buffer()), rows.width())
}

/// [`rows`] of an owned buffer.
#[doc(hidden)]
pub fn owned_rows<Buffer: KernelSliceArgMut, Parameter: DisjointRowsParameter<Element = Buffer::Elem>>(
    rows: &RowWidthOwned<Buffer>,
) -> Rows {
    Rows::new(slice_of(rows.buffer()), rows.width())
}

/// Loads a module in the context of a device that operations use on this thread.
///
/// # Errors
///
/// What the loader reports; all but the driver's errors by their text.
#[doc(hidden)]
pub fn load<T>(device_id: usize, loader: impl FnOnce(&Arc<CudaContext>) -> Result<T, EmbeddedModuleError>) -> Result<T, DeviceError> {
    device_context::with_cuda_context(device_id, loader)?.map_err(|error| match error {
        EmbeddedModuleError::Driver(error) => error.into(),
        error => DeviceError::Context { device_id, message: error.to_string() },
    })
}
