//! What preparing a launch asks of the device and the loaded kernel, in which order, and what it refuses.

mod recording;

use cuda_core::{
    BlockRequirement, CudaContext, CudaFunction, DriverError, DynamicSharedMemoryRequirement, KernelLaunchContract, LaunchAxis,
    LaunchConfig1D, LaunchConfig3D, LaunchContractError as Error, LaunchContractSpec, LaunchDimension, PreparedLaunch, sys,
};
use recording::{IMAGE, Recording};

const NONE: DynamicSharedMemoryRequirement = DynamicSharedMemoryRequirement::Exact { bytes: 0, min_alignment: 1 };

/// Contracts that this test makes, each of a marker type of its own.
macro_rules! contracts {
    ($($name:ident: $config:ty = $spec:expr;)*) => {$(
        #[derive(Debug)]
        struct $name;

        impl KernelLaunchContract for $name {
            type Config = $config;
            const SPEC: LaunchContractSpec = $spec;
        }
    )*};
}

const fn shared(max_bytes: u32) -> LaunchContractSpec {
    let memory = DynamicSharedMemoryRequirement::Range { min_bytes: 0, max_bytes, min_alignment: 16 };
    LaunchContractSpec::new("scale", BlockRequirement::MaxThreads(2048), memory)
}

contracts! {
    Any: LaunchConfig3D = LaunchContractSpec::new("add", BlockRequirement::MaxThreads(u32::MAX), NONE);
    Plain: LaunchConfig1D = shared(47 << 10);
    OptIn: LaunchConfig1D = shared(100 << 10);
    TooMuch: LaunchConfig1D = shared((227 << 10) - 1023).with_min_compute_capability(99, 0);
    Overflowing: LaunchConfig1D = shared(u32::MAX);
    Future: LaunchConfig1D = shared(0).with_min_compute_capability(9, 1).with_cluster((2, 1, 1));
    Present: LaunchConfig1D = shared(0).with_min_compute_capability(9, 0);
    Clustered: LaunchConfig1D = shared(0).with_cluster((2, 1, 1)).with_cooperative();
    Quadruple: LaunchConfig3D = LaunchContractSpec::new("scale", BlockRequirement::MaxThreads(64), NONE).with_cluster((2, 2, 1));
    Together: LaunchConfig1D = shared(0).with_cooperative();
}

fn kernel(device: usize, name: &str) -> Result<CudaFunction, DriverError> {
    CudaContext::new(device)?.load_module_from_ptx_src(IMAGE)?.load_function(name)
}

fn prepare<C: KernelLaunchContract>(function: &CudaFunction, config: C::Config) -> Result<PreparedLaunch<C>, Error> {
    // SAFETY: nothing is launched.
    unsafe { PreparedLaunch::__prepare(function.clone(), config) }
}

fn refusal<C: KernelLaunchContract>(function: &CudaFunction, config: C::Config) -> Error {
    prepare::<C>(function, config).map(|_| ()).unwrap_err()
}

fn line(threads: u32, bytes: u32) -> LaunchConfig1D {
    LaunchConfig1D::new(4, threads, bytes)
}

#[test]
fn extents_and_threads_are_the_devices_and_the_kernels() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let (add, scale) = (kernel(0, "add")?, kernel(0, "scale")?);
    let refused = |grid, block| refusal::<Any>(&add, LaunchConfig3D::new(grid, block, 0));
    let error = refused((1, 65_536, 1), (1, 1, 65));
    assert!(
        matches!(
            error,
            Error::DeviceDimensionExceeded { dimension: LaunchDimension::Grid, axis: LaunchAxis::Y, actual: 65_536, max: 65_535, .. }
        ),
        "{error}"
    );
    let error = refused((1, 65_535, 1), (1024, 2, 65));
    assert!(
        matches!(error, Error::DeviceDimensionExceeded { dimension: LaunchDimension::Block, axis: LaunchAxis::Z, actual: 65, max: 64, .. }),
        "{error}"
    );
    let error = refused((1, 1, 1), (1024, 2, 1));
    assert!(matches!(error, Error::DeviceThreadsPerBlockExceeded { actual: 2048, max: 1024, .. }), "{error}");
    let error = refusal::<Plain>(&scale, line(1024, 0));
    assert!(matches!(error, Error::FunctionThreadsPerBlockExceeded { kernel: "scale", actual: 1024, max: 819 }), "{error}");
    prepare::<Plain>(&scale, line(819, 0)).unwrap();
    Ok(())
}

#[test]
fn memory_is_counted_by_what_the_contract_allows() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let scale = kernel(0, "scale")?;
    recording.calls();
    let limit = scale.max_dynamic_shared_memory_bytes()?;
    prepare::<Plain>(&scale, line(32, 0)).unwrap();
    assert_eq!(scale.max_dynamic_shared_memory_bytes()?, limit, "the limit that it has is enough");
    prepare::<OptIn>(&scale, line(32, 0)).unwrap();
    assert_eq!(scale.max_dynamic_shared_memory_bytes()?, 100 << 10, "the limit is raised to the contract's, not to this launch's");
    let error = refusal::<TooMuch>(&scale, line(32, 0));
    assert!(matches!(error, Error::DeviceSharedMemoryExceeded { total: 232_449, max: 232_448, opt_in: true, .. }), "{error}");
    let error = refusal::<Overflowing>(&scale, line(32, 0));
    assert!(matches!(error, Error::SharedMemoryTotalOverflow { static_bytes: 1024, dynamic_bytes: u32::MAX, .. }), "{error}");
    Ok(())
}

#[test]
fn the_device_must_be_able_to() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let scale = kernel(0, "scale")?;
    let error = refusal::<Future>(&scale, line(32, 0));
    assert!(matches!(error, Error::ComputeCapabilityTooLow { required: (9, 1), actual: (9, 0), .. }), "{error}");
    prepare::<Present>(&scale, line(32, 0)).unwrap();
    let error = refusal::<Clustered>(&kernel(0, "add")?, LaunchConfig1D::new(1 << 30, 32, 0));
    assert!(matches!(error, Error::RequiredClusterDimensionsMissing { declared: (2, 1, 1), .. }), "{error}");
    let error = refusal::<Quadruple>(&scale, LaunchConfig3D::new((2, 2, 1), (32, 1, 1), 0));
    assert!(matches!(error, Error::FunctionClusterShapeMismatch { declared: (2, 2, 1), required: (2, 1, 1), .. }), "{error}");
    Ok(())
}

#[test]
fn clusters_find_room() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let scale = kernel(0, "scale")?;
    // Two clusters of two blocks of 512 threads on each half of the device.
    prepare::<Clustered>(&scale, LaunchConfig1D::new(8, 512, 0)).unwrap();
    let error = refusal::<Clustered>(&scale, LaunchConfig1D::new(10, 512, 0));
    assert!(matches!(error, Error::CooperativeGridTooLarge { blocks: 10, resident_capacity: 8, .. }), "{error}");
    recording.break_call(c"cuOccupancyMaxActiveClusters", sys::cudaError_enum_CUDA_ERROR_INVALID_CLUSTER_SIZE);
    let error = refusal::<Clustered>(&scale, line(32, 0));
    assert!(matches!(error, Error::ClusterShapeUnsupported { cluster: (2, 1, 1), .. }), "{error}");
    recording.mend();
    Ok(())
}

#[test]
fn all_blocks_of_a_cooperative_launch_find_room() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let scale = kernel(0, "scale")?;
    let room = scale.context().multiprocessor_count()? * scale.max_active_blocks_per_multiprocessor(512, 0)?;
    prepare::<Together>(&scale, LaunchConfig1D::new(room, 512, 0)).unwrap();
    match refusal::<Together>(&scale, LaunchConfig1D::new(room + 1, 512, 0)) {
        Error::CooperativeGridTooLarge { kernel: "scale", blocks, resident_capacity } => {
            assert_eq!((blocks, resident_capacity), (u64::from(room) + 1, room.into()));
        }
        error => panic!("{error}"),
    }
    Ok(())
}

#[test]
fn what_the_driver_reports_is_the_error() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let scale = kernel(0, "scale")?;
    let code = sys::cudaError_enum_CUDA_ERROR_NOT_PERMITTED;
    for call in [c"cuDeviceGetAttribute", c"cuFuncGetAttribute", c"cuFuncSetAttribute"] {
        recording.break_call(call, code);
        let error = refusal::<OptIn>(&scale, line(32, 0));
        assert!(matches!(error, Error::Driver(DriverError(found)) if found == code), "{call:?}: {error}");
        recording.mend();
    }
    recording.break_call(c"cuOccupancyMaxActiveBlocksPerMultiprocessor", code);
    assert!(matches!(refusal::<Together>(&scale, line(32, 0)), Error::Driver(_)));
    recording.mend();
    prepare::<OptIn>(&scale, line(32, 0)).unwrap();
    Ok(())
}

#[test]
fn a_stream_is_of_the_kernels_device() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let prepared = prepare::<Present>(&kernel(0, "scale")?, line(32, 0)).unwrap().clone();
    prepared.validate_stream(&CudaContext::new(0)?.default_stream()).unwrap();
    let error = prepared.validate_stream(&CudaContext::new(1)?.default_stream()).unwrap_err();
    assert!(matches!(error, Error::ContextMismatch { function_device: 0, stream_device: 1, .. }), "{error}");
    assert_eq!(error.to_string(), "scale: loaded on device 0, launched in a stream of device 1");
    Ok(())
}
