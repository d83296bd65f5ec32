//! Every order in which threads store a failure and one takes it: it is taken once or overwritten.

mod primitives {
    pub use loom::sync::{Mutex, atomic::AtomicBool};
}

mod failure {
    #[derive(Debug, PartialEq, Eq)]
    pub struct Failure(pub u32);
}

#[path = "../src/sticky_error.rs"]
mod sticky_error;

use std::sync::Arc;

use loom::thread;

use failure::Failure;
use sticky_error::StickyError;

#[test]
fn a_failure_is_taken_once() {
    loom::model(|| {
        let sticky = Arc::new(StickyError::none());
        let keepers = [1, 2].map(|code| {
            let sticky = sticky.clone();
            thread::spawn(move || sticky.store(Failure(code)))
        });
        let first = sticky.take();
        keepers.into_iter().for_each(|keeper| keeper.join().unwrap());
        let second = sticky.take();
        assert!(sticky.take().is_none());
        let taken: Vec<_> = [first, second].into_iter().flatten().collect();
        assert!(!taken.is_empty());
        assert!(taken.len() < 2 || taken[0] != taken[1]);
    });
}

#[test]
fn two_that_take_do_not_both_get_it() {
    loom::model(|| {
        let sticky = Arc::new(StickyError::none());
        sticky.store(Failure(7));
        let taker = thread::spawn({
            let sticky = sticky.clone();
            move || sticky.take().is_some()
        });
        assert_ne!(sticky.take().is_some(), taker.join().unwrap());
    });
}
