//! Counts the values of bytes: each block in its own bins in shared memory, which it then adds to those
//! of all blocks.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    SharedArray,
    atomic::{AtomicOrdering::Relaxed, BlockAtomicU32, DeviceAtomicU32},
    cooperative_groups::{ThreadGroup, this_grid, this_thread_block},
    cuda_module, kernel,
};

const BINS: usize = 256;

#[cuda_module]
mod kernels {
    use super::*;

    /// `counts` has `BINS` elements.
    #[kernel]
    pub fn histogram(bytes: &[u8], counts: &[DeviceAtomicU32]) {
        // Atomics may be shared without `mut`, and so without `unsafe`.
        static OF_BLOCK: SharedArray<BlockAtomicU32, BINS> = SharedArray::UNINIT;

        let (grid, block) = (this_grid(), this_thread_block());
        let own_bins = || (block.thread_rank() as usize..BINS).step_by(block.size() as usize);

        for bin in own_bins() {
            OF_BLOCK[bin].store(0, Relaxed);
        }
        block.sync();
        for i in (grid.thread_rank() as usize..bytes.len()).step_by(grid.size() as usize) {
            OF_BLOCK[usize::from(bytes[i])].fetch_add(1, Relaxed);
        }
        block.sync();
        for bin in own_bins() {
            counts[bin].fetch_add(OF_BLOCK[bin].load(Relaxed), Relaxed);
        }
    }
}

const N: usize = 100_000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Some values are a lot more frequent than others.
    let bytes: Vec<u8> = (0..N).map(|i| (i * i % 1009 / 4) as u8).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let input = DeviceBuffer::from_host(&stream, &bytes)?;
    let counts = DeviceBuffer::<u32>::zeroed(&stream, BINS)?.cast_elem::<DeviceAtomicU32>();
    let config = LaunchConfig {
        grid_dim: (20, 1, 1),
        block_dim: (128, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: there is a count for each bin; any shape will do.
    unsafe { module.histogram(&stream, config, &input, &counts) }?;

    let counts = counts.cast_elem::<u32>().to_host_vec(&stream)?;
    let mut expected = [0; BINS];
    for byte in bytes {
        expected[usize::from(byte)] += 1;
    }
    if let Some(value) = (0..BINS).find(|&value| counts[value] != expected[value]) {
        eprintln!(
            "FAILURE: counted {} of {value}, expected {}",
            counts[value], expected[value]
        );
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: {N} bytes in {BINS} bins");
    Ok(ExitCode::SUCCESS)
}
