//! Streams: what is queued, in which order it runs, and who waits for it.
//!
//! Work is done before the call that queues it returns, by the thread that makes the call, so that a kernel's error is that of its launch.
//! Host functions are the exception: they run on a thread of their stream, since they may wait for what the program does next; what is
//! queued behind one that has not returned runs on that thread too, and its errors are those of the context.

use std::{
    ffi::c_uint,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Sender},
    },
    thread,
    time::Instant,
};

use crate::{
    capture::Capture,
    device,
    error::{Error, Result},
    state::{self, State},
    work::Work,
};

/// Something that ends, and when it did.
pub struct Done {
    at: Mutex<Option<Instant>>,
    changed: Condvar,
    /// Whether it may wait for what the program does next.
    held: bool,
}

impl Done {
    fn new(held: bool) -> Arc<Self> {
        Arc::new(Self { at: Mutex::new(None), changed: Condvar::new(), held })
    }

    /// Something that has just ended.
    pub fn now() -> Arc<Self> {
        Arc::new(Self { at: Mutex::new(Some(Instant::now())), changed: Condvar::new(), held: false })
    }

    pub fn at(&self) -> Option<Instant> {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_over(&self) -> bool {
        self.at().is_some()
    }

    pub fn wait(&self) {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        while at.is_none() {
            at = self.changed.wait(at).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends it when dropped, whatever happened.
struct Ending(Arc<Done>);

impl Drop for Ending {
    fn drop(&mut self) {
        *self.0.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.0.changed.notify_all();
    }
}

type Task = Box<dyn FnOnce() + Send>;

pub struct Stream {
    pub context: usize,
    pub flags: c_uint,
    pub priority: i32,
    pub id: u64,
    /// What was queued last.
    tail: Option<Arc<Done>>,
    /// The thread that runs host functions and what is behind them.
    worker: Option<Sender<Task>>,
    pub capture: Option<Capture>,
}

impl Stream {
    pub fn new(context: usize, flags: c_uint, priority: i32) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        Self { context, flags, priority, id, tail: None, worker: None, capture: None }
    }

    /// What was queued last, unless it is over.
    fn unfinished(&self) -> Option<Arc<Done>> {
        self.tail.clone().filter(|tail| !tail.is_over())
    }

    /// Whether it has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.unfinished().is_none()
    }

    fn blocks(&self) -> bool {
        self.flags & device::STREAM_NON_BLOCKING == 0
    }

    /// Gives the stream's thread something to run.
    fn give(&mut self, mut task: Task) -> Result<()> {
        if let Some(worker) = &self.worker {
            match worker.send(task) {
                Ok(()) => return Ok(()),
                Err(returned) => task = returned.0,
            }
        }
        let (sender, receiver) = mpsc::channel::<Task>();
        let builder = thread::Builder::new().name("oxide-stream".into());
        builder.spawn(move || receiver.iter().for_each(|task| task())).map_err(|_| Error::OPERATING_SYSTEM)?;
        let sent = sender.send(task).map_err(|_| Error::OPERATING_SYSTEM);
        self.worker = Some(sender);
        sent
    }
}

impl State {
    /// What work that is queued in a stream now has to wait for: what is queued there, and what the legacy default stream and those that
    /// block with it hold (CUDA Runtime API, "Stream synchronization behavior").
    fn before(&self, stream: usize) -> Vec<Arc<Done>> {
        let Some(own) = self.streams.get(&stream) else { return Vec::new() };
        let mut before: Vec<_> = own.unfinished().into_iter().collect();
        if self.is_legacy(stream) {
            let blocking =
                self.streams.iter().filter(|(number, other)| **number != stream && other.context == own.context && other.blocks());
            before.extend(blocking.filter_map(|(_, other)| other.unfinished()));
        } else if own.blocks() {
            before.extend(self.legacy(own.context).and_then(|legacy| self.streams[&legacy].unfinished()));
        }
        before
    }

    /// All that a stream still has to do, or a context, which has several.
    pub fn unfinished(&self, of: impl Fn(usize, &Stream) -> bool) -> Vec<Arc<Done>> {
        self.streams.iter().filter(|(number, stream)| of(**number, stream)).filter_map(|(_, stream)| stream.unfinished()).collect()
    }

    /// What a call that waits for a stream waits for.
    pub fn until(&self, stream: usize) -> Vec<Arc<Done>> {
        self.before(stream)
    }
}

/// Waits for all.
pub fn wait(all: &[Arc<Done>]) {
    all.iter().for_each(|done| done.wait());
}

/// Queues work in a stream, behind `more` too, and returns its end. The state comes locked, and is unlocked while the work runs.
///
/// # Errors
///
/// Those of the work where it has run.
pub fn submit(
    mut state: impl std::ops::DerefMut<Target = State>,
    stream: usize,
    mut work: Work,
    more: Vec<Arc<Done>>,
) -> Result<Arc<Done>> {
    let mut before = state.before(stream);
    before.extend(more.into_iter().filter(|done| !done.is_over()));
    let held = work.may_wait(&state) || before.iter().any(|done| done.held);
    let done = Done::new(held);
    let ending = Ending(done.clone());
    let found = state.streams.get_mut(&stream).ok_or(Error::INVALID_HANDLE)?;
    let context = found.context;
    if !held {
        found.tail = Some(done.clone());
        drop(state);
        wait(&before);
        work.run(context)?;
        drop(ending);
        return Ok(done);
    }
    let waits = work.detach();
    found.give(Box::new(move || {
        let ending = ending;
        wait(&before);
        if let Some(error) = state::failure(context) {
            work.skip(error);
        } else if let Err(error) = work.run(context) {
            state::fail(context, error);
        }
        drop(ending);
    }))?;
    found.tail = Some(done.clone());
    drop(state);
    if waits {
        done.wait();
        return state::failure(context).map_or(Ok(done), Err);
    }
    Ok(done)
}
