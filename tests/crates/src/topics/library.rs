//! Kernels that stand in a library.

pub use kernels::{CASES, TRAPS};
