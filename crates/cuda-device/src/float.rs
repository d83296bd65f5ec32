//! Arithmetic of `f32` and `f64` with a rounding of its own, and approximations: "Floating Point Instructions" of the PTX ISA.
//!
//! `rn` rounds to the nearest, `rz` towards zero, `rm` down, `rp` up. `ftz` takes subnormal numbers for zeros of their sign, and
//! returns zeros for subnormal results. `sat` clamps to 0 to 1, and returns 0 for NaN. The PTX ISA has the error bounds of `approx`.

include!("operations/float.rs");
