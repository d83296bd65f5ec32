//! Owners for what the CUDA driver hands out: contexts, streams, events, buffers, modules, and launches of their kernels.
//!
//! ```no_run
//! use cuda_core::{CudaContext, DeviceBuffer};
//!
//! # fn main() -> Result<(), cuda_core::DriverError> {
//! let ctx = CudaContext::new(0)?;
//! let stream = ctx.default_stream();
//! let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
//! assert_eq!(numbers.to_host_vec(&stream)?, [1, 2, 3]);
//! # Ok(())
//! # }
//! ```
//!
//! libcuda is opened at run time; where there is none, a CPU device with the same entry points stands in for it. `OXIDE_DEVICE`
//! chooses between the two (`cuda`, `cpu`).

#![cfg_attr(oxide_f16, feature(f16))]

mod constant;
pub mod context;
pub mod device_buffer;
mod driver;
pub mod embedded;
pub mod error;
pub mod event;
mod failure;
mod function;
pub mod graph;
mod image;
pub mod launch;
pub mod memory;
pub mod memory_pool;
pub mod module;
pub mod peer;
mod phase;
pub mod pinned_host_buffer;
mod sticky_error;
pub mod stream;
pub mod sys;
pub mod vmm;

pub use constant::ConstantHandle;
pub use context::{CudaContext, SyncPolicy};
pub use cuda_macros::DeviceCopy;
pub use device_buffer::{DeviceBuffer, DeviceCopy};
pub use embedded::{EmbeddedModule, EmbeddedModuleError};
pub use error::{DriverError, IntoResult, init};
pub use event::CudaEvent;
pub use function::CudaFunction;
pub use graph::{CudaGraph, CudaGraphExec};
pub use launch::{
    BlockRequirement, DeviceLaunchLimits, DynamicSharedMemoryRequirement, KernelLaunchConfig, KernelLaunchContract, LaunchAxis,
    LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchConfig3D, LaunchContractError, LaunchContractSpec, LaunchDimension, PreparedLaunch,
    launch_kernel, launch_kernel_cooperative, launch_kernel_cooperative_on_stream, launch_kernel_ex, launch_kernel_ex_cooperative,
    launch_kernel_ex_cooperative_on_stream, launch_kernel_ex_on_stream, launch_kernel_on_stream,
};
pub use memory_pool::CudaMemoryPool;
pub use module::CudaModule;
pub use pinned_host_buffer::PinnedHostBuffer;
pub use stream::CudaStream;

/// What [`sticky_error`] is made of; its test replaces these by loom's.
mod primitives {
    pub(crate) use std::sync::{Mutex, atomic::AtomicBool};
}
