//! The CUDA driver API under the names of its C header: [`cuda_core::sys`] as a crate of its own.
//!
//! ```
//! use cuda_bindings::{CUtensorMap, cudaError_enum_CUDA_SUCCESS, cuDriverGetVersion};
//!
//! let mut version = 0;
//! // SAFETY: the driver stores an int; where there is no driver, the call says so.
//! if unsafe { cuDriverGetVersion(&mut version) } == cudaError_enum_CUDA_SUCCESS {
//!     println!("CUDA {}.{}", version / 1000, version % 1000 / 10);
//! }
//! assert_eq!(align_of::<CUtensorMap>(), 128);
//! ```

pub use cuda_core::sys::*;
