//! Streams and events.

use std::{
    ffi::{c_uint, c_void},
    mem,
};

use cuda_core::sys::*;

use crate::{call, state::*};

entry_points! {
    call fn cuStreamCreate(stream: *mut CUstream, flags: c_uint) {
        let mut state = state();
        let device = state.current()?;
        *stream = handle(state.add(device, Data::Stream { captured: None, invalid: false }));
        state.record(format!("create stream {flags}"))
    }
    give_back fn cuStreamDestroy_v2(stream: CUstream) {
        let mut state = state();
        state.give_back(stream.addr(), "stream")?;
        state.record("destroy stream")
    }
    call fn cuStreamSynchronize(stream: CUstream) {
        let mut state = state();
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        state.wait("synchronize")
    }
    call fn cuStreamWaitEvent(stream: CUstream, event: CUevent, _flags: c_uint) {
        let mut state = state();
        state.get(event.addr(), "event")?;
        state.queue(stream, Work::Mark)?;
        state.record("wait for event")
    }
    call fn cuStreamBeginCapture_v2(stream: CUstream, mode: CUstreamCaptureMode) {
        let mut state = state();
        state.get(stream.addr(), "stream")?.data = Data::Stream { captured: Some(Vec::new()), invalid: false };
        state.record(format!("begin capture {mode}"))
    }
    give_back fn cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph) {
        let mut state = state();
        let device = state.current()?;
        let Data::Stream { captured, invalid } = &mut state.get(stream.addr(), "stream")?.data else { unreachable!() };
        let Some(captured) = captured.take() else { return Err(cudaError_enum_CUDA_ERROR_ILLEGAL_STATE) };
        let invalid = mem::take(invalid);
        // A capture that fails leaves no graph, also where it was told to fail.
        if invalid || state.calls == state.failing { return Err(cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) }
        *graph = handle(state.add(device, Data::Graph(captured)));
        state.record("end capture")
    }
    call fn cuStreamIsCapturing(stream: CUstream, status: *mut CUstreamCaptureStatus) {
        let captured = !stream.is_null() && matches!(state().get(stream.addr(), "stream")?.data, Data::Stream { captured: Some(_), .. });
        *status = CUstreamCaptureStatus::from(captured);
        Ok(())
    }
    call fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void) {
        state().queue(stream, Work::Function(function, data.expose_provenance()))
    }
    call fn cuEventCreate(event: *mut CUevent, flags: c_uint) {
        let mut state = state();
        let device = state.current()?;
        *event = handle(state.add(device, Data::Event));
        state.record(format!("create event {flags}"))
    }
    give_back fn cuEventDestroy_v2(event: CUevent) {
        let mut state = state();
        state.give_back(event.addr(), "event")?;
        state.record("destroy event")
    }
    call fn cuEventRecord(event: CUevent, stream: CUstream) {
        let mut state = state();
        state.get(event.addr(), "event")?;
        state.queue(stream, Work::Mark)?;
        state.record("record event")
    }
    call fn cuEventQuery(event: CUevent) { state().get(event.addr(), "event").map(|_| ()) }
    call fn cuEventSynchronize(event: CUevent) { state().get(event.addr(), "event").map(|_| ()) }
    call fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent) {
        let mut state = state();
        state.get(start.addr(), "event")?;
        state.get(end.addr(), "event")?;
        *milliseconds = 0.5;
        Ok(())
    }
}
