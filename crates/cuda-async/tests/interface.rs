//! The interface that programs are written against: each line compiles only while the signature is what it was.

#![expect(clippy::type_complexity, reason = "a signature is as long as it is")]

use std::{
    future::{Future, IntoFuture},
    sync::Arc,
};

use cuda_async::{
    DeviceOperation,
    device_box::{DeviceBox, DevicePointer},
    device_context::{self, AsyncDeviceContext, FunctionKey},
    device_future::DeviceFuture,
    device_operation::{
        self, AndThen, DeviceOperationArc, Empty, ExecutionContext, IntoDeviceOperation, Unzippable2, Value, Zippable, value, with_context,
    },
    error::{self, DeviceError},
    futures,
    launch::{AsyncKernelLaunch, AsyncKernelLaunchBuilder, KernelArgument, OwnedAsyncKernelLaunch},
    reclaim,
    scheduling_policies::{GlobalSchedulingPolicy, SchedulingPolicy, SingleStream, StreamPoolRoundRobin},
};
use cuda_core::{CudaContext, CudaFunction, CudaModule, CudaStream, DriverError, LaunchConfig, sys::CUdeviceptr};

type R<T> = Result<T, DeviceError>;
type Number = Value<u32>;
type Next = fn(u32) -> Number;

macro_rules! signatures {
    ($($item:path: $type:ty;)*) => {
        const _: () = {
            $(let _: $type = $item;)*
        };
    };
}

signatures! {
    ExecutionContext::new: fn(Arc<CudaStream>) -> ExecutionContext;
    ExecutionContext::get_cuda_stream: fn(&ExecutionContext) -> &Arc<CudaStream>;
    ExecutionContext::get_cuda_context: fn(&ExecutionContext) -> &Arc<CudaContext>;
    ExecutionContext::get_device_id: fn(&ExecutionContext) -> usize;
    value::<u32>: fn(u32) -> Number;
    device_operation::empty::<u32, Number, fn() -> Number>: fn(fn() -> Number) -> Empty<u32, Number, fn() -> Number>;
    IntoDeviceOperation::device_operation: fn(u32) -> Number;
    DeviceOperation::execute: unsafe fn(Number, &ExecutionContext) -> R<u32>;
    DeviceOperation::and_then: fn(Number, Next) -> AndThen<Number, Number, Next>;
    DeviceOperation::apply: fn(Number, Next) -> AndThen<Number, Number, Next>;
    DeviceOperation::arc: fn(Number) -> DeviceOperationArc<Number>;
    DeviceOperation::schedule: fn(Number, &SingleStream) -> R<DeviceFuture<u32, Number>>;
    DeviceOperation::sync: fn(Number) -> R<u32>;
    DeviceOperation::sync_on: fn(Number, &Arc<CudaStream>) -> R<u32>;
    DeviceOperation::async_on: unsafe fn(Number, &Arc<CudaStream>) -> R<u32>;
    DeviceFuture::<u32, Number>::failed: fn(DeviceError) -> DeviceFuture<u32, Number>;
    reclaim::pending: fn() -> usize;
    reclaim::sweep: fn() -> usize;
    reclaim::drain: fn() -> usize;
    StreamPoolRoundRobin::new: unsafe fn(usize, usize) -> StreamPoolRoundRobin;
    SingleStream::new: unsafe fn() -> SingleStream;
    SchedulingPolicy::init: fn(&mut SingleStream, &Arc<CudaContext>) -> R<()>;
    SchedulingPolicy::schedule::<u32, Number>: fn(&SingleStream, Number) -> R<DeviceFuture<u32, Number>>;
    SchedulingPolicy::sync::<u32, Number>: fn(&SingleStream, Number) -> R<u32>;
    device_context::DEFAULT_DEVICE_ID: usize;
    device_context::DEFAULT_NUM_DEVICES: usize;
    device_context::DEFAULT_ROUND_ROBIN_STREAM_POOL_SIZE: usize;
    device_context::init_device_contexts: fn(usize, usize) -> R<()>;
    device_context::get_default_device: fn() -> usize;
    device_context::set_default_device: fn(usize);
    device_context::new_device_context: fn(usize, GlobalSchedulingPolicy) -> R<AsyncDeviceContext>;
    device_context::with_default_device_policy::<fn(&Arc<GlobalSchedulingPolicy>) -> u8, u8>:
        fn(fn(&Arc<GlobalSchedulingPolicy>) -> u8) -> R<u8>;
    device_context::with_cuda_context::<fn(&Arc<CudaContext>) -> u8, u8>: fn(usize, fn(&Arc<CudaContext>) -> u8) -> R<u8>;
    device_context::with_deallocator_stream::<fn(&Arc<CudaStream>) -> u8, u8>: unsafe fn(usize, fn(&Arc<CudaStream>) -> u8) -> R<u8>;
    device_context::load_module_from_file: fn(&str, usize) -> R<Arc<CudaModule>>;
    device_context::load_module_from_ptx: fn(&str, usize) -> R<Arc<CudaModule>>;
    DeviceBox::<[u8]>::from_raw_parts: unsafe fn(CUdeviceptr, usize, usize) -> DeviceBox<[u8]>;
    DeviceBox::<[u8]>::len: fn(&DeviceBox<[u8]>) -> usize;
    DeviceBox::<[u8]>::is_empty: fn(&DeviceBox<[u8]>) -> bool;
    DeviceBox::<[u8]>::cu_deviceptr: fn(&DeviceBox<[u8]>) -> CUdeviceptr;
    DeviceBox::<[u8]>::device_id: fn(&DeviceBox<[u8]>) -> usize;
    DeviceBox::<[u8]>::device_pointer: fn(&DeviceBox<[u8]>) -> DevicePointer<u8>;
    DevicePointer::<u8>::cu_deviceptr: fn(&DevicePointer<u8>) -> CUdeviceptr;
    AsyncKernelLaunchBuilder::<'static>::new: fn(Arc<CudaFunction>) -> AsyncKernelLaunchBuilder<'static>;
    AsyncKernelLaunchBuilder::<'static>::finalize_unchecked:
        unsafe fn(AsyncKernelLaunchBuilder<'static>, LaunchConfig) -> AsyncKernelLaunch<'static>;
    OwnedAsyncKernelLaunch::<String>::new: fn(AsyncKernelLaunch<'static>, String) -> OwnedAsyncKernelLaunch<String>;
    KernelArgument::push_arg: fn(u32, &mut AsyncKernelLaunchBuilder<'_>);
    error::kernel_launch_assert: fn(bool, &str) -> R<()>;
    error::device_assert: fn(usize, bool, &str) -> R<()>;
    error::device_error: fn(usize, &str) -> DeviceError;
}

/// Never called: what is generic over a borrow, or gives a type without a name, has no signature to write down.
#[expect(dead_code)]
fn calls(
    mut builder: AsyncKernelLaunchBuilder<'_>,
    pointer: DevicePointer<u8>,
    key: &impl FunctionKey,
    kernel: (Arc<CudaModule>, Arc<CudaFunction>),
    policy: &GlobalSchedulingPolicy,
) -> R<Arc<CudaFunction>> {
    let _: &mut AsyncKernelLaunchBuilder<'_> = builder.push_scalar_arg([1u8; 3]).push_arg(pointer).push_arg(Box::new(1.0f32));
    builder.push_args((1u8, 2i64, true, 4.0f64)).set_cluster_dim((2, 1, 1)).set_cooperative(true);
    fn gives<T: Send + 'static>(_: impl DeviceOperation<Output = T>) {}
    gives::<u32>(with_context(|_: &ExecutionContext| value(1)));
    gives::<u32>(value(1).and_then_with_context(|_: &ExecutionContext, number| value(number)));
    gives::<(u8, u16)>((value(1), value(2)).zip());
    gives::<(u8, u16, u32)>((value(1), value(2), value(3)).zip());
    gives::<(u8, u16)>(cuda_async::zip!(value(1), value(2)));
    gives::<u8>(device_operation::zip!(value(1)));
    let (first, second) = value((1u8, 2u16)).unzip();
    gives::<u8>(first);
    gives::<u16>(second);
    let (first, _) = device_operation::unzip!(value((1u8, 2u16)));
    gives::<u8>(first);
    let _: Option<Arc<CudaStream>> = unsafe_stream().stream;
    let _: &GlobalSchedulingPolicy = policy;
    let _ = policy.as_scheduling_policy().sync(value(1));
    let text: String = key.get_hash_string();
    assert!(!text.is_empty());
    let _: R<()> = device_context::insert_cuda_function(0, key, kernel);
    device_context::get_cuda_function(0, key)
}

fn unsafe_stream() -> SingleStream {
    // SAFETY: nothing runs on it.
    unsafe { SingleStream::new() }
}

#[test]
fn what_types_are() {
    fn shared<T: Send + Sync>() {}
    shared::<DeviceBox<[u8]>>();
    fn sent<T: Send>() {}
    sent::<AsyncKernelLaunch<'_>>();
    fn polled<T: Future<Output = R<u32>> + Unpin + Default>() {}
    polled::<DeviceFuture<u32, Number>>();
    fn awaited<T: IntoFuture<Output = R<u32>>>() {}
    awaited::<Number>();
    fn operation<T: DeviceOperation<Output = O>, O: Send + 'static>() {}
    operation::<AsyncKernelLaunch<'_>, ()>();
    operation::<OwnedAsyncKernelLaunch<String>, String>();
    operation::<DeviceOperationArc<Number>, Arc<u32>>();
    fn policy<T: SchedulingPolicy>() {}
    policy::<StreamPoolRoundRobin>();
    policy::<GlobalSchedulingPolicy>();
    policy::<Arc<GlobalSchedulingPolicy>>();
    let _: fn(StreamPoolRoundRobin) -> GlobalSchedulingPolicy = GlobalSchedulingPolicy::RoundRobin;
    let _: fn(futures::future::Ready<u8>) = drop;
    let defaults =
        (device_context::DEFAULT_DEVICE_ID, device_context::DEFAULT_NUM_DEVICES, device_context::DEFAULT_ROUND_ROBIN_STREAM_POOL_SIZE);
    assert_eq!(defaults, (0, 1, 4));
}

#[test]
fn errors() {
    fn told<T: std::error::Error + Clone + Eq + From<DriverError> + From<anyhow::Error>>() {}
    told::<DeviceError>();
    let text = || "text".to_owned();
    let errors = [
        DeviceError::Driver(DriverError(1)),
        DeviceError::Context { device_id: 0, message: text() },
        DeviceError::KernelCache(text()),
        DeviceError::Scheduling(text()),
        DeviceError::Launch(text()),
        DeviceError::Internal(text()),
        DeviceError::Anyhow(text()),
    ];
    assert_eq!(DeviceError::from(DriverError(1)), errors[0]);
    assert_eq!(error::device_error(0, "text"), errors[1]);
}
