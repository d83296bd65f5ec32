//! Operations made of values, closures and other operations.

use std::{marker::PhantomData, sync::Arc};

use super::{DeviceOperation, ExecutionContext, awaitable};
use crate::error::DeviceError;

/// A value as an operation without device work.
#[derive(Clone, Copy, Debug)]
pub struct Value<T>(T);

/// An operation that returns `x` and does nothing on the device.
pub fn value<T: Send>(x: T) -> Value<T> {
    Value(x)
}

impl<T: Send + 'static> DeviceOperation for Value<T> {
    type Output = T;

    unsafe fn execute(self, _context: &ExecutionContext) -> Result<T, DeviceError> {
        Ok(self.0)
    }
}

/// A value that could not be had, or could, as an operation without device work.
#[derive(Clone, Debug)]
pub struct TryValue<T>(Result<T, DeviceError>);

/// An operation that returns the value or fails with the error, and does nothing on the device: how the closures of other operations fail.
pub fn try_value<T: Send>(x: Result<T, impl Into<DeviceError>>) -> TryValue<T> {
    TryValue(x.map_err(Into::into))
}

impl<T: Send + 'static> DeviceOperation for TryValue<T> {
    type Output = T;

    unsafe fn execute(self, _context: &ExecutionContext) -> Result<T, DeviceError> {
        self.0
    }
}

/// [`value`] as a method.
pub trait IntoDeviceOperation: Send + Sized {
    /// An operation that returns `self` and does nothing on the device.
    fn device_operation(self) -> Value<Self> {
        value(self)
    }
}

impl<T: Send> IntoDeviceOperation for T {}

/// A result that belongs to an operation without being held by it, so that the operation is `Send` whatever it is.
type Of<T> = PhantomData<fn() -> T>;

/// One operation, and the next one made of its result: [`DeviceOperation::and_then`].
pub struct AndThen<First, Next, F> {
    first: First,
    f: F,
    _next: Of<Next>,
}

impl<First, Next, F> AndThen<First, Next, F> {
    pub(super) fn new(first: First, f: F) -> Self {
        Self { first, f, _next: PhantomData }
    }
}

impl<First, Next, F> DeviceOperation for AndThen<First, Next, F>
where
    First: DeviceOperation,
    Next: DeviceOperation,
    F: FnOnce(<First as DeviceOperation>::Output) -> Next + Send,
{
    type Output = <Next as DeviceOperation>::Output;

    unsafe fn execute(self, context: &ExecutionContext) -> Result<<Self as DeviceOperation>::Output, DeviceError> {
        // SAFETY: the first result goes to work on the same stream; the rest is passed on.
        unsafe {
            let result = self.first.execute(context)?;
            (self.f)(result).execute(context)
        }
    }
}

/// An operation whose result can be shared: [`DeviceOperation::arc`].
pub struct DeviceOperationArc<DO> {
    operation: DO,
}

impl<DO> DeviceOperationArc<DO> {
    pub(super) fn new(operation: DO) -> Self {
        Self { operation }
    }
}

impl<DO> DeviceOperation for DeviceOperationArc<DO>
where
    DO: DeviceOperation,
    <DO as DeviceOperation>::Output: Sync,
{
    type Output = Arc<<DO as DeviceOperation>::Output>;

    unsafe fn execute(self, context: &ExecutionContext) -> Result<<Self as DeviceOperation>::Output, DeviceError> {
        // SAFETY: passed on.
        unsafe { self.operation.execute(context) }.map(Arc::new)
    }
}

/// An operation that is made when it runs: [`empty`].
pub struct Empty<O, DO, F> {
    closure: F,
    _operation: Of<(O, DO)>,
}

/// The operation that `closure` makes when this one runs.
pub fn empty<O, DO, F: FnOnce() -> DO>(closure: F) -> Empty<O, DO, F> {
    Empty { closure, _operation: PhantomData }
}

impl<O, DO, F> DeviceOperation for Empty<O, DO, F>
where
    O: Send + 'static,
    DO: DeviceOperation<Output = O>,
    F: FnOnce() -> DO + Send,
{
    type Output = O;

    unsafe fn execute(self, context: &ExecutionContext) -> Result<O, DeviceError> {
        // SAFETY: passed on.
        unsafe { (self.closure)().execute(context) }
    }
}

/// An operation that is made when it is known where it runs: [`with_context`].
pub struct WithContext<DO, F> {
    f: F,
    _operation: Of<DO>,
}

/// The operation that `f` makes, from the context that it runs in: the way to allocate and to copy on the right stream.
pub fn with_context<O, DO, F>(f: F) -> impl DeviceOperation<Output = O>
where
    O: Send + 'static,
    DO: DeviceOperation<Output = O>,
    F: FnOnce(&ExecutionContext) -> DO + Send,
{
    WithContext { f, _operation: PhantomData }
}

impl<DO, F> DeviceOperation for WithContext<DO, F>
where
    DO: DeviceOperation,
    F: FnOnce(&ExecutionContext) -> DO + Send,
{
    type Output = <DO as DeviceOperation>::Output;

    unsafe fn execute(self, context: &ExecutionContext) -> Result<<Self as DeviceOperation>::Output, DeviceError> {
        // SAFETY: passed on.
        unsafe { (self.f)(context).execute(context) }
    }
}

awaitable! {
    [T: Send + 'static] Value<T> => T;
    [T: Send + 'static] TryValue<T> => T;
    [First: DeviceOperation, Next: DeviceOperation, F: FnOnce(<First as DeviceOperation>::Output) -> Next + Send]
        AndThen<First, Next, F> => <Next as DeviceOperation>::Output;
    [DO: DeviceOperation<Output: Sync>] DeviceOperationArc<DO> => Arc<<DO as DeviceOperation>::Output>;
    [O: Send + 'static, DO: DeviceOperation<Output = O>, F: FnOnce() -> DO + Send] Empty<O, DO, F> => O;
    [DO: DeviceOperation, F: FnOnce(&ExecutionContext) -> DO + Send] WithContext<DO, F> => <DO as DeviceOperation>::Output;
}
