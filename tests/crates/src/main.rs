//! Runs every case natively and on the device and compares what comes out.
//!
//! `crates` runs all topics, `crates TOPIC…` some.

mod topics;

use std::{error::Error, process::ExitCode};

use meaning::case;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    case::run(topics::TOPICS)
}
