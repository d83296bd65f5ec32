//! What the owners ask of the driver, against one that records it.

mod recording;

use std::{
    mem::MaybeUninit,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use cuda_core::{
    ConstantHandle, CudaContext, DeviceBuffer, DriverError, LaunchConfig, PinnedHostBuffer, SyncPolicy,
    launch_kernel_cooperative_on_stream, launch_kernel_ex_cooperative_on_stream, launch_kernel_ex_on_stream, launch_kernel_on_stream,
    memory, peer, sys, vmm,
};
use recording::{IMAGE, Recording};

#[test]
fn a_buffer_goes_there_and_back() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let mut buffer = DeviceBuffer::from_host(&stream, &[1u16, 2, 3])?;
    assert_eq!(recording.calls(), ["retain", "allocate 6", "to device 6", "synchronize"]);
    buffer.copy_from_host(&stream, &[4, 5, 6])?;
    assert_eq!(buffer.to_host_vec(&stream)?, [4, 5, 6]);
    assert_eq!(recording.calls(), ["to device 6", "synchronize", "to host 6", "synchronize"]);
    let zeroed = DeviceBuffer::<u64>::zeroed(&stream, 2)?;
    assert_eq!(recording.calls(), ["allocate 16", "fill 16 with 0"]);
    drop((zeroed, buffer, stream, ctx));
    assert_eq!(recording.calls(), ["free", "free", "release"]);
    Ok(())
}

#[test]
fn no_bytes_are_no_calls() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    recording.calls();
    let mut empty = DeviceBuffer::<f32>::zeroed(&stream, 0)?;
    empty.copy_from_host(&stream, &[])?;
    assert_eq!((empty.cu_deviceptr(), empty.to_host_vec(&stream)?), (0, vec![]));
    let units = DeviceBuffer::from_host(&stream, &[(), ()])?;
    assert_eq!((units.cu_deviceptr(), units.to_host_vec(&stream)?), (0, vec![(), ()]));
    drop((empty, units));
    assert_eq!(recording.calls(), [""; 0]);
    let overflow = DeviceBuffer::<u64>::zeroed(&stream, usize::MAX / 4).unwrap_err();
    assert_eq!(overflow.0, sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE);
    Ok(())
}

#[test]
fn casts_keep_the_memory() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let buffer = DeviceBuffer::from_host(&stream, &[1u32, 2, 3, 4])?.cast_elem::<i32>();
    let buffer = buffer.cast_chunks::<[i32; 3]>().unwrap_err();
    let buffer = buffer.cast_chunks::<[i32; 2]>().unwrap();
    assert_eq!(buffer.to_host_vec(&stream)?, [[1, 2], [3, 4]]);
    recording.calls();
    drop(buffer);
    assert_eq!(recording.calls(), ["free"]);
    Ok(())
}

#[test]
fn an_error_in_drop_is_the_next_calls() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let first = DeviceBuffer::<u8>::zeroed(&stream, 1)?;
    let second = DeviceBuffer::<u8>::zeroed(&stream, 1)?;
    recording.break_call(c"cuMemFree_v2", sys::cudaError_enum_CUDA_ERROR_ILLEGAL_ADDRESS);
    drop(first);
    recording.mend();
    // Another drop neither reports nor clears it.
    drop(second);
    let error = stream.synchronize().unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(
            "DriverError(700, \"an illegal memory access was encountered\"): CUDA_ERROR_ILLEGAL_ADDRESS: an earlier cuMemFree_v2; hint: "
        ),
        "{text}"
    );
    stream.synchronize()
}

#[test]
fn what_a_driver_lacks_is_an_error_of_the_call() {
    let _recording = Recording::begin();
    let mut bytes = 0;
    // SAFETY: the driver stores a size.
    let result = unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, 0) };
    assert_eq!(result, sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(CudaContext::new(2).unwrap_err().0, sys::cudaError_enum_CUDA_ERROR_INVALID_DEVICE);
    assert_eq!(DriverError(12345).to_string(), "DriverError(12345, unknown to the driver)");
}

#[test]
fn a_kernel_is_found_and_launched() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    recording.calls();
    let bad = ctx.load_module_from_ptx_src("nonsense").unwrap_err();
    assert_eq!(bad.0, sys::cudaError_enum_CUDA_ERROR_INVALID_PTX);
    let module = ctx.load_module_from_ptx_src(IMAGE)?;
    assert_eq!(module.load_function("missing").unwrap_err().0, sys::cudaError_enum_CUDA_ERROR_NOT_FOUND);
    let kernel = module.load_function("scale")?;
    drop(module);
    let LaunchConfig { grid_dim, block_dim, .. } = LaunchConfig::for_num_elems(1000);
    let (mut address, mut factor, mut whole) = (0x0102_0304_0506_0708_u64, 2.0f32, 1u8);
    let mut words = [(&raw mut address).cast(), (&raw mut factor).cast(), (&raw mut whole).cast()];
    // SAFETY: the kernel takes as many bytes.
    unsafe { launch_kernel_on_stream(&kernel, grid_dim, block_dim, 64, &stream, &mut words) }?;
    drop(kernel);
    let launch = "launch scale (4, 1, 1) (256, 1, 1) 64 (0807060504030201 00000040 01)";
    assert_eq!(recording.calls(), ["load", launch, "unload"]);
    Ok(())
}

#[test]
fn clusters_and_cooperation_are_attributes() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let kernel = ctx.load_module_from_ptx_src(IMAGE)?.load_function("add")?;
    recording.calls();
    let (grid, block, cluster) = ((8, 1, 1), (32, 4, 1), (2, 3, 4));
    let mut argument = 7u32;
    let mut words = [(&raw mut argument).cast()];
    // SAFETY: the kernel takes one u32.
    unsafe {
        launch_kernel_ex_on_stream(&kernel, grid, block, 16, cluster, &stream, &mut words)?;
        launch_kernel_cooperative_on_stream(&kernel, grid, block, 16, &stream, &mut words)?;
        launch_kernel_ex_cooperative_on_stream(&kernel, grid, block, 16, cluster, &stream, &mut words)?;
    }
    let launch = |attributes| format!("launch add (8, 1, 1) (32, 4, 1) 16{attributes} (07000000)");
    let expected = [" cluster (2, 3, 4)", " cooperative 1", " cluster (2, 3, 4) cooperative 1"].map(launch);
    assert_eq!(recording.calls(), expected);
    Ok(())
}

#[test]
fn the_first_stream_sees_what_the_default_one_did() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    recording.calls();
    let first = ctx.new_stream()?;
    let second = ctx.new_stream()?;
    assert_eq!(recording.calls(), ["synchronize all", "create stream 1", "create stream 1"]);
    drop((first, second));
    let _third = ctx.new_stream()?;
    assert_eq!(recording.calls(), ["destroy stream", "destroy stream", "synchronize all", "create stream 1"]);
    Ok(())
}

#[test]
fn streams_wait_for_each_other_by_events() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.new_stream()?;
    recording.calls();
    let forked = stream.fork()?;
    let wait = ["create event 2", "record event", "wait for event", "destroy event"];
    assert_eq!(recording.calls(), [&["create stream 1"], &wait[..]].concat());
    stream.join(&forked)?;
    assert_eq!(recording.calls(), wait);
    let timing = Some(sys::CUevent_flags_enum_CU_EVENT_DEFAULT);
    let (start, end) = (stream.record_event(timing)?, stream.record_event(timing)?);
    assert_eq!(recording.calls(), ["create event 0", "record event", "create event 0", "record event"]);
    assert_eq!((start.elapsed_ms(&end)?, end.query()?), (0.5, true));
    Ok(())
}

#[test]
fn a_host_function_runs_once_and_its_panic_ends_there() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.new_stream()?;
    let count = Arc::new(AtomicU32::new(0));
    let counted = count.clone();
    stream.launch_host_function(move || counted.store(1, Ordering::Relaxed))?;
    stream.launch_host_function(|| panic!("on a thread of the driver's"))?;
    assert_eq!((count.load(Ordering::Relaxed), Arc::strong_count(&count)), (1, 1));
    recording.break_call(c"cuLaunchHostFunc", 1);
    let kept = count.clone();
    stream.launch_host_function(move || drop(kept)).unwrap_err();
    assert_eq!(Arc::strong_count(&count), 1, "what the driver refuses is dropped");
    recording.mend();
    Ok(())
}

#[test]
fn buffers_in_stream_order_are_freed_in_it() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let (ctx, elsewhere) = (CudaContext::new(0)?, CudaContext::new(1)?);
    let (stream, other) = (ctx.new_stream()?, ctx.new_stream()?);
    let pool = ctx.new_memory_pool()?;
    recording.calls();
    // SAFETY: nothing else uses the buffers.
    unsafe {
        DeviceBuffer::<u32>::uninitialized_async(&stream, 4)?.drop_async(&stream)?;
        assert_eq!(recording.calls(), ["allocate 16", "free in order"]);
        DeviceBuffer::<u32>::uninitialized_from_pool_async(&pool, &stream, 4)?.cast_elem::<i32>().drop_async(&other)?;
        let wait = ["create event 2", "record event", "wait for event", "destroy event"];
        assert_eq!(recording.calls(), [&["allocate 16"], &wait[..], &["free in order"]].concat());
        drop(DeviceBuffer::<u32>::uninitialized_async(&stream, 4)?);
        assert_eq!(recording.calls(), ["allocate 16", "synchronize all", "free in order"]);
        let refused = DeviceBuffer::<u32>::uninitialized_async(&stream, 4)?.drop_async(&elsewhere.default_stream()).unwrap_err();
        assert_eq!(refused.0, sys::cudaError_enum_CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(recording.calls(), ["allocate 16", "synchronize all", "free in order"]);
        DeviceBuffer::<u32>::uninitialized_async(&stream, 0)?.drop_async(&stream)?;
        let synchronous = DeviceBuffer::<u32>::zeroed(&stream, 1)?;
        recording.break_call(c"cuMemFreeAsync", sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE);
        synchronous.drop_async(&stream)?;
        recording.mend();
        assert_eq!(recording.calls(), ["allocate 4", "fill 4 with 0", "free"]);
    }
    assert_eq!(recording.calls(), [""; 0]);
    Ok(())
}

#[test]
fn pinned_memory_is_a_slice() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.new_stream()?;
    recording.calls();
    let mut pinned = PinnedHostBuffer::from_slice(&ctx, &[1u32, 2, 3])?;
    pinned[1] = 7;
    // SAFETY: the recorder copies at once.
    let mut buffer = unsafe { DeviceBuffer::from_pinned_host(&stream, &pinned) }?;
    let mut back = PinnedHostBuffer::zeroed(&ctx, 4)?;
    assert_eq!(back.as_slice(), [0; 4]);
    buffer.copy_to_pinned_host(&stream, &mut back)?;
    assert_eq!(back.as_slice(), [1, 7, 3, 0]);
    back.fill(9);
    // SAFETY: as above.
    unsafe {
        buffer.copy_from_pinned_host_async(&stream, &PinnedHostBuffer::from_slice(&ctx, &[5])?)?;
        buffer.copy_to_pinned_host_async(&stream, &mut back)?;
    }
    assert_eq!(back.as_slice(), [5, 7, 3, 9]);
    let empty = PinnedHostBuffer::<u64>::zeroed(&ctx, 0)?;
    assert_eq!((empty.as_slice(), PinnedHostBuffer::from_slice(&ctx, &[(), ()])?.len()), (&[][..], 2));
    let calls = recording.calls();
    assert_eq!(calls.iter().filter(|call| call.starts_with("pin")).collect::<Vec<_>>(), ["pin 12", "pin 16", "pin 4"]);
    Ok(())
}

#[test]
fn a_graph_is_captured_and_launched_again_and_again() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.new_stream()?;
    let mut buffer = DeviceBuffer::from_host(&stream, &[1u8, 2, 3])?;
    recording.calls();
    let graph = stream.capture(|stream| buffer.zero_async(stream))?;
    assert_eq!((recording.calls(), graph.node_count()?), (vec!["begin capture 1".into(), "end capture".into()], 1));
    // SAFETY: the graph has no kernel.
    let mut exec = unsafe { graph.instantiate() }?;
    // SAFETY: the buffer is alive.
    unsafe { exec.launch(&stream) }?;
    // SAFETY: as above.
    unsafe { exec.launch(&stream) }?;
    assert_eq!(recording.calls(), ["instantiate graph", "fill 3 with 0", "launch graph", "fill 3 with 0", "launch graph"]);
    // SAFETY: as above.
    unsafe { exec.update(&graph) }?;
    let refused = stream.capture(|stream| buffer.copy_from_host(stream, &[4, 5, 6])).unwrap_err();
    assert_eq!(refused.0, sys::cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(buffer.to_host_vec(&stream)?, [0, 0, 0], "the stream is no longer captured");
    let once = stream.capture(|stream| stream.launch_host_function(|| ())).unwrap_err();
    assert_eq!(once.0, sys::cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    Ok(())
}

#[test]
fn each_call_finds_its_own_context() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let (first, second) = (CudaContext::new(0)?, CudaContext::new(1)?);
    let (near, far) = (first.new_stream()?, second.new_stream()?);
    let here = DeviceBuffer::from_host(&near, &[1, 2])?;
    let there = DeviceBuffer::from_host(&far, &[3, 4])?;
    assert_eq!((here.to_host_vec(&near)?, there.to_host_vec(&far)?), (vec![1, 2], vec![3, 4]));
    let kernel = second.load_module_from_ptx_src(IMAGE)?.load_function("add")?;
    near.synchronize()?;
    let mut argument = 7u32;
    // SAFETY: the kernel takes one u32.
    unsafe { launch_kernel_on_stream(&kernel, (1, 1, 1), (1, 1, 1), 0, &far, &mut [(&raw mut argument).cast()]) }?;
    let timing = near.record_event(None)?;
    thread::spawn(move || drop((there, here, kernel, timing, far, near))).join().unwrap();
    first.check_err()?;
    second.check_err()?;
    drop((first, second));
    let end = recording.end();
    assert_eq!((end.violations, end.leaks), (vec![], vec![]));
    Ok(())
}

#[test]
fn memory_of_another_device() -> Result<(), DriverError> {
    const NOT_ENABLED: DriverError = DriverError(sys::cudaError_enum_CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    let recording = Recording::begin();
    let (first, second) = (CudaContext::new(0)?, CudaContext::new(1)?);
    let (near, far) = (first.default_stream(), second.default_stream());
    let mut here = DeviceBuffer::from_host(&near, &[1u8, 2])?;
    let mut there = DeviceBuffer::from_host(&far, &[3u8, 4])?;
    assert_eq!(DeviceBuffer::<u8>::zeroed(&far, 0)?.use_from(&first), Ok(()));
    recording.calls();
    // A fill, as a kernel, needs access; nobody is asked where there is none.
    let error = there.zero_async(&near).unwrap_err();
    assert_eq!(error, NOT_ENABLED);
    assert!(error.to_string().contains("device 0 cannot access the memory at 0x"), "{error}");
    assert!(error.to_string().contains("hint: enable it with `peer::enable_peer_access`"), "{error}");
    assert_eq!(here.use_from(&second), Err(NOT_ENABLED));
    assert_eq!(recording.calls(), [""; 0]);
    // Copies go through the host where it must be.
    assert_eq!(there.to_host_vec(&near)?, [3, 4]);
    here.copy_from_device_async(&there, &near)?;
    assert_eq!(recording.calls(), ["to host 2", "synchronize", "within device 2"]);
    // The copy may still read the source when that is dropped.
    drop(there);
    assert_eq!(recording.calls(), ["retain", "synchronize all", "release", "free"]);
    assert_eq!(here.to_host_vec(&near)?, [3, 4]);
    peer::enable_peer_access(&second, &first)?;
    here.zero_async(&far)?;
    let here = here.cast_elem::<i8>();
    recording.calls();
    drop(here);
    assert_eq!(recording.calls(), ["retain", "synchronize all of the other device", "release", "free"]);
    // Copies that may still run are waited for as well, in either direction.
    let mut pinned = PinnedHostBuffer::zeroed(&first, 2)?;
    for copy in 0..3 {
        let mut there = DeviceBuffer::from_host(&far, &[5u8, 6])?;
        // SAFETY: the recorder's copies have run when they return.
        unsafe {
            match copy {
                0 => there.copy_from_host_async_unchecked(&near, &[7, 8]),
                1 => there.copy_from_pinned_host_async(&near, &pinned),
                _ => there.copy_to_pinned_host_async(&near, &mut pinned),
            }
        }?;
        recording.calls();
        drop(there);
        assert_eq!(recording.calls(), ["retain", "synchronize all", "release", "free"], "{copy}");
    }
    let own = DeviceBuffer::from_host(&near, &[1u8])?;
    own.use_from(&first)?;
    recording.calls();
    drop(own);
    assert_eq!(recording.calls(), ["free"]);
    assert_eq!((first.check_err(), second.check_err()), (Ok(()), Ok(())));
    Ok(())
}

#[test]
fn host_memory_is_the_devices_until_a_copy_has_ended() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.new_stream()?;
    let mut buffer = DeviceBuffer::from_host(&stream, &[1u8, 2])?;
    let mut pinned = PinnedHostBuffer::zeroed(&ctx, 2)?;
    let code = sys::cudaError_enum_CUDA_ERROR_LAUNCH_FAILED;
    for call in [c"cuStreamSynchronize", c"cuMemcpyDtoHAsync_v2", c"cuMemcpyHtoDAsync_v2"] {
        recording.break_call(call, code);
        let [to_host, to_device] = [c"cuMemcpyHtoDAsync_v2", c"cuMemcpyDtoHAsync_v2"].map(|other| call != other);
        recording.calls();
        let waits = |failed: Result<(), DriverError>, expected: bool| {
            assert_eq!(failed, if expected { Err(DriverError(code)) } else { Ok(()) }, "{call:?}");
            let last = recording.calls().pop();
            assert_eq!(last.as_deref(), Some(if expected { "synchronize all" } else { "synchronize" }), "{call:?}");
            if let Err(error) = failed {
                assert!(error.to_string().contains(call.to_str().unwrap()), "{error}");
            }
        };
        waits(buffer.to_host_vec(&stream).map(drop), to_host);
        waits(buffer.copy_to_host(&stream, &mut [0; 2]), to_host);
        waits(buffer.copy_to_pinned_host(&stream, &mut pinned), to_host);
        waits(buffer.copy_from_host(&stream, &[3, 4]), to_device);
        let failed = DeviceBuffer::from_host(&stream, &[5u8, 6]).map(|_| ());
        let calls = recording.calls();
        assert_eq!(calls.contains(&"synchronize all".into()), failed.is_err(), "{call:?}");
        recording.mend();
    }
    Ok(())
}

#[test]
fn peers_are_enabled_once() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let (first, second) = (CudaContext::new(0)?, CudaContext::new(1)?);
    assert!(peer::can_access_peer(&first, &second)? && !peer::can_access_peer(&first, &first)?);
    peer::disable_peer_access(&first, &second)?;
    peer::enable_peer_access(&first, &second)?;
    peer::enable_peer_access(&first, &second)?;
    peer::disable_peer_access(&first, &second)
}

#[test]
fn limits_and_policies() -> Result<(), DriverError> {
    let _recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    ctx.set_stack_size(4096)?;
    assert_eq!(ctx.stack_size()?, 4096);
    for policy in [SyncPolicy::Auto, SyncPolicy::Spin, SyncPolicy::Yield, SyncPolicy::BlockingSync] {
        ctx.set_sync_policy(policy)?;
        assert_eq!(ctx.sync_policy()?, Some(policy));
    }
    // SAFETY: the recorder keeps any flags; CU_CTX_MAP_HOST is none of how threads wait.
    assert_eq!(unsafe { sys::cuDevicePrimaryCtxSetFlags_v2(0, 8 | 3) }, 0);
    assert_eq!(ctx.sync_policy()?, None);
    ctx.set_sync_policy(SyncPolicy::Spin)?;
    let (mut flags, mut active) = (0, 0);
    // SAFETY: both are written.
    assert_eq!(unsafe { sys::cuDevicePrimaryCtxGetState(0, &mut flags, &mut active) }, 0);
    assert_eq!((flags, active, ctx.memory_info()?), (8 | 1, 1, (1 << 20, 1 << 20)));
    Ok(())
}

#[test]
fn only_a_lone_owner_resets_its_context() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.new_stream()?;
    let active = sys::cudaError_enum_CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE;
    assert_eq!(ctx.clone().reset().unwrap_err().0, active);
    drop(stream);
    let second = CudaContext::new(0)?;
    assert_eq!(ctx.reset().unwrap_err().0, active);
    recording.calls();
    second.reset()?;
    assert_eq!(recording.calls(), ["reset", "release"]);
    Ok(())
}

#[test]
fn virtual_memory_is_undone_from_the_top() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let device = ctx.cu_device();
    {
        let size = vmm::align_size(5000, vmm::allocation_granularity(device)?);
        let range = vmm::VirtualReservation::new(2 * size, 0)?;
        let memory = vmm::PhysicalAllocation::new(device, size)?;
        let mapping = vmm::Mapping::new(range.base() + size as u64, size, &memory, 0)?;
        assert_eq!((size, mapping.va(), memory.device()), (8192, range.base() + 8192, device));
        drop(memory);
        vmm::set_access(mapping.va(), size, &[0, 1])?;
        assert!(vmm::multicast_supported(device)?);
        let size = vmm::multicast_granularity(2, size, vmm::MulticastGranularity::Minimum)?;
        let (object, memory) = (vmm::MulticastObject::new(2, size)?, vmm::PhysicalAllocation::new(device, size)?);
        object.add_device(device)?;
        let binding = object.bind_mem(0, &memory, 0, size)?;
        drop(object);
        drop(binding);
    }
    drop(ctx);
    let end = recording.end();
    assert_eq!((end.violations, end.leaks), (vec![], vec![]));
    Ok(())
}

#[test]
fn a_constant_is_written_in_three_ways() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.new_stream()?;
    let module = ctx.load_module_from_ptx_src(IMAGE)?;
    assert_eq!(module.get_global("OTHER").unwrap_err().0, sys::cudaError_enum_CUDA_ERROR_NOT_FOUND);
    let (address, bytes) = module.get_global("WEIGHTS")?;
    // SAFETY: it is a constant of 8 bytes, as long as the module is loaded.
    let constant = unsafe { ConstantHandle::from_raw(address) };
    assert_eq!(bytes, 8);
    recording.calls();
    let staged = || 0x11_u64.to_ne_bytes().map(MaybeUninit::new).into();
    constant.write_async_staged(&stream, staged())?;
    assert_eq!(recording.calls(), ["to device 8", "host function"]);
    recording.break_call(c"cuLaunchHostFunc", 1);
    constant.write_async_staged(&stream, staged())?;
    recording.mend();
    assert_eq!(recording.calls(), ["to device 8", "synchronize"]);
    let value = 0x22_u64;
    // SAFETY: the recorder copies at once, 8 bytes.
    unsafe { constant.write_async(&stream, (&raw const value).cast(), 8) }?;
    // SAFETY: as above.
    unsafe { constant.write_blocking(&module, (&raw const value).cast(), 8) }?;
    assert_eq!(recording.calls(), ["to device 8", "to device 8"]);
    let mut back = 0_u64;
    // SAFETY: both hold 8 bytes, and the recorder copies at once.
    unsafe { memory::memcpy_dtoh_async(&raw mut back, address, 8, stream.cu_stream()) }?;
    assert_eq!(back, value);
    Ok(())
}
