//! Streams, their host functions, and capture.

use std::{
    collections::BTreeSet,
    ffi::{c_int, c_uint, c_void},
    ptr,
};

use super::call::{entry_points, list, passed, store, store_if};
use crate::driver::{
    capture::{self, enqueue},
    device,
    error::{Error, Result},
    handle::{Handle, handle},
    memory, queue, state,
    stream::{Stream, TailHandle},
    transfer::{Condition, Value},
    work::{HostFunction, Work},
};

type HostRun = unsafe extern "C" fn(*mut c_void);
type Callback = unsafe extern "C" fn(Handle, c_uint, *mut c_void);

/// `CU_STREAM_CAPTURE_STATUS_…`.
const NONE: c_uint = 0;
const ACTIVE: c_uint = 1;
const INVALIDATED: c_uint = 2;

fn create(flags: c_uint, priority: c_int) -> Result<Handle> {
    let mut state = state::context()?;
    if flags & !device::STREAM_NON_BLOCKING != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let (number, context) = (state.handle(), state.number);
    let priority = priority.clamp(device::GREATEST_PRIORITY, device::LEAST_PRIORITY);
    state.streams.insert(number, Stream::new(context, flags, priority));
    Ok(handle(number))
}

/// A property of a stream.
fn property<T>(stream: Handle, what: impl FnOnce(&Stream) -> T) -> Result<T> {
    let mut state = state::context()?;
    let stream = state.stream(stream)?;
    state.streams.get(&stream).map(what).ok_or(Error::INVALID_HANDLE)
}

/// Where a call stores the properties of a capture.
struct CaptureInfo {
    status: *mut c_uint,
    id: *mut u64,
    graph: *mut Handle,
    dependencies: *mut *const Handle,
    count: *mut usize,
}

impl CaptureInfo {
    /// # Safety
    ///
    /// Each is null or may be written.
    unsafe fn store_all(self, stream: Handle) -> Result<()> {
        let mut state = state::context()?;
        let stream = state.stream(stream)?;
        let capture = state.streams.get_mut(&stream).and_then(|stream| stream.capture.as_mut());
        let status = match &capture {
            None => NONE,
            Some(capture) if capture.is_invalid => INVALIDATED,
            Some(_) => ACTIVE,
        };
        // SAFETY: the caller's.
        unsafe {
            store(self.status, status)?;
            let Some(capture) = capture else { return Ok(()) };
            store_if(self.id, capture.id);
            store_if(self.graph, handle(capture.graph));
            capture.tail_handles = capture.tail.iter().map(|&node| TailHandle(handle(node))).collect();
            store_if(self.dependencies, capture.tail_handles.as_ptr().cast());
            store_if(self.count, capture.tail_handles.len());
        }
        Ok(())
    }
}

/// The numbers of nodes, whose edges must be plain ones.
///
/// # Safety
///
/// There are as many.
pub(super) unsafe fn nodes(nodes: *const Handle, count: usize) -> Result<BTreeSet<usize>> {
    // SAFETY: the caller's.
    Ok(unsafe { list(nodes, count) }?.iter().map(|node| node.addr()).collect())
}

/// Refuses edges of a graph that are not plain ones.
///
/// # Safety
///
/// There are as many, of 8 bytes each, or it is null.
pub(super) unsafe fn plain_edges(edges: *const u64, count: usize) -> Result<()> {
    // SAFETY: the caller's.
    if edges.is_null() || unsafe { list(edges, count) }?.iter().all(|&edge| edge == 0) { Ok(()) } else { Err(Error::NOT_SUPPORTED) }
}

fn wait_value(stream: Handle, value: Value, flags: c_uint) -> Result<()> {
    /// `CU_STREAM_WAIT_VALUE_FLUSH`: remote writes are visible without it.
    const FLUSH: c_uint = 1 << 30;
    let condition = match flags & !FLUSH {
        0 => Condition::AtLeast,
        1 => Condition::Equal,
        2 => Condition::And,
        3 => Condition::Nor,
        _ => return Err(Error::INVALID_VALUE),
    };
    let mut state = state::context()?;
    let number = state.stream(stream)?;
    value.check()?;
    enqueue(state, number, Work::WaitValue(value, condition), Vec::new()).map(drop)
}

fn write_value(stream: Handle, value: Value, flags: c_uint) -> Result<()> {
    /// `CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER`, a permission.
    const NO_MEMORY_BARRIER: c_uint = 1;
    let mut state = state::context()?;
    let number = state.stream(stream)?;
    value.check()?;
    if flags & !NO_MEMORY_BARRIER != 0 {
        return Err(Error::INVALID_VALUE);
    }
    enqueue(state, number, Work::WriteValue(value), Vec::new()).map(drop)
}

entry_points! {
    fn cuStreamCreate(stream: *mut Handle, flags: c_uint) since 2000 { store(stream, create(flags, device::LEAST_PRIORITY)?) }
    fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, priority: c_int) since 5050 { store(stream, create(flags, priority)?) }
    // What is queued is done all the same.
    fn cuStreamDestroy_v2(stream: Handle) since 4000 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        if state.is_legacy(number) || state.is_per_thread(number) {
            return Err(Error::INVALID_HANDLE);
        }
        let removed = state.streams.remove(&number);
        if let Some(capture) = removed.and_then(|stream| stream.capture) {
            state.remove_from_capture(number, capture);
        }
        Ok(())
    }
    fn cuStreamSynchronize / cuStreamSynchronize_ptsz(stream: Handle) since 2000 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        state.check_not_capturing(number)?;
        let (context, until) = (state.streams[&number].context, state.until(number));
        drop(state);
        queue::wait(&until);
        state::failure(context).map_or(Ok(()), Err)
    }
    fn cuStreamQuery / cuStreamQuery_ptsz(stream: Handle) since 2000 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        state.check_not_capturing(number)?;
        if state.until(number).is_empty() { Ok(()) } else { Err(Error::NOT_READY) }
    }
    fn cuStreamGetCtx / cuStreamGetCtx_ptsz(stream: Handle, context: *mut Handle) since 9020 {
        let number = property(stream, |stream| stream.context)?;
        store(context, handle(number))
    }
    fn cuStreamGetCtx_v2 / cuStreamGetCtx_v2_ptsz(stream: Handle, context: *mut Handle, green: *mut Handle) since 12050 {
        store_if(green, ptr::null_mut());
        passed(cuStreamGetCtx(stream, context))
    }
    fn cuStreamGetDevice / cuStreamGetDevice_ptsz(stream: Handle, number: *mut c_int) since 12080 {
        let context = property(stream, |stream| stream.context)?;
        let device = state::context()?.contexts.get(&context).ok_or(Error::CONTEXT_IS_DESTROYED)?.device;
        store(number, device as c_int)
    }
    fn cuStreamGetPriority / cuStreamGetPriority_ptsz(stream: Handle, priority: *mut c_int) since 5050 { store(priority, property(stream, |stream| stream.priority)?) }
    fn cuStreamGetFlags / cuStreamGetFlags_ptsz(stream: Handle, flags: *mut c_uint) since 5050 { store(flags, property(stream, |stream| stream.flags)?) }
    fn cuStreamGetId / cuStreamGetId_ptsz(stream: Handle, id: *mut u64) since 12000 { store(id, property(stream, |stream| stream.id)?) }
    fn cuStreamWaitEvent / cuStreamWaitEvent_ptsz(stream: Handle, event: Handle, flags: c_uint) since 3020 {
        const EXTERNAL: c_uint = 1;
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        let found = state.event(event)?;
        let (record, captured) = (found.record.clone(), found.captured.clone());
        if flags & !EXTERNAL != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let own = state.streams[&number].capture.clone();
        match (own, captured) {
            (Some(_), _) if flags & EXTERNAL != 0 => enqueue(state, number, Work::Wait(event.addr()), Vec::new()).map(drop),
            (Some(own), Some((id, nodes))) if own.id == id => {
                state.streams.entry(number).and_modify(|stream| if let Some(capture) = &mut stream.capture { capture.tail.extend(nodes) });
                Ok(())
            }
            (Some(own), Some((id, _))) => {
                state.invalidate(own.id);
                state.invalidate(id);
                Err(Error::STREAM_CAPTURE_MERGE)
            }
            (Some(_), None) if record.is_none() => Ok(()),
            (Some(own), None) => {
                state.invalidate(own.id);
                Err(Error::STREAM_CAPTURE_ISOLATION)
            }
            // The stream participates from here on.
            (None, Some((id, nodes))) => {
                let capture = state.streams.values().filter_map(|stream| stream.capture.as_ref()).find(|capture| capture.id == id).cloned();
                let mut capture = capture.ok_or(Error::CAPTURED_EVENT)?;
                if state.is_legacy(number) {
                    state.invalidate(id);
                    return Err(Error::STREAM_CAPTURE_IMPLICIT);
                }
                capture.tail = nodes;
                state.streams.entry(number).and_modify(|stream| stream.capture = Some(capture));
                Ok(())
            }
            (None, None) => match record.filter(|record| !record.is_over()) {
                Some(record) => enqueue(state, number, Work::Empty, vec![record]).map(drop),
                None => Ok(()),
            },
        }
    }
    fn cuLaunchHostFunc / cuLaunchHostFunc_ptsz(stream: Handle, run: Option<HostRun>, data: *mut c_void) since 10000 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        let function = HostFunction::Plain(run.ok_or(Error::INVALID_VALUE)?, data);
        enqueue(state, number, Work::Host(function), Vec::new()).map(drop)
    }
    fn cuStreamAddCallback / cuStreamAddCallback_ptsz(stream: Handle, run: Option<Callback>, data: *mut c_void, flags: c_uint) since 5000 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let function = HostFunction::Callback(run.ok_or(Error::INVALID_VALUE)?, stream, data);
        enqueue(state, number, Work::Host(function), Vec::new()).map(drop)
    }
    // Managed memory is everyone's.
    fn cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz(stream: Handle, address: u64, _bytes: usize, _flags: c_uint) since 6000 {
        state::context()?.stream(stream)?;
        memory::find(address).map(drop).ok_or(Error::INVALID_VALUE)
    }
    fn cuStreamCopyAttributes / cuStreamCopyAttributes_ptsz(to: Handle, from: Handle) since 11000 {
        let mut state = state::context()?;
        state.stream(to)?;
        state.stream(from).map(drop)
    }
    fn cuStreamGetAttribute / cuStreamGetAttribute_ptsz(stream: Handle, attribute: c_uint, value: *mut [u32; 16]) since 11000 {
        let priority = property(stream, |stream| stream.priority)?;
        let mut words = [0; 16];
        match attribute {
            // ACCESS_POLICY_WINDOW, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN: as nobody set them
            1 | 9 | 10 => {}
            // SYNCHRONIZATION_POLICY: AUTO
            3 => words[0] = 1,
            // PRIORITY
            8 => words[0] = priority as u32,
            _ => return Err(Error::INVALID_VALUE),
        }
        store(value, words)
    }
    fn cuStreamSetAttribute / cuStreamSetAttribute_ptsz(stream: Handle, attribute: c_uint, value: *const [u32; 16]) since 11000 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        let value = value.as_ref().ok_or(Error::INVALID_VALUE)?;
        match attribute {
            // ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN: hints
            1 | 3 | 9 | 10 => {}
            8 => {
                let priority = (value[0] as c_int).clamp(device::GREATEST_PRIORITY, device::LEAST_PRIORITY);
                state.streams.entry(number).and_modify(|stream| stream.priority = priority);
            }
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }

    fn cuStreamWaitValue32_v2 / cuStreamWaitValue32_v2_ptsz(stream: Handle, address: u64, value: u32, flags: c_uint) since 11070 {
        wait_value(stream, Value { address, value: value.into(), is_wide: false }, flags)
    }
    fn cuStreamWaitValue64_v2 / cuStreamWaitValue64_v2_ptsz(stream: Handle, address: u64, value: u64, flags: c_uint) since 11070 {
        wait_value(stream, Value { address, value, is_wide: true }, flags)
    }
    fn cuStreamWriteValue32_v2 / cuStreamWriteValue32_v2_ptsz(stream: Handle, address: u64, value: u32, flags: c_uint) since 11070 {
        write_value(stream, Value { address, value: value.into(), is_wide: false }, flags)
    }
    fn cuStreamWriteValue64_v2 / cuStreamWriteValue64_v2_ptsz(stream: Handle, address: u64, value: u64, flags: c_uint) since 11070 {
        write_value(stream, Value { address, value, is_wide: true }, flags)
    }

    fn cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz(stream: Handle, mode: c_uint) since 10010 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        if mode > capture::RELAXED {
            return Err(Error::INVALID_VALUE);
        }
        state.begin_capture(number, mode, None)
    }
    fn cuStreamBeginCaptureToGraph / cuStreamBeginCaptureToGraph_ptsz(
        stream: Handle, graph: Handle, dependencies: *const Handle, edges: *const u64, count: usize, mode: c_uint,
    ) since 12030 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        let before = nodes(dependencies, count)?;
        plain_edges(edges, count)?;
        let found = state.graph(graph.addr())?;
        if mode > capture::RELAXED || before.iter().any(|node| !found.nodes.contains_key(node)) {
            return Err(Error::INVALID_VALUE);
        }
        state.begin_capture(number, mode, Some((graph.addr(), before)))
    }
    fn cuStreamEndCapture / cuStreamEndCapture_ptsz(stream: Handle, graph: *mut Handle) since 10000 {
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        let ended = state.end_capture(number);
        store(graph, handle(ended.unwrap_or_default()))?;
        ended.map(drop)
    }
    fn cuStreamIsCapturing / cuStreamIsCapturing_ptsz(stream: Handle, status: *mut c_uint) since 10000 {
        let [id, graph, dependencies, count] = [ptr::null_mut(); 4];
        CaptureInfo { status, id, graph: graph.cast(), dependencies: dependencies.cast(), count: count.cast() }.store_all(stream)
    }
    fn cuStreamGetCaptureInfo_v2 / cuStreamGetCaptureInfo_v2_ptsz(
        stream: Handle, status: *mut c_uint, id: *mut u64, graph: *mut Handle, dependencies: *mut *const Handle, count: *mut usize,
    ) since 11030 {
        CaptureInfo { status, id, graph, dependencies, count }.store_all(stream)
    }
    fn cuStreamGetCaptureInfo_v3 / cuStreamGetCaptureInfo_v3_ptsz(
        stream: Handle, status: *mut c_uint, id: *mut u64, graph: *mut Handle, dependencies: *mut *const Handle, edges: *mut *const u64,
        count: *mut usize,
    ) since 12030 {
        store_if(edges, ptr::null());
        CaptureInfo { status, id, graph, dependencies, count }.store_all(stream)
    }
    fn cuStreamUpdateCaptureDependencies_v2 / cuStreamUpdateCaptureDependencies_v2_ptsz(
        stream: Handle, dependencies: *const Handle, edges: *const u64, count: usize, flags: c_uint,
    ) since 12030 {
        const SET: c_uint = 1;
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        let added = nodes(dependencies, count)?;
        plain_edges(edges, count)?;
        let graph = state.streams[&number].capture.as_ref().ok_or(Error::ILLEGAL_STATE)?.graph;
        if flags > SET || added.iter().any(|node| !state.graphs[&graph].nodes.contains_key(node)) {
            return Err(Error::INVALID_VALUE);
        }
        state.streams.entry(number).and_modify(|stream| {
            if let Some(capture) = &mut stream.capture {
                if flags == SET {
                    capture.tail.clear();
                }
                capture.tail.extend(added);
            }
        });
        Ok(())
    }
    fn cuThreadExchangeStreamCaptureMode(mode: *mut c_uint) since 10010 {
        drop(state::driver()?);
        let mode = mode.as_mut().filter(|mode| **mode <= capture::RELAXED).ok_or(Error::INVALID_VALUE)?;
        *mode = capture::exchange_mode(*mode);
        Ok(())
    }
}
