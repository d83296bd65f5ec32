//! The kernels that `bench/kernels.py` times, each beside the same one in `bench/kernels.cu`.

use cuda_device::{DisjointSlice, SharedArray, cuda_module, float, kernel, launch_bounds, launch_contract, thread, warp};
use cuda_device::{vector::F32x4, view::MatrixView32};

/// 256 numbers, read at indices that differ from lane to lane.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = (i as u32).wrapping_mul(2_654_435_761);
        i += 1;
    }
    table
};

static TABLE_AS_STATIC: [u32; 256] = TABLE;

/// Rows and columns of the matrices that are multiplied in safe code.
const SIDE: usize = 4096;

/// Vectors that each thread of `vecadd` and `softmax` moves.
const EACH: usize = 4;

#[cuda_module]
mod kernels {
    use super::*;

    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn vecadd(a: *const F32x4, b: *const F32x4, c: *mut F32x4, vectors: u32) {
        let first = thread::blockIdx_x() as usize * 256 * EACH + thread::threadIdx_x() as usize;
        unsafe {
            if first + 256 * (EACH - 1) < vectors as usize {
                let mut left = [F32x4::splat(0.0); EACH];
                let mut right = left;
                for k in 0..EACH {
                    left[k] = *a.add(first + 256 * k);
                    right[k] = *b.add(first + 256 * k);
                }
                for k in 0..EACH {
                    *c.add(first + 256 * k) = sum(left[k], right[k]);
                }
                return;
            }
            for k in 0..EACH {
                let i = first + 256 * k;
                if i < vectors as usize {
                    *c.add(i) = sum(*a.add(i), *b.add(i));
                }
            }
        }
    }

    fn sum(a: F32x4, b: F32x4) -> F32x4 {
        let (a, b) = (a.to_array(), b.to_array());
        F32x4::new([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]])
    }

    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn copy(a: *const F32x4, c: *mut F32x4, vectors: u32) {
        let i = (thread::blockIdx_x() * 256 + thread::threadIdx_x()) as usize;
        if i < vectors as usize {
            unsafe { *c.add(i) = *a.add(i) };
        }
    }

    /// Adds the sum of all numbers to `out`: a part for each thread, then warps, blocks and one atomic addition a block.
    #[launch_bounds(512)]
    #[kernel]
    pub unsafe fn total(a: *const F32x4, out: *mut f32, vectors: u32) {
        static mut PARTS: SharedArray<f32, 16> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        let step = thread::gridDim_x() as usize * 512;
        let mut i = thread::blockIdx_x() as usize * 512 + t;
        let mut sums = [0.0_f32; 4];
        unsafe {
            while i + 3 * step < vectors as usize {
                let four = [*a.add(i), *a.add(i + step), *a.add(i + 2 * step), *a.add(i + 3 * step)];
                for k in 0..4 {
                    let v = four[k].to_array();
                    sums[k] += (v[0] + v[1]) + (v[2] + v[3]);
                }
                i += 4 * step;
            }
            while i < vectors as usize {
                let v = (*a.add(i)).to_array();
                sums[0] += (v[0] + v[1]) + (v[2] + v[3]);
                i += step;
            }
            let of_warp = warp::reduce_sum_f32((sums[0] + sums[1]) + (sums[2] + sums[3]));
            let parts = SharedArray::as_raw_mut_ptr(&raw mut PARTS);
            if t % 32 == 0 {
                *parts.add(t / 32) = of_warp;
            }
            thread::sync_threads();
            if t < 32 {
                let all = warp::reduce_sum_f32(if t < 16 { *parts.add(t) } else { 0.0 });
                if t == 0 {
                    cuda_device::atomic::DeviceAtomicF32::from_ptr(out).fetch_add(all, cuda_device::atomic::AtomicOrdering::Relaxed);
                }
            }
        }
    }

    /// Transposes a square matrix by tiles of 32 by 32, blocks of 32 by 8 threads.
    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn transpose(a: *const f32, out: *mut f32, n: u32) {
        static mut TILE: SharedArray<f32, { 32 * 33 }> = SharedArray::UNINIT;
        let n = n as usize;
        let (x, y) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
        let (column, row) = (thread::blockIdx_x() as usize * 32, thread::blockIdx_y() as usize * 32);
        unsafe {
            let tile = SharedArray::as_raw_mut_ptr(&raw mut TILE);
            for k in 0..4 {
                *tile.add((y + 8 * k) * 33 + x) = *a.add((row + y + 8 * k) * n + column + x);
            }
            thread::sync_threads();
            for k in 0..4 {
                *out.add((column + y + 8 * k) * n + row + x) = *tile.add(x * 33 + y + 8 * k);
            }
        }
    }

    const LOG2_E: f32 = core::f32::consts::LOG2_E;

    /// One row of 4096 numbers a block of 256 threads, kept in registers.
    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn softmax(a: *const F32x4, out: *mut F32x4) {
        static mut PARTS: SharedArray<f32, 16> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        let row = thread::blockIdx_x() as usize * 1024;
        let mut values = [[0.0_f32; 4]; EACH];
        unsafe {
            for k in 0..EACH {
                values[k] = (*a.add(row + t + 256 * k)).to_array();
            }
            let parts = SharedArray::as_raw_mut_ptr(&raw mut PARTS);
            let mut most = f32::NEG_INFINITY;
            for k in 0..EACH {
                for j in 0..4 {
                    most = most.max(values[k][j]);
                }
            }
            let most = of_block(parts, warp::reduce_max_f32(most), f32::NEG_INFINITY, f32::max);
            let mut sum = 0.0;
            for k in 0..EACH {
                for j in 0..4 {
                    values[k][j] = float::ex2_approx_ftz_f32((values[k][j] - most) * LOG2_E);
                    sum += values[k][j];
                }
            }
            let sum = of_block(parts.add(8), warp::reduce_sum_f32(sum), 0.0, |a, b| a + b);
            let scale = 1.0 / sum;
            for k in 0..EACH {
                let v = values[k];
                *out.add(row + t + 256 * k) = F32x4::new([v[0] * scale, v[1] * scale, v[2] * scale, v[3] * scale]);
            }
        }
    }

    /// Combines the values of eight warps.
    unsafe fn of_block(parts: *mut f32, of_warp: f32, neutral: f32, combine: impl Fn(f32, f32) -> f32) -> f32 {
        let t = thread::threadIdx_x() as usize;
        unsafe {
            if t % 32 == 0 {
                *parts.add(t / 32) = of_warp;
            }
            thread::sync_threads();
            let mut all = neutral;
            for k in 0..8 {
                all = combine(all, *parts.add(k));
            }
            all
        }
    }

    /// One element of the product of two square matrices a thread, blocks of 32 by 8 threads.
    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn gemm_naive(a: *const f32, b: *const f32, c: *mut f32, n: u32) {
        let column = (thread::blockIdx_x() * 32 + thread::threadIdx_x()) as usize;
        let row = (thread::blockIdx_y() * 8 + thread::threadIdx_y()) as usize;
        let n = n as usize;
        if row >= n || column >= n {
            return;
        }
        let mut sum = 0.0;
        unsafe {
            for k in 0..n {
                sum += *a.add(row * n + k) * *b.add(k * n + column);
            }
            *c.add(row * n + column) = sum;
        }
    }

    /// The same in safe code.
    #[launch_bounds(256)]
    #[kernel]
    pub fn gemm_naive_safe(a: &[f32], b: &[f32], mut c: DisjointSlice<f32, thread::Index2D<SIDE>>, n: u32) {
        let Some(index) = thread::index_2d::<SIDE>() else { return };
        let (row, column) = (thread::index_2d_row() as u32, thread::index_2d_col() as u32);
        let Some(element) = c.get_mut(index) else { return };
        let (Some(row), Some(column)) = (MatrixView32::new(a, n).row(row, n), MatrixView32::new(b, n).col(column, n)) else { return };
        let Some(pairs) = row.zip_exact(column) else { return };
        *element = pairs.iter().map(|(a, b)| a * b).sum();
    }

    /// Tiles of 16 by 16 in shared memory.
    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn gemm_tiled(a: *const f32, b: *const f32, c: *mut f32, n: u32) {
        static mut LEFT: SharedArray<f32, 256> = SharedArray::UNINIT;
        static mut RIGHT: SharedArray<f32, 256> = SharedArray::UNINIT;
        let (x, y) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
        let column = thread::blockIdx_x() as usize * 16 + x;
        let row = thread::blockIdx_y() as usize * 16 + y;
        let n = n as usize;
        let mut sum = 0.0;
        unsafe {
            let (left, right) = (SharedArray::as_raw_mut_ptr(&raw mut LEFT), SharedArray::as_raw_mut_ptr(&raw mut RIGHT));
            let mut tile = 0;
            while tile < n {
                *left.add(y * 16 + x) = *a.add(row * n + tile + x);
                *right.add(y * 16 + x) = *b.add((tile + y) * n + column);
                thread::sync_threads();
                for k in 0..16 {
                    sum += *left.add(y * 16 + k) * *right.add(k * 16 + x);
                }
                thread::sync_threads();
                tile += 16;
            }
            *c.add(row * n + column) = sum;
        }
    }

    /// The same with every index checked; unsafe are only the shared arrays, which all threads of the block write.
    #[launch_contract(domain = 2, block = (16, 16, 1))]
    #[kernel]
    pub fn gemm_tiled_safe(a: &[f32], b: &[f32], mut c: DisjointSlice<f32, thread::Index2D<SIDE>>, n: u32) {
        static mut LEFT: SharedArray<f32, 256> = SharedArray::UNINIT;
        static mut RIGHT: SharedArray<f32, 256> = SharedArray::UNINIT;
        let Some(index) = thread::index_2d::<SIDE>() else { return };
        let (x, y) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
        let (row, column) = (thread::index_2d_row() as u32, thread::index_2d_col() as u32);
        let Some(element) = c.get_mut(index) else { return };
        let (Some(row), Some(column)) = (MatrixView32::new(a, n).row(row, n), MatrixView32::new(b, n).col(column, n)) else { return };
        let mut sum = 0.0;
        for tile in (0..n).step_by(16) {
            let (Some(from_row), Some(from_column)) = (row.get(tile + x as u32), column.get(tile + y as u32)) else { return };
            // SAFETY: each thread writes its own element, and barriers stand between writing and reading.
            unsafe {
                LEFT[y * 16 + x] = from_row;
                RIGHT[y * 16 + x] = from_column;
                thread::sync_threads();
                for k in 0..16 {
                    sum += LEFT[y * 16 + k] * RIGHT[k * 16 + x];
                }
                thread::sync_threads();
            }
        }
        *element = sum;
    }

    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn table_by_value(indices: *const u8, out: *mut u32) {
        let table = TABLE;
        let i = (thread::blockIdx_x() * 256 + thread::threadIdx_x()) as usize;
        unsafe { *out.add(i) = table[*indices.add(i) as usize] };
    }

    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn table_by_reference(indices: *const u8, out: *mut u32) {
        let table = &TABLE;
        let i = (thread::blockIdx_x() * 256 + thread::threadIdx_x()) as usize;
        unsafe { *out.add(i) = table[*indices.add(i) as usize] };
    }

    #[launch_bounds(256)]
    #[kernel]
    pub unsafe fn table_as_static(indices: *const u8, out: *mut u32) {
        let i = (thread::blockIdx_x() * 256 + thread::threadIdx_x()) as usize;
        unsafe { *out.add(i) = TABLE_AS_STATIC[*indices.add(i) as usize] };
    }
}

fn main() {}
