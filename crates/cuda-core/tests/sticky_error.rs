//! Every order in which threads keep an error and one takes it: it is taken once or overwritten, and never with another one's failure.

mod primitives {
    pub use loom::sync::{Mutex, atomic::AtomicU32};
}

mod failure {
    /// The code whose failure it is.
    #[derive(Debug)]
    pub struct Failure(pub u32);
}

#[path = "../src/sticky_error.rs"]
mod sticky_error;

use std::sync::Arc;

use cuda_core::{DriverError, sys};
use loom::thread;

use failure::Failure;
use sticky_error::StickyError;

#[test]
fn an_error_is_taken_once_with_its_own_failure() {
    loom::model(|| {
        let sticky = Arc::new(StickyError::none());
        let keepers = [1, 2].map(|code| {
            let sticky = sticky.clone();
            thread::spawn(move || sticky.keep(DriverError(code), Some(Failure(code))))
        });
        let first = sticky.take();
        keepers.into_iter().for_each(|keeper| keeper.join().unwrap());
        let second = sticky.take();
        assert!(sticky.take().is_none());
        let taken: Vec<_> = [first, second].into_iter().flatten().collect();
        assert!(!taken.is_empty());
        assert!(taken.iter().all(|(error, failure)| failure.as_ref().map(|failure| failure.0) == Some(error.0)));
        assert!(taken.len() < 2 || taken[0].0 != taken[1].0);
    });
}

#[test]
fn two_that_take_do_not_both_get_it() {
    loom::model(|| {
        let sticky = Arc::new(StickyError::none());
        sticky.keep(DriverError(7), Some(Failure(7)));
        let taker = thread::spawn({
            let sticky = sticky.clone();
            move || sticky.take().is_some()
        });
        assert_ne!(sticky.take().is_some(), taker.join().unwrap());
    });
}
