//! The interface that programs are written against: each line compiles only while the signature is what it was.

#![expect(clippy::type_complexity, reason = "a signature is as long as it is")]

use std::{
    ffi::{CStr, c_uint, c_void},
    marker::PhantomData,
    mem::MaybeUninit,
    num::Wrapping,
    sync::Arc,
};

use cuda_core::{
    ConstantHandle, CudaContext, CudaEvent, CudaFunction, CudaModule, CudaStream, DeviceBuffer, DeviceCopy, DriverError, IntoResult,
    PinnedHostBuffer, SyncPolicy, init, memory, peer, sys, vmm,
};

type R<T> = Result<T, DriverError>;
type P = sys::CUdeviceptr;

macro_rules! signatures {
    ($($item:path: $type:ty;)*) => {
        const _: () = {
            $(let _: $type = $item;)*
        };
    };
}

signatures! {
    DriverError::is_unsupported_ptx_version: fn(&DriverError) -> bool;
    init: unsafe fn(c_uint) -> R<()>;
    CudaContext::new: fn(usize) -> R<Arc<CudaContext>>;
    CudaContext::ordinal: fn(&CudaContext) -> usize;
    CudaContext::cu_device: fn(&CudaContext) -> sys::CUdevice;
    CudaContext::cu_ctx: fn(&CudaContext) -> sys::CUcontext;
    CudaContext::bind_to_thread: fn(&CudaContext) -> R<()>;
    CudaContext::synchronize: fn(&CudaContext) -> R<()>;
    CudaContext::default_stream: fn(&Arc<CudaContext>) -> Arc<CudaStream>;
    CudaContext::new_stream: fn(&Arc<CudaContext>) -> R<Arc<CudaStream>>;
    CudaContext::new_event: fn(&Arc<CudaContext>, Option<sys::CUevent_flags>) -> R<CudaEvent>;
    CudaContext::load_module_from_ptx_src: fn(&Arc<CudaContext>, &str) -> R<Arc<CudaModule>>;
    CudaContext::load_module_from_image: fn(&Arc<CudaContext>, &[u8]) -> R<Arc<CudaModule>>;
    CudaContext::load_module_from_file: fn(&Arc<CudaContext>, &str) -> R<Arc<CudaModule>>;
    CudaContext::device_name: fn(&CudaContext) -> R<String>;
    CudaContext::compute_capability: fn(&CudaContext) -> R<(i32, i32)>;
    CudaContext::launch_limits: fn(&CudaContext) -> R<cuda_core::DeviceLaunchLimits>;
    CudaContext::max_opt_in_shared_memory_per_block: fn(&CudaContext) -> R<u32>;
    CudaContext::multiprocessor_count: fn(&CudaContext) -> R<u32>;
    CudaContext::max_threads_per_multiprocessor: fn(&CudaContext) -> R<u32>;
    CudaContext::supports_cooperative_launch: fn(&CudaContext) -> R<bool>;
    CudaContext::supports_cluster_launch: fn(&CudaContext) -> R<bool>;
    CudaContext::stack_size: fn(&CudaContext) -> R<usize>;
    CudaContext::set_stack_size: fn(&CudaContext, usize) -> R<()>;
    CudaContext::set_sync_policy: fn(&CudaContext, SyncPolicy) -> R<()>;
    CudaContext::sync_policy: fn(&CudaContext) -> R<Option<SyncPolicy>>;
    CudaContext::check_err: fn(&CudaContext) -> R<()>;
    CudaContext::record_err::<u8>: fn(&CudaContext, R<u8>);
    CudaStream::cu_stream: fn(&CudaStream) -> sys::CUstream;
    CudaStream::context: fn(&CudaStream) -> &Arc<CudaContext>;
    CudaStream::synchronize: fn(&CudaStream) -> R<()>;
    CudaStream::fork: fn(&CudaStream) -> R<Arc<CudaStream>>;
    CudaStream::join: fn(&CudaStream, &CudaStream) -> R<()>;
    CudaStream::record_event: fn(&CudaStream, Option<sys::CUevent_flags>) -> R<CudaEvent>;
    CudaStream::wait: fn(&CudaStream, &CudaEvent) -> R<()>;
    CudaStream::launch_host_function::<fn()>: fn(&CudaStream, fn()) -> R<()>;
    CudaEvent::cu_event: fn(&CudaEvent) -> sys::CUevent;
    CudaEvent::context: fn(&CudaEvent) -> &Arc<CudaContext>;
    CudaEvent::record: fn(&CudaEvent, &CudaStream) -> R<()>;
    CudaEvent::synchronize: fn(&CudaEvent) -> R<()>;
    CudaEvent::query: fn(&CudaEvent) -> R<bool>;
    CudaEvent::elapsed_ms: fn(&CudaEvent, &CudaEvent) -> R<f32>;
    DeviceBuffer::<u8>::cu_deviceptr: fn(&DeviceBuffer<u8>) -> P;
    DeviceBuffer::<u8>::num_bytes: fn(&DeviceBuffer<u8>) -> usize;
    DeviceBuffer::<u8>::context: fn(&DeviceBuffer<u8>) -> &Arc<CudaContext>;
    DeviceBuffer::<String>::from_raw_parts: unsafe fn(P, usize, Arc<CudaContext>) -> DeviceBuffer<String>;
    DeviceBuffer::<String>::into_raw_parts: fn(DeviceBuffer<String>) -> (P, usize, Arc<CudaContext>);
    DeviceBuffer::<u8>::cast_elem::<i8>: fn(DeviceBuffer<u8>) -> DeviceBuffer<i8>;
    DeviceBuffer::<u8>::cast_chunks::<u32>: fn(DeviceBuffer<u8>) -> Result<DeviceBuffer<u32>, DeviceBuffer<u8>>;
    DeviceBuffer::<u8>::can_cast_chunks::<u32>: fn(&DeviceBuffer<u8>) -> bool;
    DeviceBuffer::<u8>::from_host: fn(&CudaStream, &[u8]) -> R<DeviceBuffer<u8>>;
    DeviceBuffer::<u8>::zeroed: fn(&CudaStream, usize) -> R<DeviceBuffer<u8>>;
    DeviceBuffer::<u8>::from_host_async_unchecked: unsafe fn(&CudaStream, &[u8]) -> R<DeviceBuffer<u8>>;
    DeviceBuffer::<u8>::from_pinned_host: unsafe fn(&CudaStream, &PinnedHostBuffer<u8>) -> R<DeviceBuffer<u8>>;
    DeviceBuffer::<u8>::uninitialized_async: unsafe fn(&Arc<CudaStream>, usize) -> R<DeviceBuffer<u8>>;
    DeviceBuffer::<u8>::to_host_vec: fn(&DeviceBuffer<u8>, &CudaStream) -> R<Vec<u8>>;
    DeviceBuffer::<u8>::copy_to_host: fn(&DeviceBuffer<u8>, &CudaStream, &mut [u8]) -> R<()>;
    DeviceBuffer::<u8>::copy_from_host: fn(&mut DeviceBuffer<u8>, &CudaStream, &[u8]) -> R<()>;
    DeviceBuffer::<u8>::copy_from_host_async_unchecked: unsafe fn(&mut DeviceBuffer<u8>, &CudaStream, &[u8]) -> R<()>;
    DeviceBuffer::<u8>::copy_from_device_async: fn(&mut DeviceBuffer<u8>, &DeviceBuffer<u8>, &CudaStream) -> R<()>;
    DeviceBuffer::<u8>::copy_to_pinned_host: fn(&DeviceBuffer<u8>, &CudaStream, &mut PinnedHostBuffer<u8>) -> R<()>;
    DeviceBuffer::<u8>::copy_to_pinned_host_async: unsafe fn(&DeviceBuffer<u8>, &CudaStream, &mut PinnedHostBuffer<u8>) -> R<()>;
    DeviceBuffer::<u8>::copy_from_pinned_host_async: unsafe fn(&mut DeviceBuffer<u8>, &CudaStream, &PinnedHostBuffer<u8>) -> R<()>;
    DeviceBuffer::<u8>::zero_async: fn(&mut DeviceBuffer<u8>, &CudaStream) -> R<()>;
    DeviceBuffer::<u8>::drop_async: unsafe fn(DeviceBuffer<u8>, &CudaStream) -> R<()>;
    PinnedHostBuffer::<u8>::zeroed: fn(&Arc<CudaContext>, usize) -> R<PinnedHostBuffer<u8>>;
    PinnedHostBuffer::<u8>::from_slice: fn(&Arc<CudaContext>, &[u8]) -> R<PinnedHostBuffer<u8>>;
    PinnedHostBuffer::<u8>::as_ptr: fn(&PinnedHostBuffer<u8>) -> *const u8;
    PinnedHostBuffer::<u8>::as_mut_ptr: fn(&mut PinnedHostBuffer<u8>) -> *mut u8;
    PinnedHostBuffer::<u8>::as_slice: fn(&PinnedHostBuffer<u8>) -> &[u8];
    PinnedHostBuffer::<u8>::as_mut_slice: fn(&mut PinnedHostBuffer<u8>) -> &mut [u8];
    memory::malloc_async: unsafe fn(sys::CUstream, usize) -> R<P>;
    memory::free_async: unsafe fn(P, sys::CUstream) -> R<()>;
    memory::malloc_sync: unsafe fn(usize) -> R<P>;
    memory::free_sync: unsafe fn(P) -> R<()>;
    memory::memcpy_htod_async::<u8>: unsafe fn(P, *const u8, usize, sys::CUstream) -> R<()>;
    memory::memcpy_htod_sync::<u8>: unsafe fn(P, *const u8, usize) -> R<()>;
    memory::memcpy_dtoh_async::<u8>: unsafe fn(*mut u8, P, usize, sys::CUstream) -> R<()>;
    memory::memcpy_dtod_async: unsafe fn(P, P, usize, sys::CUstream) -> R<()>;
    memory::memset_d8_async: unsafe fn(P, u8, usize, sys::CUstream) -> R<()>;
    memory::malloc_host: unsafe fn(usize) -> R<*mut c_void>;
    memory::free_host: unsafe fn(*mut c_void) -> R<()>;
    CudaModule::context: fn(&CudaModule) -> &Arc<CudaContext>;
    CudaModule::cu_module: unsafe fn(&CudaModule) -> sys::CUmodule;
    CudaModule::load_function: fn(&Arc<CudaModule>, &str) -> R<CudaFunction>;
    CudaModule::get_global: fn(&Arc<CudaModule>, &str) -> R<(P, usize)>;
    CudaModule::copy_bytes_to_device_global_sync: unsafe fn(&Arc<CudaModule>, P, *const u8, usize) -> R<()>;
    ConstantHandle::from_raw: unsafe fn(P) -> ConstantHandle;
    ConstantHandle::write_async: unsafe fn(&ConstantHandle, &CudaStream, *const u8, usize) -> R<()>;
    ConstantHandle::write_async_staged: fn(&ConstantHandle, &CudaStream, Box<[MaybeUninit<u8>]>) -> R<()>;
    ConstantHandle::write_blocking: unsafe fn(&ConstantHandle, &Arc<CudaModule>, *const u8, usize) -> R<()>;
    peer::can_access_peer: fn(&CudaContext, &CudaContext) -> R<bool>;
    peer::enable_peer_access: fn(&Arc<CudaContext>, &Arc<CudaContext>) -> R<()>;
    peer::disable_peer_access: fn(&Arc<CudaContext>, &Arc<CudaContext>) -> R<()>;
    vmm::PhysicalAllocation::new: fn(sys::CUdevice, usize) -> R<vmm::PhysicalAllocation>;
    vmm::VirtualReservation::new: fn(usize, usize) -> R<vmm::VirtualReservation>;
    vmm::Mapping::new: fn(P, usize, &vmm::PhysicalAllocation, usize) -> R<vmm::Mapping>;
    vmm::Mapping::new_multicast: fn(P, usize, &vmm::MulticastObject, usize) -> R<vmm::Mapping>;
    vmm::set_access: fn(P, usize, &[sys::CUdevice]) -> R<()>;
    vmm::allocation_granularity: fn(sys::CUdevice) -> R<usize>;
    vmm::align_size: fn(usize, usize) -> usize;
    vmm::multicast_supported: fn(sys::CUdevice) -> R<bool>;
    vmm::multicast_granularity: fn(u32, usize, vmm::MulticastGranularity) -> R<usize>;
    vmm::MulticastObject::new: fn(u32, usize) -> R<vmm::MulticastObject>;
    vmm::MulticastObject::add_device: fn(&vmm::MulticastObject, sys::CUdevice) -> R<()>;
    vmm::MulticastObject::bind_mem:
        fn(&vmm::MulticastObject, usize, &vmm::PhysicalAllocation, usize, usize) -> R<vmm::MulticastBinding>;
}

#[test]
fn what_crosses_the_bus() {
    fn copied<T: DeviceCopy>() {}
    copied::<((), u128, usize, f32, f64, half::f16, half::bf16, *const u8)>();
    copied::<([i8; 3], *mut u8, PhantomData<String>, MaybeUninit<u16>, Wrapping<i64>)>();
}

#[test]
fn what_threads_share() {
    fn shared<T: Send + Sync>() {}
    shared::<(CudaContext, CudaStream, CudaEvent, CudaModule, CudaFunction)>();
    shared::<(DeviceBuffer<u8>, PinnedHostBuffer<u8>, cuda_core::CudaMemoryPool)>();
    fn sent<T: Send>() {}
    sent::<(cuda_core::CudaGraph, cuda_core::CudaGraphExec)>();
}

#[test]
fn results_of_raw_calls() {
    assert_eq!(IntoResult::<()>::result(sys::cudaError_enum_CUDA_SUCCESS), Ok(()));
    assert_eq!(IntoResult::<()>::result(sys::cudaError_enum_CUDA_ERROR_INVALID_PTX), Err(DriverError(218)));
    assert_eq!((sys::cudaError_enum_CUDA_SUCCESS, MaybeUninit::new(7)).result(), Ok(7));
    let text: Result<&CStr, DriverError> = DriverError(1).error_name();
    let _ = text;
}
