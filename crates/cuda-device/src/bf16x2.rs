//! Two floats of 8 bits of precision in 32 bits, the first one low: instructions of `.bf16x2` in the PTX ISA.
//!
//! Each half is worked out by itself and rounded once, to the nearest. Of zeros the negative one is the lesser. `relu` returns 0 for
//! negative numbers. A NaN that is computed is 0x7fff.

include!("operations/bf16x2.rs");
