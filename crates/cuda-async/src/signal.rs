//! What a thread of the driver's and the thread that polls share of one operation in flight.

use std::{
    sync::atomic::Ordering,
    task::{Context, Poll},
};

use super::primitives::{AtomicU32, AtomicWaker};

/// That a stream has passed an operation, and how, once.
pub struct Signal {
    /// The driver's result, or [`Signal::PENDING`].
    result: AtomicU32,
    waker: AtomicWaker,
}

impl Signal {
    /// No result of the driver's.
    const PENDING: u32 = u32::MAX;

    pub fn new() -> Self {
        Self { result: AtomicU32::new(Self::PENDING), waker: AtomicWaker::new() }
    }

    /// The stream has passed the operation: wakes the task that polled last.
    pub fn complete(&self, result: u32) {
        self.result.store(result, Ordering::Release);
        self.waker.wake();
    }

    /// The driver's result; or else the task is woken once there is one.
    pub fn poll(&self, context: &Context<'_>) -> Poll<u32> {
        // Registered before it is looked at: a result that comes between the two wakes.
        self.waker.register(context.waker());
        match self.result.load(Ordering::Acquire) {
            Self::PENDING => Poll::Pending,
            result => Poll::Ready(result),
        }
    }

    /// Whether the stream has passed the operation.
    pub fn is_complete(&self) -> bool {
        self.result.load(Ordering::Acquire) != Self::PENDING
    }
}
