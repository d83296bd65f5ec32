//! Stream capture: work that is queued in a stream becomes nodes of a graph.

use std::{
    cell::Cell,
    collections::BTreeSet,
    ffi::c_uint,
    ops::DerefMut,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    completion::Completion,
    device,
    error::{Error, Result},
    graph::{Graph, Kind},
    queue,
    state::{self, State},
    stream::Capture,
    work::Work,
};

/// `CU_STREAM_CAPTURE_MODE_GLOBAL` and `…_RELAXED`; 1 between them is `…_THREAD_LOCAL`.
const GLOBAL: c_uint = 0;
pub const RELAXED: c_uint = 2;

thread_local! {
    /// What the thread's calls are forbidden while streams capture.
    static MODE: Cell<c_uint> = const { Cell::new(GLOBAL) };
}

/// Sets the mode of this thread's calls and returns the one before.
pub fn exchange_mode(mode: c_uint) -> c_uint {
    MODE.replace(mode)
}

impl State {
    /// Begins a capture in a stream.
    ///
    /// # Errors
    ///
    /// `ILLEGAL_STATE` where it captures already; `STREAM_CAPTURE_UNSUPPORTED` for the legacy default stream.
    pub fn begin_capture(&mut self, stream: usize, mode: c_uint, into: Option<(usize, BTreeSet<usize>)>) -> Result<()> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        if self.is_legacy(stream) {
            return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
        }
        if self.streams.get(&stream).ok_or(Error::INVALID_HANDLE)?.capture.is_some() {
            return Err(Error::ILLEGAL_STATE);
        }
        let into_graph = into.is_some();
        let (graph, tail) = into.unwrap_or_else(|| {
            let number = self.handle();
            self.graphs.insert(number, Graph::default());
            (number, BTreeSet::new())
        });
        let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        let thread = state::thread();
        let capture = Capture {
            id,
            graph,
            mode,
            origin: stream,
            thread,
            into_graph,
            is_invalid: false,
            tail,
            destroyed_tails: BTreeSet::new(),
            tail_handles: Vec::new(),
        };
        self.streams.entry(stream).and_modify(|stream| stream.capture = Some(capture));
        Ok(())
    }

    /// Ends the capture that began in a stream and returns its graph's number.
    ///
    /// # Errors
    ///
    /// `ILLEGAL_STATE` where none did, `STREAM_CAPTURE_UNMATCHED`, `…_WRONG_THREAD`, `…_INVALIDATED`, `…_UNJOINED`.
    pub fn end_capture(&mut self, stream: usize) -> Result<usize> {
        let capture = self.streams.get(&stream).and_then(|stream| stream.capture.clone()).ok_or(Error::ILLEGAL_STATE)?;
        if capture.mode != RELAXED && capture.thread != state::thread() {
            return Err(Error::STREAM_CAPTURE_WRONG_THREAD);
        }
        if capture.origin != stream {
            self.invalidate(capture.id);
            return Err(Error::STREAM_CAPTURE_UNMATCHED);
        }
        let is_joined = |node: usize| capture.tail.iter().any(|&last| self.depends_on(capture.graph, last, node));
        let mut joined = capture.destroyed_tails.iter().all(|&node| is_joined(node));
        for (_, other) in self.streams.iter().filter(|(number, _)| **number != stream) {
            let Some(other) = other.capture.as_ref().filter(|other| other.id == capture.id) else { continue };
            joined &= other.tail.iter().all(|&node| is_joined(node));
        }
        for other in self.streams.values_mut() {
            if other.capture.as_ref().is_some_and(|other| other.id == capture.id) {
                other.capture = None;
            }
        }
        if !capture.is_invalid && joined {
            return Ok(capture.graph);
        }
        if !capture.into_graph {
            self.drop_graph(capture.graph)?;
        }
        Err(if capture.is_invalid { Error::STREAM_CAPTURE_INVALIDATED } else { Error::STREAM_CAPTURE_UNJOINED })
    }

    /// Removes a stream that was destroyed: without the one in which it began a capture is invalid.
    pub fn remove_from_capture(&mut self, stream: usize, capture: Capture) {
        if capture.origin == stream {
            return self.invalidate(capture.id);
        }
        let origin = self.streams.get_mut(&capture.origin).and_then(|origin| origin.capture.as_mut());
        if let Some(origin) = origin.filter(|origin| origin.id == capture.id) {
            origin.destroyed_tails.extend(capture.tail);
        }
    }

    /// Makes a capture one that only can be ended.
    pub fn invalidate(&mut self, id: u64) {
        let captures = self.streams.values_mut().filter_map(|stream| stream.capture.as_mut());
        captures.filter(|capture| capture.id == id).for_each(|capture| capture.is_invalid = true);
    }

    /// Refuses a call that waits or allocates while a stream captures whose mode forbids it.
    ///
    /// # Errors
    ///
    /// `STREAM_CAPTURE_UNSUPPORTED`; the capture is invalid from then on.
    pub fn check_no_capture(&mut self) -> Result<()> {
        let forbids = |capture: &Capture| match (MODE.get(), capture.mode) {
            (RELAXED, _) | (_, RELAXED) => false,
            (GLOBAL, GLOBAL) => true,
            _ => capture.thread == state::thread(),
        };
        let found = self.streams.values().filter_map(|stream| stream.capture.as_ref()).find(|capture| forbids(capture));
        let Some(id) = found.map(|capture| capture.id) else { return Ok(()) };
        self.invalidate(id);
        Err(Error::STREAM_CAPTURE_UNSUPPORTED)
    }

    /// Refuses to wait for a stream that captures, or that would have to wait for one.
    ///
    /// # Errors
    ///
    /// `STREAM_CAPTURE_UNSUPPORTED`, `STREAM_CAPTURE_IMPLICIT`; the capture is invalid from then on.
    pub fn check_not_capturing(&mut self, stream: usize) -> Result<()> {
        if let Some(id) = self.streams.get(&stream).and_then(|stream| stream.capture.as_ref()).map(|capture| capture.id) {
            self.invalidate(id);
            return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
        }
        self.check_implicit(stream)
    }

    /// Refuses work in the legacy default stream while one captures that it waits for.
    fn check_implicit(&mut self, stream: usize) -> Result<()> {
        if !self.is_legacy(stream) {
            return Ok(());
        }
        let context = self.streams[&stream].context;
        let waits = self.streams.values().filter(|other| other.context == context && other.flags & device::STREAM_NON_BLOCKING == 0);
        let Some(id) = waits.filter_map(|other| other.capture.as_ref()).map(|capture| capture.id).next() else { return Ok(()) };
        self.invalidate(id);
        Err(Error::STREAM_CAPTURE_IMPLICIT)
    }
}

/// Queues work in a stream, or adds it to the graph that the stream captures. What is queued has an end.
///
/// # Errors
///
/// Those of the work where it has run; `STREAM_CAPTURE_INVALIDATED`, `STREAM_CAPTURE_IMPLICIT`.
pub fn enqueue(
    mut state: impl DerefMut<Target = State>,
    stream: usize,
    work: Work,
    more: Vec<Arc<Completion>>,
) -> Result<Option<Arc<Completion>>> {
    let found = state.streams.get(&stream).ok_or(Error::INVALID_HANDLE)?;
    let Some(capture) = found.capture.clone() else {
        state.check_implicit(stream)?;
        return queue::submit(state, stream, work, more).map(Some);
    };
    if capture.is_invalid {
        return Err(Error::STREAM_CAPTURE_INVALIDATED);
    }
    let node = state.add_node(capture.graph, Kind::Work(work), capture.tail)?;
    if let Some(capture) = state.streams.get_mut(&stream).and_then(|stream| stream.capture.as_mut()) {
        capture.tail = BTreeSet::from([node]);
    }
    Ok(None)
}
