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
    BlockRequirement, ConstantHandle, CudaContext, CudaEvent, CudaFunction, CudaModule, CudaStream, DeviceBuffer, DeviceCopy,
    DeviceLaunchLimits, DriverError, DynamicSharedMemoryRequirement, EmbeddedModule, EmbeddedModuleError, IntoResult, KernelLaunchConfig,
    KernelLaunchContract, LaunchAxis, LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchConfig3D, LaunchContractError,
    LaunchContractSpec, LaunchDimension, PinnedHostBuffer, PreparedLaunch, SyncPolicy,
    embedded::{self, ArtifactCompileOptions, ArtifactDebugPolicy, ArtifactPayloadKind, OwnedArtifactBundle},
    init,
    launch::CoordinateRequirement,
    launch_kernel, launch_kernel_cooperative, launch_kernel_cooperative_on_stream, launch_kernel_ex, launch_kernel_ex_cooperative,
    launch_kernel_ex_cooperative_on_stream, launch_kernel_ex_on_stream, launch_kernel_on_stream, memory, peer, sys, vmm,
};

type R<T> = Result<T, DriverError>;
type P = sys::CUdeviceptr;
type D3 = (u32, u32, u32);
type Parameters<'a> = &'a mut [*mut c_void];

/// The modules are public, and what is at the root is in them too.
#[expect(unused_imports, reason = "that they are there is the test")]
mod modules {
    use cuda_core::{
        context::{CudaContext, SyncPolicy},
        device_buffer::{DeviceBuffer, DeviceCopy},
        error::{DriverError, IntoResult},
        event::CudaEvent,
        launch::{LaunchConfig, PreparedLaunch},
        module::CudaModule,
        pinned_host_buffer::PinnedHostBuffer,
        stream::CudaStream,
    };
}

/// A kernel's marker, as the macros write it.
struct Kernel;

impl KernelLaunchContract for Kernel {
    type Config = LaunchConfig2D;
    const SPEC: LaunchContractSpec = LaunchContractSpec::new(
        "k",
        BlockRequirement::MaxThreads(64),
        DynamicSharedMemoryRequirement::Range { min_bytes: 0, max_bytes: 64, min_alignment: 16 },
    )
    .with_cluster((2, 1, 1))
    .with_cooperative()
    .with_min_compute_capability(9, 0)
    .with_u32_coordinates();
}

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
    CudaContext::launch_limits: fn(&CudaContext) -> R<DeviceLaunchLimits>;
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
    DeviceBuffer::<u8>::len: fn(&DeviceBuffer<u8>) -> usize;
    DeviceBuffer::<u8>::is_empty: fn(&DeviceBuffer<u8>) -> bool;
    PinnedHostBuffer::<u8>::len: fn(&PinnedHostBuffer<u8>) -> usize;
    PinnedHostBuffer::<u8>::is_empty: fn(&PinnedHostBuffer<u8>) -> bool;
    PinnedHostBuffer::<u8>::num_bytes: fn(&PinnedHostBuffer<u8>) -> usize;
    PinnedHostBuffer::<u8>::context: fn(&PinnedHostBuffer<u8>) -> &Arc<CudaContext>;
    CudaFunction::context: fn(&CudaFunction) -> &Arc<CudaContext>;
    CudaFunction::cu_function: unsafe fn(&CudaFunction) -> sys::CUfunction;
    CudaFunction::max_threads_per_block: fn(&CudaFunction) -> R<u32>;
    CudaFunction::static_shared_memory_bytes: fn(&CudaFunction) -> R<u32>;
    CudaFunction::max_dynamic_shared_memory_bytes: fn(&CudaFunction) -> R<u32>;
    CudaFunction::num_registers: fn(&CudaFunction) -> R<u32>;
    CudaFunction::local_size_bytes: fn(&CudaFunction) -> R<u32>;
    CudaFunction::const_size_bytes: fn(&CudaFunction) -> R<u32>;
    CudaFunction::required_cluster_dimensions: fn(&CudaFunction) -> R<Option<D3>>;
    CudaFunction::max_active_blocks_per_multiprocessor: fn(&CudaFunction, u32, u32) -> R<u32>;
    CudaFunction::max_potential_cluster_size: fn(&CudaFunction, D3, D3, u32) -> R<u32>;
    CudaFunction::max_active_clusters: fn(&CudaFunction, D3, D3, u32, D3) -> R<u32>;
    launch_kernel: unsafe fn(sys::CUfunction, D3, D3, u32, sys::CUstream, Parameters<'_>) -> R<()>;
    launch_kernel_on_stream: unsafe fn(&CudaFunction, D3, D3, u32, &CudaStream, Parameters<'_>) -> R<()>;
    launch_kernel_ex: unsafe fn(sys::CUfunction, D3, D3, u32, D3, sys::CUstream, Parameters<'_>) -> R<()>;
    launch_kernel_ex_on_stream: unsafe fn(&CudaFunction, D3, D3, u32, D3, &CudaStream, Parameters<'_>) -> R<()>;
    launch_kernel_cooperative: unsafe fn(sys::CUfunction, D3, D3, u32, sys::CUstream, Parameters<'_>) -> R<()>;
    launch_kernel_cooperative_on_stream: unsafe fn(&CudaFunction, D3, D3, u32, &CudaStream, Parameters<'_>) -> R<()>;
    launch_kernel_ex_cooperative: unsafe fn(sys::CUfunction, D3, D3, u32, D3, sys::CUstream, Parameters<'_>) -> R<()>;
    launch_kernel_ex_cooperative_on_stream: unsafe fn(&CudaFunction, D3, D3, u32, D3, &CudaStream, Parameters<'_>) -> R<()>;
    LaunchConfig::for_num_elems: fn(u32) -> LaunchConfig;
    LaunchConfig1D::new: fn(u32, u32, u32) -> LaunchConfig1D;
    LaunchConfig2D::new: fn((u32, u32), (u32, u32), u32) -> LaunchConfig2D;
    LaunchConfig3D::new: fn(D3, D3, u32) -> LaunchConfig3D;
    LaunchConfig1D::__raw: fn(LaunchConfig1D) -> LaunchConfig;
    LaunchContractSpec::new: fn(&'static str, BlockRequirement, DynamicSharedMemoryRequirement) -> LaunchContractSpec;
    LaunchContractSpec::kernel_name: fn(&LaunchContractSpec) -> &'static str;
    LaunchContractSpec::block: fn(&LaunchContractSpec) -> BlockRequirement;
    LaunchContractSpec::dynamic_shared_memory: fn(&LaunchContractSpec) -> DynamicSharedMemoryRequirement;
    LaunchContractSpec::cluster: fn(&LaunchContractSpec) -> Option<D3>;
    LaunchContractSpec::cooperative: fn(&LaunchContractSpec) -> bool;
    LaunchContractSpec::min_compute_capability: fn(&LaunchContractSpec) -> Option<(u32, u32)>;
    LaunchContractSpec::coordinates: fn(&LaunchContractSpec) -> CoordinateRequirement;
    DeviceLaunchLimits::max_threads_per_block: fn(&DeviceLaunchLimits) -> u32;
    DeviceLaunchLimits::max_block_dim: fn(&DeviceLaunchLimits) -> D3;
    DeviceLaunchLimits::max_grid_dim: fn(&DeviceLaunchLimits) -> D3;
    DeviceLaunchLimits::max_shared_memory_per_block: fn(&DeviceLaunchLimits) -> u32;
    PreparedLaunch::<Kernel>::__prepare: unsafe fn(CudaFunction, LaunchConfig2D) -> Result<PreparedLaunch<Kernel>, LaunchContractError>;
    PreparedLaunch::<Kernel>::function: fn(&PreparedLaunch<Kernel>) -> &CudaFunction;
    PreparedLaunch::<Kernel>::__raw_config: fn(&PreparedLaunch<Kernel>) -> LaunchConfig;
    PreparedLaunch::<Kernel>::validate_stream: fn(&PreparedLaunch<Kernel>, &CudaStream) -> Result<(), LaunchContractError>;
    EmbeddedModule::new: fn(OwnedArtifactBundle) -> Option<EmbeddedModule>;
    EmbeddedModule::name: fn(&EmbeddedModule) -> &str;
    EmbeddedModule::target: fn(&EmbeddedModule) -> &str;
    EmbeddedModule::bundle: fn(&EmbeddedModule) -> &OwnedArtifactBundle;
    EmbeddedModule::payload: fn(&EmbeddedModule, ArtifactPayloadKind) -> Option<&[u8]>;
    EmbeddedModule::load: fn(&EmbeddedModule, &Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError>;
    embedded::artifact_bundles_from_current_exe: fn() -> Result<Vec<OwnedArtifactBundle>, EmbeddedModuleError>;
    embedded::embedded_modules_from_current_exe: fn() -> Result<Vec<EmbeddedModule>, EmbeddedModuleError>;
    embedded::load_embedded_module: fn(&Arc<CudaContext>, &str) -> Result<Arc<CudaModule>, EmbeddedModuleError>;
    embedded::load_first_embedded_module: fn(&Arc<CudaContext>) -> Result<Arc<CudaModule>, EmbeddedModuleError>;
    peer::can_access_peer: fn(&CudaContext, &CudaContext) -> R<bool>;
    peer::enable_peer_access: fn(&Arc<CudaContext>, &Arc<CudaContext>) -> R<()>;
    peer::disable_peer_access: fn(&Arc<CudaContext>, &Arc<CudaContext>) -> R<()>;
    vmm::PhysicalAllocation::new: fn(sys::CUdevice, usize) -> R<vmm::PhysicalAllocation>;
    vmm::PhysicalAllocation::handle: fn(&vmm::PhysicalAllocation) -> sys::CUmemGenericAllocationHandle;
    vmm::PhysicalAllocation::size: fn(&vmm::PhysicalAllocation) -> usize;
    vmm::PhysicalAllocation::device: fn(&vmm::PhysicalAllocation) -> sys::CUdevice;
    vmm::VirtualReservation::base: fn(&vmm::VirtualReservation) -> P;
    vmm::VirtualReservation::size: fn(&vmm::VirtualReservation) -> usize;
    vmm::Mapping::va: fn(&vmm::Mapping) -> P;
    vmm::Mapping::size: fn(&vmm::Mapping) -> usize;
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

/// The builder and the getters of a contract are const.
#[test]
fn contracts_are_constants() {
    const CLUSTER: Option<D3> = Kernel::SPEC.cluster();
    const SHAPES: (LaunchConfig1D, LaunchConfig3D) = (LaunchConfig1D::new(1, 2, 3), LaunchConfig3D::new((1, 2, 3), (4, 5, 6), 7));
    assert_eq!((CLUSTER, CoordinateRequirement::default()), (Some((2, 1, 1)), CoordinateRequirement::Native));
    let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = SHAPES.0.__raw();
    assert_eq!((grid_dim, block_dim, shared_mem_bytes), ((1, 1, 1), (2, 1, 1), 3));
    let _ = [BlockRequirement::Exact((1, 1, 1)), BlockRequirement::MaxThreads(1)];
    let _ = DynamicSharedMemoryRequirement::Exact { bytes: 0, min_alignment: 1 };
    let _ = [SyncPolicy::Auto, SyncPolicy::Spin, SyncPolicy::Yield, SyncPolicy::BlockingSync];
    let _ = (vmm::MulticastGranularity::Minimum, vmm::MulticastGranularity::Recommended);
}

/// Every variant with its fields; the text of each that has a kernel starts with its name.
#[test]
fn errors_of_contracts() {
    use LaunchContractError as E;
    let (kernel, axis, dimension, shape) = ("saxpy", LaunchAxis::X, LaunchDimension::Cluster, (1, 2, 3));
    let _ = ([LaunchAxis::Y, LaunchAxis::Z], [LaunchDimension::Grid, LaunchDimension::Block]);
    let errors = [
        E::ZeroDimension { kernel, dimension, axis },
        E::DimensionProductOverflow { kernel, dimension },
        E::CoordinateRangeExceedsU32 { kernel, axis, grid: 1u32, block: 2u32, positions: 3u64 },
        E::InvalidSharedMemoryAlignment { kernel, alignment: 3u32 },
        E::InvalidSharedMemoryRange { kernel, min_bytes: 2u32, max_bytes: 1u32 },
        E::BlockShapeMismatch { kernel, required: shape, actual: shape },
        E::BlockThreadsExceedContract { kernel, actual: 2u64, max: 1u32 },
        E::DynamicSharedMemoryExactMismatch { kernel, required: 1u32, actual: 2u32 },
        E::DynamicSharedMemoryOutsideRange { kernel, min: 1u32, max: 2u32, actual: 3u32 },
        E::ClusterDoesNotDivideGrid { kernel, axis, grid: 3u32, cluster: 2u32 },
        E::DeviceDimensionExceeded { kernel, dimension, axis, actual: 2u32, max: 1u32 },
        E::DeviceThreadsPerBlockExceeded { kernel, actual: 2u64, max: 1u32 },
        E::FunctionThreadsPerBlockExceeded { kernel, actual: 2u64, max: 1u32 },
        E::SharedMemoryTotalOverflow { kernel, static_bytes: 1u32, dynamic_bytes: 2u32 },
        E::DeviceSharedMemoryExceeded { kernel, total: 2u64, max: 1u32, opt_in: true },
        E::ComputeCapabilityTooLow { kernel, required: (9, 0), actual: (8, 0) },
        E::CooperativeLaunchUnsupported { kernel },
        E::ClusterLaunchUnsupported { kernel },
        E::ClusterSizeExceeded { kernel, blocks: 2u64, max: 1u32 },
        E::FunctionClusterShapeMismatch { kernel, declared: shape, required: shape },
        E::RequiredClusterDimensionsMissing { kernel, declared: shape },
        E::ClusterShapeUnsupported { kernel, cluster: shape },
        E::ClusterHasNoResidency { kernel, cluster: shape },
        E::CooperativeGridTooLarge { kernel, blocks: 2u64, resident_capacity: 1u64 },
        E::ContextMismatch { kernel, function_device: 0usize, stream_device: 1usize },
        E::SizeRequirementViolated { kernel, relation: "a < b", lhs: 2u64, rhs: 1u64 },
        E::SizeRequirementOverflow { kernel, relation: "a < b" },
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.starts_with("saxpy") || text.starts_with("`saxpy`"), "{text}");
    }
    let _: [LaunchContractError; 2] = [E::EmptyKernelName, DriverError(1).into()];
    let words = [
        (E::SizeRequirementViolated { kernel, relation: "a < b", lhs: 2, rhs: 1 }, "size requirement"),
        (E::CooperativeGridTooLarge { kernel, blocks: 2, resident_capacity: 1 }, "cooperative grid"),
        (E::ClusterHasNoResidency { kernel, cluster: shape }, "cluster"),
        (E::CooperativeGridTooLarge { kernel, blocks: 2, resident_capacity: 1 }, "resident"),
    ];
    for (error, word) in words {
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn what_a_program_carries() {
    let [ptx, nvvm_ir, ltoir, cubin] =
        [ArtifactPayloadKind::Ptx, ArtifactPayloadKind::NvvmIr, ArtifactPayloadKind::Ltoir, ArtifactPayloadKind::Cubin];
    assert!([nvvm_ir, ltoir, cubin].iter().all(|kind| *kind != ptx));
    let ArtifactCompileOptions { allow_fma_contraction: true, debug: ArtifactDebugPolicy::None, .. } = ArtifactCompileOptions::default()
    else {
        panic!("contraction is on by default, and there is nothing for debuggers")
    };
    let error = embedded::artifact_bundles_from_binary_path("nowhere").unwrap_err();
    match error {
        EmbeddedModuleError::Io { path, source } => {
            assert_eq!((path.to_str(), source.kind()), (Some("nowhere"), std::io::ErrorKind::NotFound))
        }
        EmbeddedModuleError::CurrentExe { source } => panic!("{source}"),
        EmbeddedModuleError::Artifacts(error) => panic!("{error}"),
        EmbeddedModuleError::ModuleNotFound { name } => panic!("{name}"),
        error @ (EmbeddedModuleError::NoModules | EmbeddedModuleError::Driver(_)) => panic!("{error}"),
    }
}

/// The names that bindgen gives what is in cuda.h.
#[test]
fn the_raw_binding() {
    let _: (sys::CUdeviceptr, sys::CUresult, sys::CUdevice) = (0u64, 0u32, 0i32);
    let _: [sys::CUresult; 2] = [sys::cudaError_enum_CUDA_ERROR_ILLEGAL_ADDRESS, sys::cudaError_enum_CUDA_SUCCESS];
    let _: sys::CUevent_flags = sys::CUevent_flags_enum_CU_EVENT_DEFAULT;
    let _: unsafe fn(*mut i32) -> sys::CUresult = sys::cuDeviceGetCount;
    let _: unsafe fn(*mut usize, *mut usize) -> sys::CUresult = sys::cuMemGetInfo_v2;
    let _ = (
        sys::cuTensorMapEncodeTiled as *const (),
        sys::CUtensorMapDataType_enum_CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        sys::CUtensorMapDataType_enum_CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        sys::CUtensorMapInterleave_enum_CU_TENSOR_MAP_INTERLEAVE_NONE,
        sys::CUtensorMapSwizzle_enum_CU_TENSOR_MAP_SWIZZLE_NONE,
        sys::CUtensorMapSwizzle_enum_CU_TENSOR_MAP_SWIZZLE_128B,
        sys::CUtensorMapL2promotion_enum_CU_TENSOR_MAP_L2_PROMOTION_NONE,
        sys::CUtensorMapFloatOOBfill_enum_CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    );
    let _: (PhantomData<(sys::CUstream, sys::CUevent, sys::CUmodule, sys::CUfunction, sys::CUcontext)>, usize) =
        (PhantomData, align_of::<sys::CUtensorMap>());
}

#[test]
fn what_types_are() {
    use std::{error::Error, fmt::Debug, ops::DerefMut};
    fn copied<T: Clone + Copy + Debug>() {}
    copied::<(DriverError, LaunchConfig, ConstantHandle, SyncPolicy)>();
    fn compared<T: Eq + Debug>() {}
    compared::<(DriverError, CudaContext, CudaStream)>();
    fn told<T: Error + 'static>() {}
    told::<DriverError>();
    told::<LaunchContractError>();
    told::<EmbeddedModuleError>();
    fn cloned<T: Clone>() {}
    cloned::<(CudaFunction, PreparedLaunch<Kernel>)>();
    fn printed<T: Debug>() {}
    printed::<(CudaFunction, DeviceBuffer<u8>, PinnedHostBuffer<u8>, CudaModule)>();
    fn slice<T: DerefMut<Target = [u8]> + AsRef<[u8]> + AsMut<[u8]>>() {}
    slice::<PinnedHostBuffer<u8>>();
    fn typed<T: KernelLaunchConfig>() {}
    typed::<LaunchConfig1D>();
    typed::<LaunchConfig2D>();
    typed::<LaunchConfig3D>();
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
