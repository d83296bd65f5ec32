//! Multiplies matrices by tiles that a block keeps in shared memory: first with raw pointers, then
//! with views, where each thread has a tile of the result to itself.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, LaunchConfig2D};
use cuda_device::{
    DisjointSlice, SharedArray, cuda_module, kernel, launch_contract,
    thread::{self, sync_threads, threadIdx_x, threadIdx_y},
    view::{MatrixView32, RowMajorTiles},
};

/// Threads of a block along each axis.
const SIDE: usize = 16;

/// No multiples of what a block computes.
const ROWS: usize = 100;
const INNER: usize = 84;
const COLS: usize = 120;

#[cuda_module]
mod kernels {
    use super::*;

    /// Each thread computes one element, in blocks of `SIDE` by `SIDE`.
    ///
    /// # Safety
    ///
    /// The matrices have `rows` by `inner`, `inner` by `cols`, and `rows` by `cols` elements.
    #[kernel]
    pub unsafe fn by_pointers(
        a: *const f32,
        b: *const f32,
        out: *mut f32,
        rows: usize,
        inner: usize,
        cols: usize,
    ) {
        static mut A: SharedArray<[f32; SIDE], SIDE> = SharedArray::UNINIT;
        static mut B: SharedArray<[f32; SIDE], SIDE> = SharedArray::UNINIT;

        let (x, y) = (threadIdx_x() as usize, threadIdx_y() as usize);
        let (row, col) = (thread::index_2d_row(), thread::index_2d_col());
        let mut sum = 0.0;
        for start in (0..inner).step_by(SIDE) {
            // SAFETY: in bounds, and every thread writes its own elements of the tiles.
            unsafe {
                A[y][x] = if row < rows && start + x < inner {
                    *a.add(row * inner + start + x)
                } else {
                    0.0
                };
                B[y][x] = if start + y < inner && col < cols {
                    *b.add((start + y) * cols + col)
                } else {
                    0.0
                };
            }
            sync_threads();
            for k in 0..SIDE {
                // SAFETY: nobody writes between the two barriers.
                sum += unsafe { A[y][k] * B[k][x] };
            }
            sync_threads();
        }
        if row < rows && col < cols {
            // SAFETY: in bounds, and this thread's own.
            unsafe { *out.add(row * cols + col) = sum };
        }
    }

    /// Each thread computes two rows of two elements. The type of `out` says so: `tile_2d32` gives a
    /// thread those four, whose accesses need no checks and no `unsafe`.
    #[kernel(launch_context = launch)]
    #[launch_contract(domain = 2, coordinates = u32, block = (SIDE as u32, SIDE as u32, 1))]
    pub fn by_views(a: &[f32], b: &[f32], mut out: DisjointSlice<f32, RowMajorTiles<2, 2, COLS>>) {
        static mut A: SharedArray<[[f32; 2]; SIDE], SIDE> = SharedArray::UNINIT;
        static mut B: SharedArray<[[f32; 2]; SIDE], SIDE> = SharedArray::UNINIT;

        let (x, y) = (threadIdx_x() as usize, threadIdx_y() as usize);
        let tile = thread::coord_2d_u32(launch);
        let rows = [2 * tile.row(), 2 * tile.row() + 1]
            .map(|row| MatrixView32::new(a, INNER as u32).row(row, INNER as u32));
        let cols = [2 * tile.col(), 2 * tile.col() + 1]
            .map(|col| MatrixView32::new(b, COLS as u32).col(col, INNER as u32));

        let mut sums = [[0.0; 2]; 2];
        for start in (0..INNER).step_by(SIDE) {
            // What lies outside of a matrix counts as 0.
            let (k_of_a, k_of_b) = ((start + x) as u32, (start + y) as u32);
            // SAFETY: every thread writes its own elements of the tiles.
            unsafe {
                A[y][x] = rows.map(|row| row.and_then(|row| row.get(k_of_a)).unwrap_or(0.0));
                B[y][x] = cols.map(|col| col.and_then(|col| col.get(k_of_b)).unwrap_or(0.0));
            }
            sync_threads();
            for k in 0..SIDE {
                // SAFETY: nobody writes between the two barriers.
                let (a, b) = unsafe { (A[y][k], B[k][x]) };
                for (sums, a) in sums.iter_mut().zip(&a) {
                    for (sum, b) in sums.iter_mut().zip(&b) {
                        *sum += a * b;
                    }
                }
            }
            sync_threads();
        }

        if let Some(mut tile) = out.tile_2d32(tile) {
            tile.at_const::<0, 0>().write(sums[0][0]);
            tile.at_const::<0, 1>().write(sums[0][1]);
            tile.at_const::<1, 0>().write(sums[1][0]);
            tile.at_const::<1, 1>().write(sums[1][1]);
        }
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let a: Vec<f32> = (0..ROWS * INNER).map(|i| (i % 37) as f32 / 7.0).collect();
    let b: Vec<f32> = (0..INNER * COLS)
        .map(|i| (i % 29) as f32 / 3.0 - 4.0)
        .collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    // SAFETY: the program carries what was compiled from this file.
    let module = unsafe { kernels::load(&ctx) }?;
    let a_device = DeviceBuffer::from_host(&stream, &a)?;
    let b_device = DeviceBuffer::from_host(&stream, &b)?;

    let out = DeviceBuffer::<f32>::zeroed(&stream, ROWS * COLS)?;
    let blocks = grid(1);
    // SAFETY: the buffers have the sizes that are passed, and there is a thread for each element.
    unsafe {
        module.by_pointers(
            &stream,
            LaunchConfig {
                grid_dim: (blocks.0, blocks.1, 1),
                block_dim: (SIDE as u32, SIDE as u32, 1),
                shared_mem_bytes: 0,
            },
            a_device.cu_deviceptr() as *const f32,
            b_device.cu_deviceptr() as *const f32,
            out.cu_deviceptr() as *mut f32,
            ROWS,
            INNER,
            COLS,
        )
    }?;
    let by_pointers = out.to_host_vec(&stream)?;

    let mut out = DeviceBuffer::<f32>::zeroed(&stream, ROWS * COLS)?;
    let (blocks, threads) = (grid(2), (SIDE as u32, SIDE as u32));
    let prepared = module.prepare_by_views(LaunchConfig2D::new(blocks, threads, 0))?;
    module.by_views(&stream, &prepared, &a_device, &b_device, &mut out)?;
    let by_views = out.to_host_vec(&stream)?;

    let right = check("pointers", &a, &b, &by_pointers) & check("views", &a, &b, &by_views);
    if !right {
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: {ROWS} by {INNER} times {INNER} by {COLS}, twice");
    Ok(ExitCode::SUCCESS)
}

/// As many blocks as cover the result where each thread has a square of it.
fn grid(side_of_thread: usize) -> (u32, u32) {
    let side = SIDE * side_of_thread;
    (COLS.div_ceil(side) as u32, ROWS.div_ceil(side) as u32)
}

/// Compares with the product in `f64`. Each of `INNER` additions rounds once, by at most one in 2²⁴
/// of what has been added up.
fn check(what: &str, a: &[f32], b: &[f32], product: &[f32]) -> bool {
    for (i, &got) in product.iter().enumerate() {
        let (row, col) = (i / COLS, i % COLS);
        let terms =
            (0..INNER).map(|k| f64::from(a[row * INNER + k]) * f64::from(b[k * COLS + col]));
        let expected: f64 = terms.clone().sum();
        let bound = (INNER + 1) as f64 * terms.map(f64::abs).sum::<f64>() / f64::from(1 << 24);
        if (f64::from(got) - expected).abs() > bound {
            eprintln!("FAILURE: {what}: row {row}, column {col} is {got}, expected {expected}");
            return false;
        }
    }
    true
}
