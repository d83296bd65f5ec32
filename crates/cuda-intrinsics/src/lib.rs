//! The GPU's operations as raw functions: those of `cuda_device`, without what makes them convenient or safe.
//!
//! ```
//! use cuda_intrinsics::{sreg, warp};
//!
//! fn everyone_before() -> u32 {
//!     // SAFETY: all lanes of the warp are here.
//!     unsafe { warp::shuffle_up_sync(!0, sreg::lane_id(), 1) }
//! }
//! # let _ = everyone_before as fn() -> u32;
//! ```
//!
//! What the lanes of a warp, the threads of a block or more of them do together is unsafe here: they all call it, each in the same place.
//! A raw function stands for an instruction: it is called by its name, and neither made a pointer nor passed as a closure. On the host it
//! panics. `cuda_device` says what each does, and which targets have it.

#![no_std]

#[doc(hidden)]
pub mod abi_v1;

pub use abi_v1::*;
