//! Runs every case natively and on the device and compares what comes out.
//!
//! `meaning` runs all topics, `meaning TOPIC…` some. A trap ends its context, so each input that may panic runs in a process of its own.

#![feature(f16, portable_simd)]

mod topics;

use std::{error::Error, process::ExitCode};

use meaning::case;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    case::run(topics::TOPICS)
}
