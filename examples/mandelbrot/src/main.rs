//! Counts the steps that each point of the plane takes to leave the Mandelbrot set, one thread a pixel.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread::Index2D};

const WIDTH: usize = 200;
const HEIGHT: usize = 120;
const MOST_STEPS: u32 = 100;

/// The steps until the point of a pixel is known to be out of the set.
///
/// Every rounding is written down, by `mul_add`, which rounds once: a compiler may make one of `a * b + c`,
/// and then host and device would not count the same near the border.
fn steps(row: usize, col: usize) -> u32 {
    let x = (col as f32).mul_add(3.0 / WIDTH as f32, -2.25);
    let y = (row as f32).mul_add(2.25 / HEIGHT as f32, -1.125);
    let (mut re, mut im) = (0.0_f32, 0.0_f32);
    for step in 0..MOST_STEPS {
        if re.mul_add(re, im * im) > 4.0 {
            return step;
        }
        (re, im) = (re.mul_add(re, im.mul_add(-im, x)), (re + re).mul_add(im, y));
    }
    MOST_STEPS
}

#[cuda_module]
mod kernels {
    use super::*;

    /// Launched in two dimensions. The type of the slice says how wide its rows are: threads beyond
    /// their end have no element, as those beyond the last row.
    #[kernel]
    pub fn mandelbrot(mut counts: DisjointSlice<u32, Index2D<WIDTH>>) {
        if let Some((count, index)) = counts.get_mut_indexed() {
            *count = steps(index.get() / WIDTH, index.get() % WIDTH);
        }
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let mut counts = DeviceBuffer::<u32>::zeroed(&stream, WIDTH * HEIGHT)?;
    let block = (32, 8, 1);
    let config = LaunchConfig {
        grid_dim: (
            (WIDTH as u32).div_ceil(block.0),
            (HEIGHT as u32).div_ceil(block.1),
            1,
        ),
        block_dim: block,
        shared_mem_bytes: 0,
    };
    // SAFETY: two-dimensional.
    unsafe { module.mandelbrot(&stream, config, &mut counts) }?;
    let counts = counts.to_host_vec(&stream)?;

    for rows in counts.chunks(WIDTH).step_by(6) {
        let line: String = rows
            .iter()
            .step_by(3)
            .map(|count| match count {
                0..4 => ' ',
                4..8 => '.',
                8..20 => 'o',
                20..MOST_STEPS => 'O',
                _ => '#',
            })
            .collect();
        println!("{line}");
    }
    for (i, &count) in counts.iter().enumerate() {
        let (row, col) = (i / WIDTH, i % WIDTH);
        let expected = steps(row, col);
        if count != expected {
            eprintln!("FAILURE: row {row}, column {col} takes {count} steps, expected {expected}");
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("SUCCESS: {WIDTH} by {HEIGHT} pixels");
    Ok(ExitCode::SUCCESS)
}
