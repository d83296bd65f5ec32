//! Sorts numbers by a network of comparisons: a run that first rises and then falls is merged by comparing
//! elements at half its length, then at a quarter, and so on. Comparisons within a tile are made in shared
//! memory, all of a launch one after the other; those over longer distances take a launch each.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, cuda_module, kernel, thread};

/// Elements that a block sorts in shared memory, a power of two; each thread has a pair of them.
const TILE: usize = 512;
const BLOCK: usize = TILE / 2;

/// The lower place of pair `number`, of those whose places differ in the bit `distance`.
fn lower_of_pair(number: usize, distance: usize) -> usize {
    2 * number - number % distance
}

/// Whether the element at this place is to be in a rising run when runs have this length.
fn rises(place: usize, run: usize) -> bool {
    place & run == 0
}

#[cuda_module]
mod kernels {
    use super::*;

    /// In each tile, merges runs of up to `to` elements, starting with those of `from`.
    ///
    /// Launched in one dimension with a block of `BLOCK` threads for each tile. `from` is not more than
    /// `TILE`, or is `to`, and longer distances have been compared.
    #[kernel]
    pub fn merge_in_tiles(values: &mut [u32], from: usize, to: usize) {
        static mut VALUES: SharedArray<u32, TILE> = SharedArray::UNINIT;

        let thread = thread::threadIdx_x() as usize;
        let start = thread::blockIdx_x() as usize * TILE;
        let own = [thread, thread + BLOCK];
        for i in own {
            // SAFETY: every thread writes its own elements.
            unsafe { VALUES[i] = values[start + i] };
        }

        let mut run = from;
        while run <= to {
            let mut distance = BLOCK.min(run / 2);
            while distance > 0 {
                thread::sync_threads();
                let low = lower_of_pair(thread, distance);
                let high = low + distance;
                // SAFETY: between two barriers, only this thread uses its pair.
                unsafe {
                    let (first, second) = (VALUES[low], VALUES[high]);
                    if (first > second) == rises(start + low, run) {
                        (VALUES[low], VALUES[high]) = (second, first);
                    }
                }
                distance /= 2;
            }
            run *= 2;
        }

        thread::sync_threads();
        for i in own {
            // SAFETY: nobody writes any more.
            values[start + i] = unsafe { VALUES[i] };
        }
    }

    /// Compares elements that are `distance` apart in runs of `run` elements, a thread each pair.
    ///
    /// Launched in one dimension, with at most as many threads as there are pairs.
    #[kernel]
    pub fn compare(values: &mut [u32], distance: usize, run: usize) {
        let low = lower_of_pair(thread::index_1d().get(), distance);
        let high = low + distance;
        if (values[low] > values[high]) == rises(low, run) {
            values.swap(low, high);
        }
    }
}

/// A power of two, not less than `TILE`.
const N: usize = 4096;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut numbers: Vec<u32> = (0..N as u32).map(|i| i.wrapping_mul(i) % 10_007).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let mut values = DeviceBuffer::from_host(&stream, &numbers)?;
    let config = LaunchConfig {
        grid_dim: ((N / TILE) as u32, 1, 1),
        block_dim: (BLOCK as u32, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY, here and below: a thread for each pair, and one launch after the other.
    unsafe { module.merge_in_tiles(&stream, config, &mut values, 2, TILE) }?;
    let mut run = 2 * TILE;
    while run <= N {
        let mut distance = run / 2;
        while distance >= TILE {
            // SAFETY: as above.
            unsafe { module.compare(&stream, config, &mut values, distance, run) }?;
            distance /= 2;
        }
        // SAFETY: as above.
        unsafe { module.merge_in_tiles(&stream, config, &mut values, run, run) }?;
        run *= 2;
    }

    let sorted = values.to_host_vec(&stream)?;
    numbers.sort_unstable();
    if let Some(i) = (0..N).find(|&i| sorted[i] != numbers[i]) {
        eprintln!(
            "FAILURE: element {i} is {}, expected {}",
            sorted[i], numbers[i]
        );
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: {N} numbers in order");
    Ok(ExitCode::SUCCESS)
}
