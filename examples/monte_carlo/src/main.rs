//! Finds out pi by throwing darts at a square: a random number is a function of its index, so that
//! each thread has its own without a state, and the host can throw the same darts.

use std::{error::Error, f64::consts::PI, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    SharedArray,
    atomic::{AtomicOrdering::Relaxed, DeviceAtomicU64},
    cooperative_groups::{ThreadGroup, block_reduce, ops::Sum, this_grid, this_thread_block},
    cuda_module, kernel,
};

const WARPS: usize = 8;

/// Four random numbers for each counter and key: Philox4x32-10, by Salmon, Moraes, Dror and Shaw,
/// "Parallel random numbers: as easy as 1, 2, 3" (2011).
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    /// The low and the high half of a product.
    fn halves(a: u32, b: u32) -> (u32, u32) {
        let product = u64::from(a) * u64::from(b);
        (product as u32, (product >> 32) as u32)
    }

    for _ in 0..10 {
        let (low, high) = halves(counter[0], 0xd251_1f53);
        let (other_low, other_high) = halves(counter[2], 0xcd9e_8d57);
        counter = [
            other_high ^ counter[1] ^ key[0],
            other_low,
            high ^ counter[3] ^ key[1],
            low,
        ];
        key = [
            key[0].wrapping_add(0x9e37_79b9),
            key[1].wrapping_add(0xbb67_ae85),
        ];
    }
    counter
}

/// How many of two darts hit the disc in the square.
fn hits(number: u64, seed: u64) -> u32 {
    let halves = |bits: u64| [bits as u32, (bits >> 32) as u32];
    let [low, high] = halves(number);
    let [x0, y0, x1, y1] = philox([low, high, 0, 0], halves(seed));
    let hit = |x: u32, y: u32| {
        // A quarter of the disc, with a radius of 2³¹.
        let [x, y] = [x, y].map(|coordinate| u64::from(coordinate >> 1));
        u32::from(x * x + y * y < 1 << 62)
    };
    hit(x0, y0) + hit(x1, y1)
}

#[cuda_module]
mod kernels {
    use super::*;

    /// Throws `pairs` pairs of darts, and adds the hits to the one element of `total`.
    ///
    /// A block has at most `WARPS` warps, and fewer than 2³¹ of the pairs.
    #[kernel]
    pub fn throw(pairs: u64, seed: u64, total: &[DeviceAtomicU64]) {
        static mut SCRATCH: SharedArray<u32, WARPS> = SharedArray::UNINIT;

        let (grid, block) = (this_grid(), this_thread_block());
        let own = (u64::from(grid.thread_rank())..pairs).step_by(grid.size() as usize);
        let own_hits = own.map(|number| hits(number, seed)).sum();
        let of_block = block_reduce::<u32, Sum, WARPS>(&block, own_hits, &raw mut SCRATCH);
        if block.thread_rank() == 0 {
            total[0].fetch_add(of_block.into(), Relaxed);
        }
    }
}

const PAIRS: u64 = 200_000;
const SEED: u64 = 0x0123_4567_89ab_cdef;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Known answers, which the paper's authors give with their implementation.
    assert_eq!(
        philox([0; 4], [0; 2]),
        [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
    );
    assert_eq!(
        philox([u32::MAX; 4], [u32::MAX; 2]),
        [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
    );

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let total = DeviceBuffer::<u64>::zeroed(&stream, 1)?.cast_elem::<DeviceAtomicU64>();
    let config = LaunchConfig {
        grid_dim: (20, 1, 1),
        block_dim: (32 * WARPS as u32, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: blocks of WARPS warps, and one element.
    unsafe { module.throw(&stream, config, PAIRS, SEED, &total) }?;
    let total = total.cast_elem::<u64>().to_host_vec(&stream)?[0];

    let expected: u64 = (0..PAIRS).map(|number| u64::from(hits(number, SEED))).sum();
    if total != expected {
        eprintln!("FAILURE: {total} darts hit, expected {expected}");
        return Ok(ExitCode::FAILURE);
    }
    let darts = 2.0 * PAIRS as f64;
    let pi = 4.0 * total as f64 / darts;
    let deviation = (PI * (4.0 - PI) / darts).sqrt();
    println!("pi is about {pi}, and {deviation:.4} is to be expected as the error");
    if (pi - PI).abs() > 4.0 * deviation {
        eprintln!("FAILURE: that is further from pi than by chance");
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: the device and the host threw the same darts");
    Ok(ExitCode::SUCCESS)
}
