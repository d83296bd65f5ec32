//! Several operations as one, and one operation of a pair as two.

use std::sync::{Arc, Mutex, PoisonError};

use cuda_core::CudaStream;

use super::{DeviceOperation, ExecutionContext, awaitable};
use crate::{error::DeviceError, reclaim::Kept};

/// One operation of two or three, which run one after another on one stream.
#[macro_export]
macro_rules! zip {
    ($a:expr $(,)?) => {
        $a
    };
    ($a:expr, $b:expr $(,)?) => {
        $crate::device_operation::Zippable::zip(($a, $b))
    };
    ($a:expr, $b:expr, $c:expr $(,)?) => {
        $crate::device_operation::Zippable::zip(($a, $b, $c))
    };
}

/// Two operations of one that returns a pair: see [`Unzippable2`](crate::device_operation::Unzippable2).
#[macro_export]
macro_rules! unzip {
    ($operation:expr $(,)?) => {
        $crate::device_operation::Unzippable2::unzip($operation)
    };
}

/// A tuple of operations.
pub trait Zippable {
    /// The tuple of their results.
    type Output: Send + 'static;

    /// One operation, which runs them one after another on one stream.
    fn zip(self) -> impl DeviceOperation<Output = Self::Output>;
}

macro_rules! zippable {
    ($($zip:ident: $(($part:ident $field:tt))*;)*) => {$(
        /// Several operations as one: `zip!`.
        pub struct $zip<$($part),*>($($part),*);

        impl<$($part: DeviceOperation),*> DeviceOperation for $zip<$($part),*> {
            type Output = ($(<$part as DeviceOperation>::Output,)*);

            #[allow(non_snake_case, reason = "a result has the name of its part")]
            unsafe fn execute(self, context: &ExecutionContext) -> Result<<Self as DeviceOperation>::Output, DeviceError> {
                let stream = context.get_cuda_stream();
                $(
                    // SAFETY: passed on; where a later part fails, this one's result is not freed until the stream has passed its work.
                    let $part = Kept::new(unsafe { self.$field.execute(context) }?, stream);
                )*
                Ok(($($part.hand_on(),)*))
            }
        }

        impl<$($part: DeviceOperation),*> Zippable for ($($part,)*) {
            type Output = ($(<$part as DeviceOperation>::Output,)*);

            fn zip(self) -> impl DeviceOperation<Output = Self::Output> {
                $zip($(self.$field),*)
            }
        }
    )*};
}

zippable! {
    Zip2: (A 0) (B 1);
    Zip3: (A 0) (B 1) (C 2);
}

/// An operation that returns a pair.
pub trait Unzippable2<T0: Send + 'static, T1: Send + 'static>: DeviceOperation<Output = (T0, T1)> {
    /// An operation for each half. The operation runs once, when the first of the two runs. Both run on one stream; where they don't,
    /// the second one's stream waits for the first one's.
    fn unzip(self) -> (impl DeviceOperation<Output = T0>, impl DeviceOperation<Output = T1>) {
        let source = Arc::new(Mutex::new(Source::Waiting(self)));
        (UnzipFirst(source.clone()), UnzipSecond(source))
    }
}

impl<T0: Send + 'static, T1: Send + 'static, DO: DeviceOperation<Output = (T0, T1)>> Unzippable2<T0, T1> for DO {}

/// What the two halves share.
enum Source<DO, T0: Send + 'static, T1: Send + 'static> {
    Waiting(DO),
    Ran(Halves<T0, T1>),
    Failed(DeviceError),
}

/// The halves that have not been taken, and the stream that the operation is queued on.
struct Halves<T0: Send + 'static, T1: Send + 'static> {
    first: Option<Kept<T0>>,
    second: Option<Kept<T1>>,
    stream: Arc<CudaStream>,
}

impl<DO: DeviceOperation<Output = (T0, T1)>, T0: Send + 'static, T1: Send + 'static> Source<DO, T0, T1> {
    /// Runs the operation unless it has run, and takes a half of what it gave.
    ///
    /// # Safety
    ///
    /// As for [`DeviceOperation::execute`].
    unsafe fn take<T>(
        source: &Mutex<Self>,
        context: &ExecutionContext,
        half: impl FnOnce(&mut Halves<T0, T1>) -> Option<Kept<T>>,
    ) -> Result<T, DeviceError>
    where
        T: Send + 'static,
    {
        // A panic of the operation leaves `Failed` behind.
        let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
        let unfinished = Self::Failed(DeviceError::Internal("the operation whose result was to be unzipped panicked".into()));
        *source = match std::mem::replace(&mut *source, unfinished) {
            // SAFETY: passed on.
            Self::Waiting(operation) => match unsafe { operation.execute(context) } {
                Ok((first, second)) => {
                    let stream = context.get_cuda_stream();
                    let (first, second) = (Kept::new(first, stream), Kept::new(second, stream));
                    Self::Ran(Halves { first: Some(first), second: Some(second), stream: stream.clone() })
                }
                Err(error) => Self::Failed(error),
            },
            ran => ran,
        };
        match &mut *source {
            Self::Ran(halves) => {
                if halves.stream != *context.get_cuda_stream() {
                    context.get_cuda_stream().join(&halves.stream)?;
                }
                half(halves).map(Kept::hand_on).ok_or_else(|| DeviceError::Internal("a half of an unzipped operation ran twice".into()))
            }
            Self::Failed(error) => Err(error.clone()),
            Self::Waiting(_) => Err(DeviceError::Internal("an unzipped operation did not run".into())),
        }
    }
}

macro_rules! half {
    ($($half:ident: $output:ident $field:ident;)*) => {$(
        /// One half of an unzipped operation: `unzip!`.
        pub struct $half<DO, T0: Send + 'static, T1: Send + 'static>(Arc<Mutex<Source<DO, T0, T1>>>);

        impl<DO: DeviceOperation<Output = (T0, T1)>, T0: Send + 'static, T1: Send + 'static> DeviceOperation for $half<DO, T0, T1> {
            type Output = $output;

            unsafe fn execute(self, context: &ExecutionContext) -> Result<$output, DeviceError> {
                // SAFETY: passed on.
                unsafe { Source::take(&self.0, context, |halves| halves.$field.take()) }
            }
        }
    )*};
}

half! {
    UnzipFirst: T0 first;
    UnzipSecond: T1 second;
}

awaitable! {
    [A: DeviceOperation, B: DeviceOperation] Zip2<A, B> => (<A as DeviceOperation>::Output, <B as DeviceOperation>::Output);
    [A: DeviceOperation, B: DeviceOperation, C: DeviceOperation]
        Zip3<A, B, C> => (<A as DeviceOperation>::Output, <B as DeviceOperation>::Output, <C as DeviceOperation>::Output);
    [DO: DeviceOperation<Output = (T0, T1)>, T0: Send + 'static, T1: Send + 'static] UnzipFirst<DO, T0, T1> => T0;
    [DO: DeviceOperation<Output = (T0, T1)>, T0: Send + 'static, T1: Send + 'static] UnzipSecond<DO, T0, T1> => T1;
}
