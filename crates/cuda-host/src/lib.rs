//! Loads the kernels that a program carries, names the instances of generic ones, and launches them.
//!
//! Programs use `#[cuda_module]`, whose code is written in terms of this crate.
//!
//! ```ignore
//! let ctx = CudaContext::new(0)?;
//! let module = kernels::load(&ctx)?;
//! unsafe { module.saxpy(&ctx.default_stream(), LaunchConfig::for_num_elems(n), 2.0, &x, &mut y) }?;
//! ```

mod arguments;
#[cfg(feature = "async")]
#[doc(hidden)]
pub mod async_launch;
#[doc(hidden)]
pub mod constant;
pub mod kernel;
pub mod kernel_family;
#[doc(hidden)]
pub mod launch;
mod load;
pub mod ltoir;
mod rows;
pub mod tiling;

pub use arguments::{HasLength, KernelScalar, KernelSliceArg, KernelSliceArgMut, ReadOnly, Scalar, WriteOnly};
#[cfg(feature = "async")]
pub use async_launch::{PreparedAsyncKernelLaunch, PreparedOwnedAsyncKernelLaunch};
#[cfg(feature = "async")]
pub use cuda_async;
pub use cuda_core::embedded;
pub use cuda_device::kernel::{CudaKernel, GenericCudaKernel};
#[cfg(feature = "async")]
pub use cuda_macros::cuda_launch_async;
pub use cuda_macros::{cuda_launch, cuda_module};
pub use kernel::{type_id_u128, type_id_u128_of_val};
#[cfg(feature = "async")]
pub use load::load_kernel_module_async;
pub use load::{EmbeddedModuleError, load_all_ptx_bundles_merged, load_embedded_module, load_first_embedded_module, load_kernel_module};
pub use rows::{RowWidth, RowWidthOwned};
