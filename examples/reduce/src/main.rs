//! Sums a vector: every block adds its elements up as a tree in shared memory, and the host adds up
//! the blocks.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, thread};

/// Threads in a block, a power of two.
const BLOCK: usize = 256;

#[cuda_module]
mod kernels {
    use super::*;

    /// Launched in one dimension, with blocks of `BLOCK` threads.
    #[kernel]
    pub fn block_sums(input: &[u32], mut sums: DisjointSlice<u32>) {
        static mut TILE: SharedArray<u32, BLOCK> = SharedArray::UNINIT;

        let thread = thread::threadIdx_x() as usize;
        let block = thread::blockIdx_x() as usize;
        let i = block * BLOCK + thread;
        // SAFETY: every thread writes its own element.
        unsafe { TILE[thread] = if i < input.len() { input[i] } else { 0 } };
        thread::sync_threads();

        let mut half = BLOCK / 2;
        while half > 0 {
            if thread < half {
                // SAFETY: each of these threads writes its own element, and reads one of the upper half,
                // which nobody writes.
                unsafe { TILE[thread] += TILE[thread + half] };
            }
            thread::sync_threads();
            half /= 2;
        }

        if thread == 0 && block < sums.len() {
            // SAFETY: in bounds, and no other thread is the first of this block.
            unsafe { *sums.get_unchecked_mut(block) = TILE[0] };
        }
    }
}

/// The last block is not full.
const N: usize = 4000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let numbers: Vec<u32> = (0..N as u32).map(|i| i * i % 1009).collect();
    let blocks = N.div_ceil(BLOCK);

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let input = DeviceBuffer::from_host(&stream, &numbers)?;
    let mut sums = DeviceBuffer::<u32>::zeroed(&stream, blocks)?;
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (BLOCK as u32, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: one-dimensional, with blocks of BLOCK threads and a sum for each block.
    unsafe { module.block_sums(&stream, config, &input, &mut sums) }?;

    let sums = sums.to_host_vec(&stream)?;
    for (block, (numbers, &sum)) in numbers.chunks(BLOCK).zip(&sums).enumerate() {
        let expected: u32 = numbers.iter().sum();
        if sum != expected {
            eprintln!("FAILURE: block {block} gave {sum}, expected {expected}");
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("Sum of {N} numbers: {}", sums.iter().sum::<u32>());
    println!("SUCCESS: {blocks} blocks");
    Ok(ExitCode::SUCCESS)
}
