//! The CUDA driver API, declared by hand under the names that bindgen gives it from `cuda.h`.
//!
//! Every function here is looked up in the library that `driver.rs` opened. Where that library is missing a function returns
//! [`cudaError_enum_CUDA_ERROR_NO_DEVICE`], and where the library is too old to have it
//! [`cudaError_enum_CUDA_ERROR_NOT_SUPPORTED`].
//!
//! Meanings, units and errors are those of the
//! [CUDA driver API reference](https://docs.nvidia.com/cuda/cuda-driver-api/index.html).

#![allow(non_upper_case_globals, non_camel_case_types, non_snake_case, missing_docs)]
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod enumerators;
mod functions;
mod structures;
mod types;

pub use enumerators::*;
pub use functions::*;
pub(crate) use functions::{Functions, checked};
pub use structures::*;
pub use types::*;
