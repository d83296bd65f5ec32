//! Runs every case natively and on the device and compares what comes out, bit for bit.
//!
//! ```text
//! ok integers::arithmetic_u8
//! FAIL floats::extremes_f32(NaN, 1.0): native 3f800000, device 7fc00000
//! ```
//!
//! `meaning` runs all topics, `meaning TOPIC…` some. A trap ends its context, so each input that may panic runs in a process of its own.

mod case;
mod edges;
mod outcome;
mod topics;

use std::{env, error::Error, panic, process::ExitCode};

use case::Device;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // What panics here is told in the lines.
    panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [word, topic, name, input] = &arguments[..]
        && word == "trap"
    {
        return case::run_one(topic, name, input.parse()?);
    }
    let device = Device::new()?;
    let mut exit = ExitCode::SUCCESS;
    let mut report = |topic: &str, name: &str, found: Result<(), String>| match found {
        Ok(()) => println!("ok {topic}::{name}"),
        Err(difference) => {
            println!("FAIL {topic}::{name}{difference}");
            exit = ExitCode::FAILURE;
        }
    };
    for (topic, cases, traps) in topics::TOPICS {
        if !arguments.is_empty() && !arguments.iter().any(|wanted| wanted == topic) {
            continue;
        }
        for case in *cases {
            report(topic, case.name, device.compare(case));
        }
        for trap in *traps {
            report(topic, trap.name, case::compare_traps(topic, trap));
        }
    }
    Ok(exit)
}
