//! Memory fences: what this thread has written before is seen, by the threads named, before what it writes after.
//!
//! Meanings are those of `membar` in the PTX ISA.

include!("operations/fence.rs");
