//! Sums up all elements before each one, in a single pass over memory: a block adds up its tile, then
//! looks back at the blocks before it until it finds one that knows its whole prefix.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice, SharedArray,
    atomic::{AtomicOrdering::*, BlockAtomicU32, BlockAtomicU64, DeviceAtomicU32, DeviceAtomicU64},
    cooperative_groups::{ThreadGroup, block_scan, ops::Sum, this_thread_block},
    cuda_module, kernel,
};

const BLOCK: usize = 128;
/// Elements side by side that a thread adds up.
const ITEMS: usize = 4;
const TILE: usize = BLOCK * ITEMS;

/// What a block tells those after it. The sums are written before the status is released, and read
/// after it is acquired.
#[repr(C)]
pub struct Tile {
    status: DeviceAtomicU32,
    /// The sum of the tile.
    sum: DeviceAtomicU64,
    /// The sum of the tile and all before it.
    prefix: DeviceAtomicU64,
}

/// Values of a status. Zero says that nothing is known yet.
const HAS_SUM: u32 = 1;
const HAS_PREFIX: u32 = 2;

#[cuda_module]
mod kernels {
    use super::*;

    /// A block of `BLOCK` threads for each tile. `tickets` has one element, 0 at first, as are all
    /// bytes of `tiles`. The sum of a tile fits 32 bits, that of all tiles need not.
    #[kernel]
    pub fn prefix_sums(
        input: &[u32],
        tickets: &[DeviceAtomicU32],
        tiles: &[Tile],
        mut output: DisjointSlice<u64>,
    ) {
        // Atomics may be shared without `mut`, and so without `unsafe`.
        static TICKET: SharedArray<BlockAtomicU32, 1> = SharedArray::UNINIT;
        static BEFORE: SharedArray<BlockAtomicU64, 1> = SharedArray::UNINIT;
        static mut SCRATCH: SharedArray<u32, { BLOCK / 32 }> = SharedArray::UNINIT;

        // Tiles are taken in the order in which blocks start: whoever waits, waits for blocks that run.
        let block = this_thread_block();
        let is_first = block.thread_rank() == 0;
        let is_last = block.thread_rank() + 1 == block.size();
        if is_first {
            TICKET[0].store(tickets[0].fetch_add(1, Relaxed), Relaxed);
        }
        block.sync();
        let tile = TICKET[0].load(Relaxed) as usize;

        let start = tile * TILE + block.thread_rank() as usize * ITEMS;
        let items: [u32; ITEMS] =
            core::array::from_fn(|i| input.get(start + i).copied().unwrap_or(0));
        let own: u32 = items.iter().sum();
        let up_to_own = block_scan::<u32, Sum, { BLOCK / 32 }>(&block, own, &raw mut SCRATCH);

        // The last thread has the sum of the tile.
        if is_last {
            BEFORE[0].store(look_back(tiles, tile, up_to_own.into()), Relaxed);
        }
        block.sync();
        let mut sum = BEFORE[0].load(Relaxed) + u64::from(up_to_own - own);
        for (i, item) in items.iter().enumerate() {
            sum += u64::from(*item);
            if start + i < output.len() {
                // SAFETY: in bounds, and no other thread has this element.
                unsafe { *output.get_unchecked_mut(start + i) = sum };
            }
        }
    }

    /// The sum of all tiles before `tile`, which is told to the others with its own.
    fn look_back(tiles: &[Tile], tile: usize, sum: u64) -> u64 {
        tiles[tile].sum.store(sum, Relaxed);
        tiles[tile].status.store(HAS_SUM, Release);

        let mut before = 0;
        for other in tiles[..tile].iter().rev() {
            let status = loop {
                let status = other.status.load(Acquire);
                if status != 0 {
                    break status;
                }
            };
            if status == HAS_PREFIX {
                before += other.prefix.load(Relaxed);
                break;
            }
            before += other.sum.load(Relaxed);
        }

        tiles[tile].prefix.store(before + sum, Relaxed);
        tiles[tile].status.store(HAS_PREFIX, Release);
        before
    }
}

/// The last tile is not full.
const N: usize = 40_000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let numbers: Vec<u32> = (0..N as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 9)
        .collect();
    let blocks = N.div_ceil(TILE);

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let input = DeviceBuffer::from_host(&stream, &numbers)?;
    let tickets = DeviceBuffer::<u32>::zeroed(&stream, 1)?.cast_elem::<DeviceAtomicU32>();
    let tiles = DeviceBuffer::<[u64; 3]>::zeroed(&stream, blocks)?.cast_elem::<Tile>();
    let mut sums = DeviceBuffer::<u64>::zeroed(&stream, N)?;
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (BLOCK as u32, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: one block of BLOCK threads for each tile, and all that is told between them is zero.
    unsafe { module.prefix_sums(&stream, config, &input, &tickets, &tiles, &mut sums) }?;

    let mut expected = 0;
    for (i, (&number, sum)) in numbers.iter().zip(sums.to_host_vec(&stream)?).enumerate() {
        expected += u64::from(number);
        if sum != expected {
            eprintln!("FAILURE: the sum up to element {i} is {sum}, expected {expected}");
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("The sum of all is {expected}");
    println!("SUCCESS: {N} sums");
    Ok(ExitCode::SUCCESS)
}
