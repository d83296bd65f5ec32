//! Runs every case natively and on the device and compares what comes out.
//!
//! `meaning` runs all topics, `meaning TOPIC…` some. A trap ends its context, so each input that may panic runs in a process of its own.

#![feature(f16, portable_simd)]
#![feature(exact_bitshifts, exact_div, float_minimum_maximum, funnel_shifts, int_lowest_highest_one)]
#![feature(isolate_most_least_significant_one, signed_bigint_helpers, uint_bit_width, uint_gather_scatter_bits, widening_mul)]

mod topics;

use std::{error::Error, process::ExitCode};

use meaning::case;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    case::run(topics::TOPICS)
}
