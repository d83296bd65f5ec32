//! Lets heat spread in plates: the blocks of a cluster keep a plate in their shared memory, and read
//! the edges of each other's part where it is, so that only the first and the last state are in global
//! memory.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice, SharedArray, Uniform,
    cluster::{cluster_ctaidX, cluster_ctaidY, cluster_sync, map_shared_rank},
    cluster_launch, cuda_module, kernel,
    thread::{self, Index2D, threadIdx_x, threadIdx_y},
};

/// Threads of a block along each axis.
const SIDE: usize = 16;
/// Blocks of a cluster along each axis.
const BLOCKS: usize = 2;
/// Points of a plate along each axis.
const PLATE: usize = BLOCKS * SIDE;

/// The next value of a point, from its own, those above and below it, and those beside it.
fn next(here: f32, column: [f32; 2], row: [f32; 2]) -> f32 {
    0.5 * here + 0.125 * (column[0] + column[1] + (row[0] + row[1]))
}

#[cuda_module]
mod kernels {
    use super::*;

    /// Plates lie below each other, one for each cluster of blocks of `SIDE` by `SIDE` threads. What is
    /// outside of a plate stays at 0.
    #[kernel]
    #[cluster_launch(BLOCKS as u32, BLOCKS as u32)]
    pub fn spread(
        before: &[f32],
        steps: Uniform<u32>,
        mut after: DisjointSlice<f32, Index2D<PLATE>>,
    ) {
        // The state of this step and of the next, by turns.
        static mut STATES: SharedArray<[[f32; SIDE]; SIDE], 2> = SharedArray::UNINIT;

        let (x, y) = (threadIdx_x() as usize, threadIdx_y() as usize);
        let (row, col) = (thread::index_2d_row(), thread::index_2d_col());
        let in_plate = [
            cluster_ctaidY() as usize * SIDE + y,
            cluster_ctaidX() as usize * SIDE + x,
        ];

        // SAFETY: every thread writes its own points.
        unsafe { STATES[0][y][x] = before[row * PLATE + col] };
        cluster_sync();
        for step in 0..steps.get() as usize {
            // SAFETY: the address of a static, which has two elements.
            let now = unsafe { SharedArray::as_raw_mut_ptr(&raw mut STATES).add(step % 2) };
            let at = |rows: isize, cols: isize| {
                let (Some(row @ 0..PLATE), Some(col @ 0..PLATE)) = (
                    in_plate[0].checked_add_signed(rows),
                    in_plate[1].checked_add_signed(cols),
                ) else {
                    return 0.0;
                };
                // Blocks of a cluster are numbered along x first.
                let rank = row / SIDE * BLOCKS + col / SIDE;
                // SAFETY: the cluster has that block, which stays until all have read their last, and
                // nobody writes to this state between two barriers of the cluster.
                unsafe { (*map_shared_rank(now, rank as u32))[row % SIDE][col % SIDE] }
            };
            let new = next(at(0, 0), [at(-1, 0), at(1, 0)], [at(0, -1), at(0, 1)]);
            // SAFETY: every thread writes its own points, which nobody reads before the barrier.
            unsafe { STATES[(step + 1) % 2][y][x] = new };
            cluster_sync();
        }

        if let Some((after, _)) = after.get_mut_indexed() {
            // SAFETY: this thread wrote it last.
            *after = unsafe { STATES[steps.get() as usize % 2][y][x] };
        }
    }
}

const PLATES: usize = 3;
const STEPS: u32 = 20;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let start: Vec<f32> = (0..PLATES * PLATE * PLATE)
        .map(|i| if i % 7 == 0 { (i % 100) as f32 } else { 0.0 })
        .collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let before = DeviceBuffer::from_host(&stream, &start)?;
    let mut after = DeviceBuffer::<f32>::zeroed(&stream, start.len())?;
    let config = LaunchConfig {
        grid_dim: (BLOCKS as u32, (PLATES * BLOCKS) as u32, 1),
        block_dim: (SIDE as u32, SIDE as u32, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: a thread for each point, and blocks of SIDE by SIDE.
    unsafe { module.spread(&stream, config, &before, STEPS, &mut after) }?;

    let after = after.to_host_vec(&stream)?;
    for (number, (start, after)) in start
        .chunks(PLATE * PLATE)
        .zip(after.chunks(PLATE * PLATE))
        .enumerate()
    {
        let expected = (0..STEPS).fold(start.to_vec(), |state, _| one_step(&state));
        for (i, (got, expected)) in after.iter().zip(expected).enumerate() {
            if (got - expected).abs() > 1e-4 {
                let (row, col) = (i / PLATE, i % PLATE);
                eprintln!(
                    "FAILURE: plate {number}, row {row}, column {col} is {got}, expected {expected}"
                );
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    println!("SUCCESS: {PLATES} plates, {STEPS} steps each");
    Ok(ExitCode::SUCCESS)
}

/// The state of a plate after a step, on the host.
fn one_step(state: &[f32]) -> Vec<f32> {
    let at = |row: usize, col: usize| match (row, col) {
        (0..PLATE, 0..PLATE) => state[row * PLATE + col],
        _ => 0.0,
    };
    (0..PLATE * PLATE)
        .map(|i| {
            let (row, col) = (i / PLATE, i % PLATE);
            let column = [at(row.wrapping_sub(1), col), at(row + 1, col)];
            let line = [at(row, col.wrapping_sub(1)), at(row, col + 1)];
            next(at(row, col), column, line)
        })
        .collect()
}
