//! Standardises numbers in one launch: no block may use the mean before all have added up their part,
//! nor the deviation before all have used the mean. A barrier of the whole grid stands in between.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice, SharedArray,
    atomic::{AtomicOrdering::Relaxed, DeviceAtomicF32},
    cooperative_groups::{ThreadGroup, block_reduce, ops::Sum, this_grid, this_thread_block},
    cooperative_launch, cuda_module, grid, kernel,
};

const BLOCKS: usize = 8;
const WARPS: usize = 4;
const BLOCK: usize = 32 * WARPS;

#[cuda_module]
mod kernels {
    use super::*;

    /// Subtracts the mean and divides by the standard deviation. `sums` has an element for each block.
    ///
    /// The attribute makes the launch one of all blocks at once: a block that had not started could not
    /// come to the barrier.
    #[kernel]
    #[cooperative_launch]
    pub fn standardise(
        values: &[f32],
        sums: &[DeviceAtomicF32],
        squares: &[DeviceAtomicF32],
        mut output: DisjointSlice<f32>,
    ) {
        static mut OF_SUMS: SharedArray<f32, WARPS> = SharedArray::UNINIT;
        static mut OF_SQUARES: SharedArray<f32, WARPS> = SharedArray::UNINIT;

        let (all, block) = (this_grid(), this_thread_block());
        let own = || (all.thread_rank() as usize..values.len()).step_by(all.size() as usize);
        let is_first = block.thread_rank() == 0;
        let count = values.len() as f32;

        let sum = own().map(|i| values[i]).sum();
        let sum = block_reduce::<f32, Sum, WARPS>(&block, sum, &raw mut OF_SUMS);
        if is_first {
            sums[all.block_rank() as usize].store(sum, Relaxed);
        }
        grid::sync();

        let mean = sums.iter().map(|sum| sum.load(Relaxed)).sum::<f32>() / count;
        let square = own().map(|i| (values[i] - mean) * (values[i] - mean)).sum();
        let square = block_reduce::<f32, Sum, WARPS>(&block, square, &raw mut OF_SQUARES);
        if is_first {
            squares[all.block_rank() as usize].store(square, Relaxed);
        }
        grid::sync();

        let variance = squares
            .iter()
            .map(|square| square.load(Relaxed))
            .sum::<f32>()
            / count;
        for i in own() {
            assert!(i < output.len());
            // SAFETY: in bounds, and no other thread has this element.
            unsafe { *output.get_unchecked_mut(i) = (values[i] - mean) / variance.sqrt() };
        }
    }
}

const N: usize = 20_000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let values: Vec<f32> = (0..N).map(|i| 50.0 + (i * 7919 % 1000) as f32).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let input = DeviceBuffer::from_host(&stream, &values)?;
    let sums = || DeviceBuffer::<f32>::zeroed(&stream, BLOCKS).map(DeviceBuffer::cast_elem);
    let mut output = DeviceBuffer::<f32>::zeroed(&stream, N)?;
    let config = LaunchConfig {
        grid_dim: (BLOCKS as u32, 1, 1),
        block_dim: (BLOCK as u32, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: BLOCKS blocks of BLOCK threads, and as many results as values.
    unsafe { module.standardise(&stream, config, &input, &sums()?, &sums()?, &mut output) }?;

    let count = N as f64;
    let mean = values.iter().copied().map(f64::from).sum::<f64>() / count;
    let squares = values
        .iter()
        .map(|&value| (f64::from(value) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / count).sqrt();
    for (i, (&value, got)) in values.iter().zip(output.to_host_vec(&stream)?).enumerate() {
        let expected = (f64::from(value) - mean) / deviation;
        if (f64::from(got) - expected).abs() > 1e-4 {
            eprintln!("FAILURE: element {i} is {got}, expected {expected}");
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("The mean was {mean}, the deviation {deviation:.3}");
    println!("SUCCESS: mean 0 and deviation 1");
    Ok(ExitCode::SUCCESS)
}
