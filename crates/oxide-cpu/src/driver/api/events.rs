//! Events: whether a stream has reached a point, and the time between two.

use std::ffi::c_uint;

use super::call::{entry_points, passed, store};
use crate::driver::{
    capture::enqueue,
    device,
    error::{Error, Result},
    handle::{Handle, handle},
    queue,
    state::{self, Event},
    stream::Stream,
    work::Work,
};

/// `CU_EVENT_DISABLE_TIMING`, `CU_EVENT_INTERPROCESS`, and all flags that there are.
const DISABLE_TIMING: c_uint = 2;
const INTERPROCESS: c_uint = 4;
const FLAGS: c_uint = 7;

fn record(event: Handle, stream: Handle, flags: c_uint) -> Result<()> {
    const EXTERNAL: c_uint = 1;
    let mut state = state::context()?;
    let number = state.stream(stream)?;
    let context = state.event(event)?.context;
    // Both are of one context (CUDA driver API reference, cuEventRecord).
    if state.streams[&number].context != context {
        return Err(Error::INVALID_HANDLE);
    }
    if flags & !EXTERNAL != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if let Some(capture) = state.streams[&number].capture.clone() {
        if capture.is_invalid {
            return Err(Error::STREAM_CAPTURE_INVALIDATED);
        }
        if flags & EXTERNAL != 0 {
            return enqueue(state, number, Work::Record(event.addr()), Vec::new()).map(drop);
        }
        state.event(event)?.captured = Some((capture.id, capture.tail));
        return Ok(());
    }
    let done = enqueue(state, number, Work::Empty, Vec::new())?;
    let mut state = state::context()?;
    let event = state.event(event)?;
    event.captured = None;
    event.record = done;
    Ok(())
}

entry_points! {
    fn cuEventCreate(event: *mut Handle, flags: c_uint) since 2000 {
        let mut state = state::context()?;
        if flags & !FLAGS != 0 || (flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0) {
            return Err(Error::INVALID_VALUE);
        }
        let (number, context) = (state.handle(), state.number);
        store(event, handle(number))?;
        state.events.insert(number, Event { context, flags, record: None, captured: None });
        Ok(())
    }
    fn cuEventDestroy_v2(event: Handle) since 4000 { state::context()?.events.remove(&event.addr()).map(drop).ok_or(Error::INVALID_HANDLE) }
    fn cuEventRecord / cuEventRecord_ptsz(event: Handle, stream: Handle) since 2000 { record(event, stream, 0) }
    fn cuEventRecordWithFlags / cuEventRecordWithFlags_ptsz(event: Handle, stream: Handle, flags: c_uint) since 11010 { record(event, stream, flags) }
    // Behind all that the context's streams hold now, and before all that they will.
    fn cuCtxRecordEvent(context: Handle, event: Handle) since 12050 {
        let mut state = state::context()?;
        let context = state.check_context(context)?;
        if state.event(event)?.context != context {
            return Err(Error::INVALID_HANDLE);
        }
        let unfinished = state.unfinished(|_, stream| stream.context == context);
        // A stream of its own.
        let number = state.handle();
        state.streams.insert(number, Stream::new(context, device::STREAM_NON_BLOCKING, device::LEAST_PRIORITY));
        let done = queue::submit(state, number, Work::Empty, unfinished);
        let mut state = state::context()?;
        state.streams.remove(&number);
        let event = state.event(event)?;
        (event.captured, event.record) = (None, Some(done?));
        Ok(())
    }
    fn cuCtxWaitEvent(context: Handle, event: Handle) since 12050 {
        let mut state = state::context()?;
        let context = state.check_context(context)?;
        let Some(record) = state.event(event)?.record.clone().filter(|record| !record.is_over()) else { return Ok(()) };
        let streams: Vec<usize> = state.streams.iter().filter(|(_, stream)| stream.context == context).map(|(&number, _)| number).collect();
        drop(state);
        streams.into_iter().try_for_each(|stream| queue::submit(state::context()?, stream, Work::Empty, vec![record.clone()]).map(drop))
    }
    fn cuEventQuery(event: Handle) since 2000 {
        let mut state = state::context()?;
        let event = state.event(event)?;
        if event.captured.is_some() {
            return Err(Error::CAPTURED_EVENT);
        }
        if event.record.as_ref().is_none_or(|record| record.is_over()) { Ok(()) } else { Err(Error::NOT_READY) }
    }
    fn cuEventSynchronize(event: Handle) since 2000 {
        let mut state = state::context()?;
        let event = state.event(event)?;
        if event.captured.is_some() {
            return Err(Error::CAPTURED_EVENT);
        }
        let (context, record) = (event.context, event.record.clone());
        drop(state);
        queue::wait(record.as_slice());
        state::failure(context).map_or(Ok(()), Err)
    }
    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) since 2000 {
        let mut state = state::context()?;
        let mut time = |event: Handle| {
            let event = state.event(event)?;
            if event.captured.is_some() {
                return Err(Error::CAPTURED_EVENT);
            }
            let record = event.record.clone().filter(|_| event.flags & DISABLE_TIMING == 0);
            record.map(|record| (event.context, record)).ok_or(Error::INVALID_HANDLE)
        };
        let ((first, start), (second, end)) = (time(start)?, time(end)?);
        if first != second {
            return Err(Error::INVALID_HANDLE);
        }
        let (start, end) = Option::zip(start.at(), end.at()).ok_or(Error::NOT_READY)?;
        let passed = end.saturating_duration_since(start).as_secs_f64() - start.saturating_duration_since(end).as_secs_f64();
        store(milliseconds, (passed * 1e3) as f32)
    }
    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: Handle, end: Handle) since 12080 { passed(cuEventElapsedTime(milliseconds, start, end)) }
}
