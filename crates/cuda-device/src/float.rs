//! Arithmetic of `f32` and `f64` with a rounding of its own, and approximations: "Floating Point Instructions" of the PTX ISA.
//!
//! `rn` rounds to the nearest, `rz` towards zero, `rm` down, `rp` up. `ftz` takes subnormal numbers for zeros of their sign, and gives
//! them so. `sat` gives what lies between 0 and 1, and 0 for NaN. How far `approx` is off, the PTX ISA says.

include!("operations/float.rs");
