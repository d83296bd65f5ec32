//! Floats with 8 bits of precision, passed and returned as their bits: `min` and `max` of `.bf16` in the PTX ISA.
//!
//! Of zeros the negative one is the lesser. A NaN that is returned is 0x7fff.

include!("operations/bf16.rs");
