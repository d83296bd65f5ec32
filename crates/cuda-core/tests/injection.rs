//! Each scenario is run with a failure of its first call, then of its second, and so on: nothing leaks, nothing is given back twice or used
//! afterwards, and the error is reported.

mod recording;

use std::{mem::MaybeUninit, sync::Arc, thread};

use cuda_core::{
    ConstantHandle, CudaContext, DeviceBuffer, DriverError, PinnedHostBuffer, launch_kernel_cooperative_on_stream, launch_kernel_on_stream,
    peer, sys, vmm,
};
use recording::{IMAGE, Recording};

type Contexts = [Arc<CudaContext>; 2];
type Outcome = Result<(), DriverError>;

/// What the failing call returns.
const INJECTED: DriverError = DriverError(sys::cudaError_enum_CUDA_ERROR_ECC_UNCORRECTABLE);

/// Calls whose errors have no place: virtual memory and a context itself belong to no context.
const SILENT: [&str; 5] = ["cuDevicePrimaryCtxRelease_v2", "cuMemRelease", "cuMemUnmap", "cuMemAddressFree", "cuMulticastUnbind"];

fn run(scenario: fn(&Contexts) -> Outcome) -> Vec<Outcome> {
    let contexts = match (CudaContext::new(0), CudaContext::new(1)) {
        (Ok(first), Ok(second)) => [first, second],
        (first, second) => return vec![first.map(drop), second.map(drop)],
    };
    let outcome = scenario(&contexts);
    vec![outcome, contexts[0].check_err(), contexts[1].check_err()]
}

fn every_call_fails_in_turn(scenario: fn(&Contexts) -> Outcome) {
    every_call_fails_in_turn_or(scenario, &[]);
}

/// As above, where the scenario finds another way if one of these calls fails.
fn every_call_fails_in_turn_or(scenario: fn(&Contexts) -> Outcome, recovered: &[&str]) {
    let recording = Recording::begin();
    for call in 0.. {
        recording.fail_at(call);
        let outcomes = run(scenario);
        let end = recording.end();
        assert_eq!(end.violations, [""; 0], "call {call}: {:?}", end.failed);
        let Some(failed) = end.failed else {
            assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
            assert_eq!(end.leaks, [""; 0]);
            // Call 0 is none at all; after that, the scenario has fewer calls.
            if call == 0 {
                continue;
            } else {
                return assert!(call > 5);
            };
        };
        // A context that cannot be made current is gone, and what it holds with it.
        if failed != "cuCtxSetCurrent" {
            assert_eq!(end.leaks, [""; 0], "call {call}: {failed}");
        }
        // Where the current context cannot be told, it is set.
        if failed != "cuCtxGetCurrent" && !SILENT.contains(&failed) && !recovered.contains(&failed) {
            assert!(outcomes.contains(&Err(INJECTED)), "call {call}: {failed}: {outcomes:?}");
        }
    }
}

#[test]
fn buffers() {
    every_call_fails_in_turn(|[ctx, _]| {
        let stream = ctx.default_stream();
        let mut buffer = DeviceBuffer::from_host(&stream, &[1u32, 2, 3])?;
        let zeroed = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
        buffer.copy_from_device_async(&zeroed, &stream)?;
        buffer.copy_from_host(&stream, &[4, 5, 6])?;
        buffer.to_host_vec(&stream)?;
        buffer.copy_to_host(&stream, &mut [0; 3])
    });
}

#[test]
fn streams_and_events() {
    every_call_fails_in_turn(|[ctx, _]| {
        let stream = ctx.new_stream()?;
        let forked = stream.fork()?;
        forked.launch_host_function(|| ())?;
        stream.join(&forked)?;
        let timing = Some(sys::CUevent_flags_enum_CU_EVENT_DEFAULT);
        let (start, end) = (ctx.new_event(timing)?, stream.record_event(timing)?);
        start.record(&stream)?;
        start.query()?;
        start.elapsed_ms(&end)?;
        stream.synchronize()?;
        ctx.synchronize()
    });
}

#[test]
fn buffers_in_stream_order() {
    every_call_fails_in_turn(|[ctx, _]| {
        let (stream, other) = (ctx.new_stream()?, ctx.new_stream()?);
        let pool = ctx.new_memory_pool()?;
        pool.set_release_threshold(1 << 16)?;
        assert_eq!(pool.release_threshold()?, 1 << 16);
        // SAFETY: nothing uses the buffers.
        unsafe {
            let dropped = DeviceBuffer::<u64>::uninitialized_async(&stream, 8)?;
            let pooled = DeviceBuffer::<u64>::uninitialized_from_pool_async(&pool, &stream, 8)?;
            pooled.drop_async(&other)?;
            DeviceBuffer::from_host(&stream, &[1u8])?.drop_async(&stream)?;
            drop(dropped);
        }
        pool.trim_to(0)
    });
}

#[test]
fn pinned_memory() {
    every_call_fails_in_turn(|[ctx, _]| {
        let stream = ctx.new_stream()?;
        let source = PinnedHostBuffer::from_slice(ctx, &[1u16, 2, 3])?;
        let mut destination = PinnedHostBuffer::zeroed(ctx, 3)?;
        // SAFETY: the recorder copies at once.
        let buffer = unsafe { DeviceBuffer::from_pinned_host(&stream, &source) }?;
        buffer.copy_to_pinned_host(&stream, &mut destination)
    });
}

#[test]
fn modules_and_launches() {
    every_call_fails_in_turn(|[ctx, _]| {
        let stream = ctx.new_stream()?;
        let kernel = ctx.load_module_from_ptx_src(IMAGE)?.load_function("add")?;
        let mut number = 7u32;
        let mut parameters = [(&raw mut number).cast()];
        // SAFETY: the kernel takes one u32.
        unsafe {
            launch_kernel_on_stream(&kernel, (1, 1, 1), (32, 1, 1), 0, &stream, &mut parameters)?;
            launch_kernel_cooperative_on_stream(&kernel, (1, 1, 1), (32, 1, 1), 0, &stream, &mut parameters)?;
        }
        kernel.num_registers()?;
        stream.synchronize()
    });
}

#[test]
fn constants() {
    let scenario = |[ctx, _]: &Contexts| {
        let stream = ctx.new_stream()?;
        let module = ctx.load_module_from_ptx_src(IMAGE)?;
        let (address, bytes) = module.get_global("WEIGHTS")?;
        // SAFETY: the constant has as many bytes.
        unsafe { ConstantHandle::from_raw(address) }.write_async_staged(&stream, vec![MaybeUninit::new(1); bytes].into())?;
        stream.synchronize()
    };
    every_call_fails_in_turn_or(scenario, &["cuStreamIsCapturing", "cuLaunchHostFunc"]);
}

#[test]
fn graphs() {
    every_call_fails_in_turn(|[ctx, _]| {
        let stream = ctx.new_stream()?;
        let mut buffer = DeviceBuffer::from_host(&stream, &[1u8, 2, 3])?;
        let graph = stream.capture(|stream| {
            let forked = stream.record_event(None)?;
            buffer.zero_async(stream)?;
            stream.wait(&forked)
        })?;
        // SAFETY: the graph has no kernel.
        let mut exec = unsafe { graph.instantiate() }?;
        // SAFETY: as above.
        unsafe { exec.update(&graph) }?;
        drop(graph);
        // SAFETY: the buffer is alive.
        unsafe { exec.launch(&stream) }?;
        buffer.to_host_vec(&stream).map(drop)
    });
}

#[test]
fn two_devices_and_two_threads() {
    every_call_fails_in_turn(|[first, second]| {
        let (near, far) = (first.new_stream()?, second.new_stream()?);
        peer::enable_peer_access(first, second)?;
        let here = DeviceBuffer::from_host(&near, &[1, 2])?;
        let there = DeviceBuffer::from_host(&far, &[3, 4])?;
        let (kept, pinned) = (there.to_host_vec(&far)?, PinnedHostBuffer::from_slice(first, &[5])?);
        // Each is dropped where another context, or none, is current.
        thread::spawn(move || drop((there, here, pinned, near))).join().unwrap();
        let mut again = DeviceBuffer::from_host(&far, &kept)?;
        again.zero_async(&first.default_stream())?;
        again.copy_from_device_async(&DeviceBuffer::from_host(&first.default_stream(), &kept)?, &far)?;
        first.synchronize()?;
        drop(again);
        peer::disable_peer_access(first, second)
    });
}

#[test]
fn virtual_memory() {
    every_call_fails_in_turn(|[ctx, _]| {
        let size = vmm::allocation_granularity(ctx.cu_device())?;
        let range = vmm::VirtualReservation::new(2 * size, 0)?;
        let memory = vmm::PhysicalAllocation::new(ctx.cu_device(), size)?;
        let mapping = vmm::Mapping::new(range.base(), size, &memory, 0)?;
        vmm::set_access(mapping.va(), size, &[ctx.cu_device()])?;
        let multicast = vmm::MulticastObject::new(1, size)?;
        multicast.add_device(ctx.cu_device())?;
        let _binding = multicast.bind_mem(0, &memory, 0, size)?;
        let _everywhere = vmm::Mapping::new_multicast(range.base() + size as u64, size, &multicast, 0)?;
        Ok(())
    });
}

#[test]
fn limits() {
    every_call_fails_in_turn(|[ctx, _]| {
        ctx.set_stack_size(ctx.stack_size()? * 2)?;
        ctx.launch_limits()?;
        ctx.set_sync_policy(cuda_core::SyncPolicy::Yield)?;
        ctx.memory_info()?;
        ctx.device_name().map(drop)
    });
}
