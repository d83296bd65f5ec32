//! Half floats, passed and returned as their bits: `min` and `max` of `.f16` in the PTX ISA.
//!
//! Of zeros the negative one is the lesser. `ftz` takes subnormal numbers for zeros of their sign, and returns zeros for subnormal
//! results. A NaN that is returned is 0x7fff.

include!("operations/f16.rs");
