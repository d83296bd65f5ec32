//! Two half floats in 32 bits, the first one low: instructions of `.f16x2` in the PTX ISA.
//!
//! Each half is worked out by itself and rounded once, to the nearest. Of zeros the negative one is the lesser. `ftz` takes subnormal
//! numbers for zeros of their sign, and returns zeros for subnormal results. `sat` clamps to 0 to 1, and returns 0 for NaN; `relu`
//! returns 0 for negative numbers. A NaN that is computed is 0x7fff.

include!("operations/f16x2.rs");
