//! Dot products of small integers, added to a third number: `dp4a` and `dp2a.lo` of the PTX ISA.
//!
//! Sums wrap.

include!("operations/dotprod.rs");
