//! Copies from global to shared memory that go on while the thread does something else (`cp.async`, sm_80).
//!
//! ```text
//! cp_async_ca_16(tile, source);  cp_async_commit_group();  …  cp_async_wait_group(0);  sync_threads();
//! ```
//!
//! Both addresses are aligned to the bytes copied. What is copied is seen by the thread that waits for it, by others after a barrier.

use crate::barrier::Barrier;

include!("operations/async_copy.rs");
