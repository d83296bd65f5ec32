//! What the owners ask of the driver, against one that records it.

use std::{
    env, process,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use cuda_core::{
    CudaContext, DeviceBuffer, DriverError, LaunchConfig, launch_kernel_cooperative_on_stream, launch_kernel_ex_cooperative_on_stream,
    launch_kernel_ex_on_stream, launch_kernel_on_stream, sys,
};
use libloading::Library;

/// The fake driver, by one test at a time.
struct Fake {
    library: &'static Library,
    _turn: MutexGuard<'static, ()>,
}

impl Fake {
    fn new() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
            // Cargo builds examples before tests, beside them.
            let path = env::current_exe().unwrap().with_file_name("../examples/libfake_driver.so");
            // SAFETY: no test has called anything that reads the environment yet: each comes here first.
            unsafe {
                env::set_var("OXIDE_DEVICE", "cpu");
                env::set_var("OXIDE_CPU_DEVICE", &path);
            }
            // SAFETY: the library has no initialisers.
            unsafe { Library::new(path) }.unwrap()
        });
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let fake = Self { library: &LIBRARY, _turn: turn };
        fake.calls();
        fake
    }

    /// The calls since the last time.
    fn calls(&self) -> Vec<String> {
        let mut calls = Vec::new();
        // SAFETY: the symbol has this type, and both sides are built by one compiler.
        unsafe { self.library.get::<extern "C" fn(&mut Vec<String>)>("fake_take_calls").unwrap()(&mut calls) };
        calls
    }

    fn fail_free(&self, result: sys::CUresult) {
        // SAFETY: the symbol has this type.
        unsafe { self.library.get::<extern "C" fn(sys::CUresult)>("fake_fail_free").unwrap()(result) };
    }
}

#[test]
fn a_buffer_goes_there_and_back() -> Result<(), DriverError> {
    let fake = Fake::new();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let mut buffer = DeviceBuffer::from_host(&stream, &[1u16, 2, 3])?;
    assert_eq!(fake.calls(), ["retain", "allocate 6", "to device 6", "synchronize"]);
    buffer.copy_from_host(&stream, &[4, 5, 6])?;
    assert_eq!(buffer.to_host_vec(&stream)?, [4, 5, 6]);
    assert_eq!(fake.calls(), ["to device 6", "synchronize", "to host 6", "synchronize"]);
    let zeroed = DeviceBuffer::<u64>::zeroed(&stream, 2)?;
    assert_eq!(fake.calls(), ["allocate 16", "fill 16 with 0"]);
    drop((zeroed, buffer, stream, ctx));
    assert_eq!(fake.calls(), ["free", "free", "release"]);
    Ok(())
}

#[test]
fn no_bytes_are_no_calls() -> Result<(), DriverError> {
    let fake = Fake::new();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    fake.calls();
    let mut empty = DeviceBuffer::<f32>::zeroed(&stream, 0)?;
    empty.copy_from_host(&stream, &[])?;
    assert_eq!((empty.cu_deviceptr(), empty.to_host_vec(&stream)?), (0, vec![]));
    let units = DeviceBuffer::from_host(&stream, &[(), ()])?;
    assert_eq!((units.cu_deviceptr(), units.to_host_vec(&stream)?), (0, vec![(), ()]));
    drop((empty, units));
    assert_eq!(fake.calls(), [""; 0]);
    let overflow = DeviceBuffer::<u64>::zeroed(&stream, usize::MAX / 4).unwrap_err();
    assert_eq!(overflow.0, sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE);
    Ok(())
}

#[test]
fn casts_keep_the_memory() -> Result<(), DriverError> {
    let fake = Fake::new();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let buffer = DeviceBuffer::from_host(&stream, &[1u32, 2, 3, 4])?.cast_elem::<i32>();
    let buffer = buffer.cast_chunks::<[i32; 3]>().unwrap_err();
    let buffer = buffer.cast_chunks::<[i32; 2]>().unwrap();
    assert_eq!(buffer.to_host_vec(&stream)?, [[1, 2], [3, 4]]);
    fake.calls();
    drop(buffer);
    assert_eq!(fake.calls(), ["free"]);
    Ok(())
}

#[test]
fn an_error_in_drop_is_the_next_calls() -> Result<(), DriverError> {
    let fake = Fake::new();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let first = DeviceBuffer::<u8>::zeroed(&stream, 1)?;
    let second = DeviceBuffer::<u8>::zeroed(&stream, 1)?;
    fake.fail_free(sys::cudaError_enum_CUDA_ERROR_ILLEGAL_ADDRESS);
    drop(first);
    // Another drop neither reports nor clears it.
    drop(second);
    let error = stream.synchronize().unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("DriverError(700, \"an illegal memory access was encountered\"): an earlier cuMemFree_v2; hint: "), "{text}");
    stream.synchronize()
}

#[test]
fn what_a_driver_lacks_is_an_error_of_the_call() {
    let _fake = Fake::new();
    let (mut free, mut total) = (0, 0);
    // SAFETY: both are written.
    let result = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
    assert_eq!(result, sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(CudaContext::new(1).unwrap_err().0, sys::cudaError_enum_CUDA_ERROR_INVALID_DEVICE);
    assert_eq!(DriverError(12345).to_string(), "DriverError(12345, unknown to the driver)");
}

#[test]
fn a_kernel_is_found_and_launched() -> Result<(), DriverError> {
    let fake = Fake::new();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    fake.calls();
    let bad = ctx.load_module_from_ptx_src("nonsense").unwrap_err();
    assert_eq!(bad.0, sys::cudaError_enum_CUDA_ERROR_INVALID_PTX);
    let module = ctx.load_module_from_ptx_src("// good")?;
    assert_eq!(module.load_function("missing").unwrap_err().0, sys::cudaError_enum_CUDA_ERROR_NOT_FOUND);
    let kernel = module.load_function("kernel")?;
    drop(module);
    let LaunchConfig { grid_dim, block_dim, .. } = LaunchConfig::for_num_elems(1000);
    let mut argument = process::id();
    // SAFETY: the fake kernel takes one u32.
    unsafe { launch_kernel_on_stream(&kernel, grid_dim, block_dim, 64, &stream, &mut [(&raw mut argument).cast()]) }?;
    drop(kernel);
    assert_eq!(fake.calls(), ["load".into(), format!("launch 4,1,1 256,1,1 64 ({argument})"), "unload".into()]);
    Ok(())
}

#[test]
fn clusters_and_cooperation_are_attributes() -> Result<(), DriverError> {
    let fake = Fake::new();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let kernel = ctx.load_module_from_ptx_src("// good")?.load_function("kernel")?;
    fake.calls();
    let (grid, block, cluster) = ((8, 1, 1), (32, 4, 1), (2, 3, 4));
    let mut argument = 7u32;
    let mut words = [(&raw mut argument).cast()];
    // SAFETY: the fake kernel takes one u32.
    unsafe {
        launch_kernel_ex_on_stream(&kernel, grid, block, 16, cluster, &stream, &mut words)?;
        launch_kernel_cooperative_on_stream(&kernel, grid, block, 16, &stream, &mut words)?;
        launch_kernel_ex_cooperative_on_stream(&kernel, grid, block, 16, cluster, &stream, &mut words)?;
    }
    let expected = ["launch 8 4 16 cluster 2,3,4 (7)", "launch 8 4 16 cooperative 1 (7)", "launch 8 4 16 cluster 2,3,4 cooperative 1 (7)"];
    assert_eq!(fake.calls(), expected);
    Ok(())
}
