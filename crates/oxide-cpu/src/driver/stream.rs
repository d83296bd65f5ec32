//! A stream: the end of its last work, the thread of its host functions, and the capture that it participates in.

use std::{
    collections::BTreeSet,
    ffi::c_uint,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Sender},
    },
    thread,
};

use super::{
    completion::Completion,
    device,
    error::{Error, Result},
    handle::Handle,
};

type Task = Box<dyn FnOnce() + Send>;

pub struct Stream {
    pub context: usize,
    pub flags: c_uint,
    pub priority: i32,
    pub id: u64,
    /// What was queued last.
    pub tail: Option<Arc<Completion>>,
    /// The thread that runs host functions and the work behind them.
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
    pub fn unfinished(&self) -> Option<Arc<Completion>> {
        self.tail.clone().filter(|tail| !tail.is_over())
    }

    /// Whether all its work is done.
    pub fn is_idle(&self) -> bool {
        self.unfinished().is_none()
    }

    pub fn blocks(&self) -> bool {
        self.flags & device::STREAM_NON_BLOCKING == 0
    }

    /// Runs a task on the stream's thread, behind those before it.
    pub fn run_behind(&mut self, mut task: Task) -> Result<()> {
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

/// A capture that a stream participates in.
#[derive(Clone)]
pub struct Capture {
    pub id: u64,
    pub graph: usize,
    pub mode: c_uint,
    /// The stream and the thread of the system in which it began.
    pub origin: usize,
    pub thread: u64,
    /// Whether the graph existed before.
    pub into_graph: bool,
    pub is_invalid: bool,
    /// The nodes that the next one waits for.
    pub tail: BTreeSet<usize>,
    /// The tails of streams that were destroyed since.
    pub destroyed_tails: BTreeSet<usize>,
    /// The handles of `tail`, to which programs have the address.
    pub tail_handles: Vec<TailHandle>,
}

/// A handle that programs read.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct TailHandle(pub Handle);

// SAFETY: a number.
unsafe impl Send for TailHandle {}
