//! The softmax of each row of a matrix: short rows by a warp each, long rows by a block each. Both find
//! the greatest element and the sum by a reduction whose result every thread gets.

use std::{error::Error, f32::consts::LOG2_E, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice, SharedArray,
    cooperative_groups::{
        ThreadGroup, block_reduce,
        ops::{Max, Sum},
        this_grid, this_thread_block, warp_reduce,
    },
    cuda_module, float, kernel,
};

const LANES: usize = 32;
const WARPS: usize = 4;
const BLOCK: usize = WARPS * LANES;

#[cuda_module]
mod kernels {
    use super::*;

    /// A warp for each row. No warp is cut short: blocks have `BLOCK` threads.
    #[kernel]
    pub fn by_warps(input: &[f32], cols: usize, mut output: DisjointSlice<f32>) {
        let warp = this_thread_block().tiled_partition::<32>();
        let row = this_grid().thread_rank() as usize / LANES;
        // All lanes of a warp have the same row, and leave together.
        let Some(values) = row_of(input, row, cols) else {
            return;
        };
        let own = || (warp.thread_rank() as usize..cols).step_by(LANES);

        let greatest = own().map(|i| values[i]).fold(f32::NEG_INFINITY, f32::max);
        let greatest = warp_reduce::<f32, Max, 32>(&warp, greatest);
        let sum = own().map(|i| exp(values[i] - greatest)).sum();
        let sum = warp_reduce::<f32, Sum, 32>(&warp, sum);
        for i in own() {
            // SAFETY: as long as the input, and each element is that of one lane of one warp.
            unsafe { *output.get_unchecked_mut(row * cols + i) = exp(values[i] - greatest) / sum };
        }
    }

    /// A block of `BLOCK` threads for each row.
    #[kernel]
    pub fn by_blocks(input: &[f32], cols: usize, mut output: DisjointSlice<f32>) {
        // A reduction leaves its scratch in use, so that the next one has its own.
        static mut MAXIMA: SharedArray<f32, WARPS> = SharedArray::UNINIT;
        static mut SUMS: SharedArray<f32, WARPS> = SharedArray::UNINIT;

        let block = this_thread_block();
        let row = this_grid().block_rank() as usize;
        let Some(values) = row_of(input, row, cols) else {
            return;
        };
        let own = || (block.thread_rank() as usize..cols).step_by(BLOCK);

        let greatest = own().map(|i| values[i]).fold(f32::NEG_INFINITY, f32::max);
        let greatest = block_reduce::<f32, Max, WARPS>(&block, greatest, &raw mut MAXIMA);
        let sum = own().map(|i| exp(values[i] - greatest)).sum();
        let sum = block_reduce::<f32, Sum, WARPS>(&block, sum, &raw mut SUMS);
        for i in own() {
            // SAFETY: as long as the input, and each element is that of one thread of one block.
            unsafe { *output.get_unchecked_mut(row * cols + i) = exp(values[i] - greatest) / sum };
        }
    }

    fn row_of(matrix: &[f32], row: usize, cols: usize) -> Option<&[f32]> {
        matrix.get(row * cols..(row + 1) * cols)
    }

    /// About the power of e; `f32::exp` is more exact, and slower.
    fn exp(x: f32) -> f32 {
        float::ex2_approx_f32(x * LOG2_E)
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let config = |blocks: usize| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (BLOCK as u32, 1, 1),
        shared_mem_bytes: 0,
    };

    let (rows, cols) = (40, 100);
    let short = matrix(rows, cols);
    let input = DeviceBuffer::from_host(&stream, &short)?;
    let mut output = DeviceBuffer::<f32>::zeroed(&stream, short.len())?;
    let blocks = rows.div_ceil(WARPS);
    // SAFETY: blocks of BLOCK threads, and two buffers of one length.
    unsafe { module.by_warps(&stream, config(blocks), &input, cols, &mut output) }?;
    let right = check(&short, cols, &output.to_host_vec(&stream)?);

    let (long_rows, cols) = (12, 1500);
    let long = matrix(long_rows, cols);
    let input = DeviceBuffer::from_host(&stream, &long)?;
    let mut output = DeviceBuffer::<f32>::zeroed(&stream, long.len())?;
    // SAFETY: as above.
    unsafe { module.by_blocks(&stream, config(long_rows), &input, cols, &mut output) }?;
    let right = right & check(&long, cols, &output.to_host_vec(&stream)?);

    if !right {
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: {rows} rows by warps, {long_rows} rows by blocks");
    Ok(ExitCode::SUCCESS)
}

/// Elements large enough for their powers to overflow where the greatest is not subtracted first.
fn matrix(rows: usize, cols: usize) -> Vec<f32> {
    (0..rows * cols)
        .map(|i| 90.0 + (i * i % 1009) as f32 / 100.0)
        .collect()
}

fn check(input: &[f32], cols: usize, output: &[f32]) -> bool {
    for (row, (values, results)) in input.chunks(cols).zip(output.chunks(cols)).enumerate() {
        let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let power = |value: f32| f64::from(value - greatest).exp();
        let sum: f64 = values.iter().copied().map(power).sum();
        for (col, (&value, &result)) in values.iter().zip(results).enumerate() {
            let expected = power(value) / sum;
            if (f64::from(result) - expected).abs() > 1e-5 * expected {
                eprintln!("FAILURE: row {row}, column {col} is {result}, expected {expected}");
                return false;
            }
        }
    }
    true
}
