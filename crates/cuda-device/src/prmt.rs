//! Bytes picked out of 32 or 64 bits: `prmt.b32` of the PTX ISA.
//!
//! Bytes are numbered from the lowest; those of `b` are 4 to 7.

include!("operations/prmt.rs");
