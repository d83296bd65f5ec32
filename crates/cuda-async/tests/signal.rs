//! Every order in which the driver's thread completes a signal while the other one polls it: no wake-up is lost, and the result is seen.

mod primitives {
    use std::task::Waker;

    pub use loom::sync::atomic::AtomicU32;

    /// loom's, with the signature of the one that it stands for.
    pub struct AtomicWaker(loom::future::AtomicWaker);

    impl AtomicWaker {
        pub fn new() -> Self {
            Self(loom::future::AtomicWaker::new())
        }

        pub fn register(&self, waker: &Waker) {
            self.0.register_by_ref(waker);
        }

        pub fn wake(&self) {
            self.0.wake();
        }
    }
}

#[path = "../src/signal.rs"]
mod signal;

use std::{future::poll_fn, sync::Arc};

use loom::{future::block_on, thread};

use signal::Signal;

#[test]
fn a_task_that_waits_is_woken() {
    loom::model(|| {
        let signal = Arc::new(Signal::new());
        let driver = thread::spawn({
            let signal = signal.clone();
            move || signal.complete(7)
        });
        assert_eq!(block_on(poll_fn(|context| signal.poll(context))), 7);
        assert!(signal.is_complete());
        driver.join().unwrap();
    });
}

/// The task moves to another waker between two polls, as when it is handed from one executor to another.
#[test]
fn the_latest_waker_is_woken() {
    loom::model(|| {
        let signal = Arc::new(Signal::new());
        let driver = thread::spawn({
            let signal = signal.clone();
            move || signal.complete(0)
        });
        let _ = signal.poll(&std::task::Context::from_waker(std::task::Waker::noop()));
        assert_eq!(block_on(poll_fn(|context| signal.poll(context))), 0);
        driver.join().unwrap();
    });
}
