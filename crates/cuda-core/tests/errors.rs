//! What an error tells: the call, what it was asked, which limit it exceeded and what to do.

mod recording;

use std::{sync::Arc, thread};

use cuda_core::{
    CudaContext, CudaFunction, CudaStream, DeviceBuffer, DeviceCopy, DriverError, PinnedHostBuffer, launch_kernel,
    launch_kernel_cooperative_on_stream, launch_kernel_ex_on_stream, launch_kernel_on_stream, sys, vmm,
};
use recording::{IMAGE, Recording};

/// A kernel of [`IMAGE`], and the default stream of its context.
fn kernel(name: &str) -> Result<(CudaFunction, Arc<CudaStream>), DriverError> {
    let ctx = CudaContext::new(0)?;
    Ok((ctx.load_module_from_ptx_src(IMAGE)?.load_function(name)?, ctx.default_stream()))
}

fn launch(name: &str, grid: u32, block: u32, shared: u32) -> Result<(), DriverError> {
    let (kernel, stream) = kernel(name)?;
    let (mut address, mut number, mut byte) = (0u64, 0u32, 0u8);
    let mut scale = [(&raw mut address).cast(), (&raw mut number).cast(), (&raw mut byte).cast()];
    let parameters = if name == "add" { &mut scale[1..2] } else { &mut scale[..] };
    // SAFETY: the parameters are those of the kernel.
    unsafe { launch_kernel_on_stream(&kernel, (grid, 1, 1), (block, 1, 1), shared, &stream, parameters) }
}

fn text(result: Result<impl Sized, DriverError>) -> String {
    result.err().unwrap().to_string()
}

#[test]
fn too_many_registers() {
    let _recording = Recording::begin();
    assert_eq!(
        text(launch("scale", 4, 1024, 0)),
        "DriverError(701, \"too many resources requested for launch\"): CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: cuLaunchKernel: `scale` with \
         grid (4, 1, 1), block (1024, 1, 1), 0 bytes of dynamic shared memory; got 1024 threads in a block, the kernel allows 819; got \
         81920 registers (80 a thread × 1024 threads), a block has at most 65536; hint: launch smaller blocks, or bound the kernel's \
         registers with `#[launch_bounds]`"
    );
}

#[test]
fn a_shape_that_no_device_has() {
    let _recording = Recording::begin();
    let text = text(launch("add", 1, 2048, 0));
    assert!(text.contains("CUDA_ERROR_INVALID_VALUE: cuLaunchKernel: `add` with grid (1, 1, 1), block (2048, 1, 1), 0 bytes"), "{text}");
    assert!(
        text.ends_with("; got 2048 threads in a block, the device allows 1024; got 2048 threads along x, the device allows 1024"),
        "{text}"
    );
}

#[test]
fn a_shape_beyond_all_numbers() {
    let _recording = Recording::begin();
    let (kernel, stream) = kernel("add").unwrap();
    let (mut number, most) = (0u32, (u32::MAX, u32::MAX, u32::MAX));
    // SAFETY: the parameter is the kernel's.
    let text = text(unsafe { launch_kernel_on_stream(&kernel, most, most, 0, &stream, &mut [(&raw mut number).cast()]) });
    assert!(text.contains(&format!("got {} threads in a block, the device allows 1024", u64::MAX)), "{text}");
}

#[test]
fn elements_that_ask_for_more_than_an_allocation_gives() {
    #[derive(Clone, Copy)]
    #[repr(align(512))]
    struct Wide {
        _byte: u8,
    }
    // SAFETY: a number and padding.
    unsafe impl DeviceCopy for Wide {}

    let _recording = Recording::begin();
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    for text in [text(DeviceBuffer::<Wide>::zeroed(&stream, 1)), text(PinnedHostBuffer::<Wide>::zeroed(&ctx, 1))] {
        assert!(text.ends_with(": elements aligned to 512 bytes; an allocation is aligned to 256"), "{text}");
    }
    assert!(DeviceBuffer::<Wide>::zeroed(&stream, 0).unwrap().is_empty());
}

#[test]
fn nothing_to_do() {
    let _recording = Recording::begin();
    let text = text(launch("add", 0, 256, 0));
    assert!(text.ends_with("; a grid and a block are at least 1 along each axis: launch nothing where there is nothing to do"), "{text}");
}

#[test]
fn shared_memory_above_the_limit_names_the_attribute_that_raises_it() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let raised = "; got 65536 bytes of dynamic shared memory, which CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES raises up to 231424; \
                  the kernel allows 48128";
    let refused = text(launch("scale", 1, 32, 65536));
    assert!(refused.ends_with(raised), "{refused}");
    let refused = text(launch("scale", 1, 32, 1 << 20));
    let beyond =
        "; got 1048576 bytes of dynamic shared memory, the device has 231424 beside 1024 of the kernel's own; the kernel allows 48128";
    assert!(refused.ends_with(beyond), "{refused}");
    Ok(())
}

#[test]
fn cooperation_says_how_many_blocks_run_at_once() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let (kernel, stream) = kernel("add")?;
    let mut number = 0u32;
    // SAFETY: the kernel takes one u32.
    let refused =
        unsafe { launch_kernel_cooperative_on_stream(&kernel, (9, 1, 1), (1024, 1, 1), 0, &stream, &mut [(&raw mut number).cast()]) };
    let text = text(refused);
    assert!(
        text.contains("cuLaunchKernelEx: `add` with grid (9, 1, 1), block (1024, 1, 1), 0 bytes of dynamic shared memory, cooperative")
    );
    assert!(text.contains("; got 9 blocks, the device runs 8 of this kernel at once; hint: "), "{text}");
    Ok(())
}

#[test]
fn clusters_that_do_not_divide_the_grid() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let (kernel, stream) = kernel("add")?;
    let mut number = 0u32;
    recording.break_call(c"cuLaunchKernelEx", sys::cudaError_enum_CUDA_ERROR_INVALID_CLUSTER_SIZE);
    // SAFETY: the kernel takes one u32.
    let refused =
        unsafe { launch_kernel_ex_on_stream(&kernel, (18, 1, 1), (1, 1, 1), 0, (16, 1, 1), &stream, &mut [(&raw mut number).cast()]) };
    recording.mend();
    let text = text(refused);
    assert!(
        text.contains("clusters of (16, 1, 1); got 16 blocks in a cluster, a kernel without CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE")
    );
    assert!(text.ends_with("allows 8; clusters of (16, 1, 1) do not divide grid (18, 1, 1)"), "{text}");
    Ok(())
}

#[test]
fn a_handle_alone_has_a_name_too() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let (kernel, stream) = kernel("add")?;
    let mut number = 0u32;
    // SAFETY: both are alive, and the kernel takes one u32.
    let refused =
        unsafe { launch_kernel(kernel.cu_function(), (1, 1, 1), (0, 1, 1), 0, stream.cu_stream(), &mut [(&raw mut number).cast()]) };
    assert!(text(refused).contains("cuLaunchKernel: `add` with grid (1, 1, 1), block (0, 1, 1)"));
    Ok(())
}

#[test]
fn a_function_that_may_be_gone_is_not_asked() -> Result<(), DriverError> {
    let recording = Recording::begin();
    recording.break_call(c"cuLaunchKernel", sys::cudaError_enum_CUDA_ERROR_INVALID_HANDLE);
    let refused = text(launch("add", 1, 2048, 0));
    recording.mend();
    assert!(
        refused.contains("cuLaunchKernel: `add` with grid (1, 1, 1), block (2048, 1, 1), 0 bytes of dynamic shared memory; hint"),
        "{refused}"
    );
    Ok(())
}

#[test]
fn memory_that_is_not_there() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let _some = DeviceBuffer::<u8>::zeroed(&stream, 1 << 19)?;
    assert_eq!(
        text(DeviceBuffer::<u64>::zeroed(&stream, 1 << 17)),
        "DriverError(2, \"out of memory\"): CUDA_ERROR_OUT_OF_MEMORY: cuMemAlloc_v2: 1048576 bytes; 524288 of the device's 1048576 are free; \
         hint: free buffers that are done with, or ask for less"
    );
    // SAFETY: nothing uses it.
    let ordered = unsafe { DeviceBuffer::<u8>::uninitialized_async(&ctx.new_stream()?, 1 << 20) };
    assert!(text(ordered).contains("cuMemAllocAsync: 1048576 bytes; 524288 of"));
    assert!(text(vmm::PhysicalAllocation::new(0, 1 << 21)).contains("cuMemCreate: 2097152 bytes of device 0"));
    let overflow = text(PinnedHostBuffer::<u64>::zeroed(&ctx, usize::MAX / 2));
    assert!(overflow.ends_with("CUDA_ERROR_INVALID_VALUE: 9223372036854775807 elements of 8 bytes are more bytes than usize counts"));
    Ok(())
}

#[test]
fn a_name_that_is_not_there_and_those_that_are() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let module = CudaContext::new(0)?.load_module_from_ptx_src(IMAGE)?;
    let refused = text(module.load_function("scal"));
    assert!(
        refused.contains("CUDA_ERROR_NOT_FOUND: cuModuleGetFunction: `scal`; an image in memory has `scale`, `add`; hint: names are exact")
    );
    assert!(text(module.load_function("ad\0d")).contains("CUDA_ERROR_INVALID_VALUE: a NUL in \"ad\\0d\""));
    Ok(())
}

#[test]
fn a_kernel_whose_mark_cannot_be_read() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let module = CudaContext::new(0)?.load_module_from_ptx_src(IMAGE)?;
    recording.break_call(c"cuModuleGetGlobal_v2", sys::cudaError_enum_CUDA_ERROR_INVALID_HANDLE);
    let refused = text(module.load_function("add"));
    recording.mend();
    assert!(refused.contains("cuModuleGetGlobal_v2: `oxide_host_references$add` of an image in memory; hint: "), "{refused}");
    Ok(())
}

#[test]
fn a_device_that_is_not_there() {
    let _recording = Recording::begin();
    let refused = text(CudaContext::new(7));
    assert!(refused.contains("CUDA_ERROR_INVALID_DEVICE: cuDeviceGet: device 7 of 2; hint: devices are counted from 0"), "{refused}");
}

#[test]
fn what_the_driver_does_not_have() {
    let _recording = Recording::begin();
    let mut bytes = 0;
    // The recorder stands where the CPU device does.
    // SAFETY: the driver stores a size.
    let code = unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, 0) };
    assert!(
        DriverError(code)
            .to_string()
            .ends_with("CUDA_ERROR_NOT_SUPPORTED: cuDeviceTotalMem_v2: the CPU device does not have this function")
    );
}

#[test]
fn a_fault_names_the_last_launch() -> Result<(), DriverError> {
    for fault in [sys::cudaError_enum_CUDA_ERROR_ILLEGAL_ADDRESS, sys::cudaError_enum_CUDA_ERROR_LAUNCH_FAILED] {
        let recording = Recording::begin();
        launch("add", 4, 64, 16)?;
        let ctx = CudaContext::new(0)?;
        recording.break_call(c"cuStreamSynchronize", fault);
        let text = text(ctx.default_stream().synchronize());
        recording.mend();
        let last = "cuStreamSynchronize: the last kernel launched by this thread is `add` with grid (4, 1, 1), block (64, 1, 1), 16 bytes of \
                    dynamic shared memory; hint: a line above has the thread";
        assert!(text.contains(last), "{text}");
    }
    Ok(())
}

#[test]
fn what_is_dropped_after_a_fault_does_not_speak_for_it() -> Result<(), DriverError> {
    let fault = sys::cudaError_enum_CUDA_ERROR_ILLEGAL_ADDRESS;
    let recording = Recording::begin();
    launch("add", 4, 64, 16)?;
    let ctx = CudaContext::new(0)?;
    let buffer = DeviceBuffer::<u8>::zeroed(&ctx.default_stream(), 1)?;
    recording.break_call(c"cuStreamSynchronize", fault);
    let error = ctx.default_stream().synchronize().unwrap_err();
    recording.mend();
    recording.break_call(c"cuMemFree_v2", fault);
    drop(buffer);
    recording.mend();
    let text = error.to_string();
    assert!(text.contains("cuStreamSynchronize: the last kernel launched by this thread is `add`"), "{text}");
    let kept = ctx.check_err().unwrap_err().to_string();
    assert!(kept.contains("cuMemFree_v2"), "{kept}");
    Ok(())
}

#[test]
fn details_are_of_the_thread_and_the_code() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let error = launch("add", 0, 1, 0).unwrap_err();
    assert!(error.details().unwrap().starts_with("cuLaunchKernel: `add`"));
    // What a message asks the driver is no failure, and neither is a call that succeeds.
    assert_eq!(DriverError(12345).details(), None);
    let _ = DriverError(12345).to_string();
    CudaContext::new(0)?.synchronize()?;
    assert!(error.details().is_some());
    thread::scope(|scope| scope.spawn(move || assert_eq!(error.details(), None)).join().unwrap());
    assert_eq!(DriverError(sys::cudaError_enum_CUDA_ERROR_NOT_FOUND).details(), None);
    Ok(())
}

#[test]
fn a_sticky_error_tells_what_was_asked_then() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let buffer = DeviceBuffer::<u8>::zeroed(&ctx.default_stream(), 1)?;
    recording.break_call(c"cuMemFree_v2", sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE);
    thread::spawn(move || drop(buffer)).join().unwrap();
    recording.mend();
    let text = text(ctx.synchronize());
    assert!(text.ends_with("CUDA_ERROR_INVALID_VALUE: an earlier cuMemFree_v2"), "{text}");
    ctx.synchronize()
}
