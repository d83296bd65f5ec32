//! Runs every operation of numbers over a table of inputs and writes all that comes out, bit for bit, for compare.py.
//!
//! ```text
//! operations FILE
//!
//! [single single]                               the inputs of every operation of two f32, one case a line
//! 00000000 00000000
//! [float::add_rn_f32: single single -> single]  what the operation makes of each
//! 00000000
//! ```

mod inputs;
mod kinds;
mod row;
mod rows;

use std::{
    collections::BTreeSet,
    env,
    error::Error,
    fmt::Write as _,
    fs::File,
    io::{BufWriter, Write},
    process::ExitCode,
};

use row::Device;
use rows::ROWS;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Some(path) = env::args_os().nth(1) else {
        eprintln!("usage: operations FILE");
        return Ok(ExitCode::from(2));
    };
    let device = Device::new()?;
    let mut file = BufWriter::new(File::create(path)?);
    let mut shown = BTreeSet::new();
    for row in ROWS {
        let inputs = inputs::of(row.operands);
        let shape = row.shape();
        if shown.insert(shape.clone()) {
            writeln!(file, "[{shape}]")?;
            for case in inputs.chunks(row.operands.len()) {
                let mut line = String::new();
                for (word, kind) in case.iter().zip(row.operands) {
                    write!(line, "{word:0width$x} ", width = kind.digits())?;
                }
                writeln!(file, "{}", line.trim_end())?;
            }
        }
        writeln!(file, "[{}: {shape} -> {}]", row.path, row.result.name)?;
        for word in device.run(row, &inputs)? {
            writeln!(file, "{word:0width$x}", width = row.result.digits())?;
        }
    }
    file.flush()?;
    println!("SUCCESS: {} operations", ROWS.len());
    Ok(ExitCode::SUCCESS)
}
