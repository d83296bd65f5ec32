//! Functions, each run natively and on the device, and what comes out compared bit for bit: what tests/run and tests/crates are made of.
//!
//! ```text
//! ok integers::arithmetic_u8
//! FAIL floats::extremes_f32(NaN, 1.0): native 3f800000, device 7fc00000
//! ```

#![feature(f16)]

pub mod case;
pub mod edges;
pub mod outcome;
