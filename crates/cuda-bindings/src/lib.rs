//! The CUDA driver API under the names of its C header: [`cuda_core::sys`] as a crate of its own.

pub use cuda_core::sys::*;
