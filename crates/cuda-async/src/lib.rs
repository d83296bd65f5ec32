//! Device work as lazy values.
//!
//! An operation describes work and runs nothing. Awaiting it, or [`sync`](DeviceOperation::sync), gives it a stream, on which all of it
//! runs in the order it is written.
//!
//! ```ignore
//! let doubled = allocate(1 << 20).and_then(|buffer| module.double_async_owned(config, buffer)).await?;
//! ```
//!
//! | module | |
//! | --- | --- |
//! | [`device_operation`] | operations and how they are put together |
//! | [`device_future`] | what awaiting one does |
//! | [`launch`] | a kernel's launch as an operation |
//! | [`scheduling_policies`] | which stream an operation gets |
//! | [`device_context`] | the contexts, streams and kernels of each thread |
//! | [`device_box`] | device memory that is freed without waiting |
//! | [`reclaim`] | results whose futures were dropped |

pub mod device_box;
pub mod device_context;
pub mod device_future;
pub mod device_operation;
pub mod error;
pub mod launch;
pub mod reclaim;
pub mod scheduling_policies;
mod signal;

pub use futures;

pub use device_operation::DeviceOperation;

/// What [`signal`] is made of; its test replaces these by loom's.
mod primitives {
    pub use futures::task::AtomicWaker;
    pub use std::sync::atomic::AtomicU32;
}
