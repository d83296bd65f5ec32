//! Views: each thread gets its part, and accesses through it are those of raw pointers.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, LaunchConfig1D, LaunchConfig2D};
use cuda_device::{DisjointSlice, LocalIndex32, Uniform, cuda_module, kernel, launch_contract, thread, view};
use cuda_host::RowWidth;
use view::{LinearTiles, MatrixView32, RowMajorTiles, RowView32, RuntimeRowMajorTiles, StaticView32};

const THREADS: u32 = 64;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel(launch_context = launch)]
    #[launch_contract(domain = 1, coordinates = u32, block = (THREADS, 1, 1))]
    pub fn element(mut out: DisjointSlice<u32>) {
        let index = thread::index_1d_u32(launch);
        let i = index.get();
        if let Some(element) = out.element_thread32(index) {
            element.write(3 * i);
        }
    }

    /// [`element`] by raw pointers.
    #[kernel]
    pub unsafe fn raw_element(out: *mut u32, length: usize) {
        let i = thread::blockIdx_x() * thread::blockDim_x() + thread::threadIdx_x();
        if (i as usize) < length {
            // SAFETY: in bounds, and this thread's own.
            unsafe { *out.add(i as usize) = 3 * i };
        }
    }

    #[kernel(launch_context = launch)]
    #[launch_contract(domain = 1, coordinates = u32, block = (THREADS, 1, 1))]
    pub fn tile(mut out: DisjointSlice<u32, LinearTiles<4>>, weights: &[u32]) {
        let Some(weights) = StaticView32::<u32, 3>::from_slice(weights) else { return };
        let Some(mut tile) = out.tile_thread32(thread::index_1d_u32(launch)) else { return };
        let first = tile.at_const::<0>().read();
        tile.at_const::<0>().write(first + weights.at_const::<2>().read());
        tile.at_const::<3>().write(weights.at_const::<0>().read() * weights.at_const::<1>().read());
    }

    /// [`tile`] by raw pointers.
    #[kernel]
    pub unsafe fn raw_tile(out: *mut u32, length: usize, weights: *const u32, count: usize) {
        if count != 3 {
            return;
        }
        let i = thread::blockIdx_x() * thread::blockDim_x() + thread::threadIdx_x();
        let start = i as usize * 4;
        if start + 4 > length {
            return;
        }
        // SAFETY: in bounds, and this thread's own.
        unsafe {
            let tile = out.add(start);
            *tile += *weights.add(2);
            *tile.add(3) = *weights * *weights.add(1);
        }
    }

    #[kernel(launch_context = launch)]
    #[launch_contract(domain = 1, coordinates = u32, block = (THREADS, 1, 1))]
    pub fn runs(mut once: DisjointSlice<u32, LinearTiles<4>>, mut again: DisjointSlice<u32, LinearTiles<3>>) {
        if let Some(mut run) = once.thread_run32(thread::index_1d_u32(launch)) {
            for i in 0..run.len() {
                let mark = if run.is_clipped() { 100 + i } else { 1 + i };
                if let Some(element) = run.at(i) {
                    element.write(mark);
                }
            }
        }
        let index = thread::index_1d_u32(launch);
        let mark = 1 + index.get();
        let mut runs = again.grid_stride_runs32(index);
        let period = runs.period();
        while let Some(mut run) = runs.next_run() {
            let mut i = 0;
            while let Some(mut element) = run.at(i) {
                *element.get_mut() += mark + 1000 * period;
                i += 1;
            }
        }
    }

    #[kernel(launch_context = launch)]
    #[launch_contract(domain = 2, coordinates = u32, block = (8, 4, 1))]
    pub fn tiles(mut fixed: DisjointSlice<u32, RowMajorTiles<2, 3, 50>>, mut runtime: DisjointSlice<u32, RuntimeRowMajorTiles<2, 3>>) {
        let (row, col) = {
            let coordinates = thread::coord_2d_u32(launch);
            (coordinates.row(), coordinates.col())
        };
        if let Some(mut tile) = fixed.tile_2d32(thread::coord_2d_u32(launch)) {
            tile.at_const::<0, 0>().write(1 + row);
            tile.at_const::<1, 2>().write(1 + col);
        }
        if let Some(mut tile) = runtime.tile_2d32_rt(thread::coord_2d_u32(launch)) {
            for i in 0..tile.rows() {
                for j in 0..tile.cols() {
                    if let (Some(i), Some(j)) = (LocalIndex32::new(i), LocalIndex32::new(j)) {
                        *tile.at(i, j).get_mut() += 100 * row + col;
                    }
                }
            }
        }
    }

    #[kernel(launch_context = launch)]
    #[launch_contract(domain = 2, coordinates = u32, block = (8, 4, 1), requires = (a.len() >= rows * inner, b.len() >= inner * cols))]
    pub fn product(
        a: &[f32],
        b: &[f32],
        rows: Uniform<u32>,
        inner: Uniform<u32>,
        cols: Uniform<u32>,
        mut out: DisjointSlice<f32, RuntimeRowMajorTiles<1, 1>>,
    ) {
        let coordinates = thread::coord_2d_u32(launch);
        if coordinates.row() >= rows.get() {
            return;
        }
        let row = MatrixView32::new(a, inner.get()).row(coordinates.row(), inner.get()).unwrap_or(RowView32::empty());
        let column = MatrixView32::new(b, cols.get()).col(coordinates.col(), inner.get());
        let Some(pairs) = column.and_then(|column| row.zip_exact(column)) else { return };
        if let Some(mut element) = out.tile_2d32_rt(coordinates) {
            element.at_const::<0, 0>().write(pairs.iter().map(|(a, b)| a * b).sum());
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    // SAFETY: the program carries what was compiled from this file.
    let module = unsafe { kernels::load(&ctx) }.unwrap();
    let line = LaunchConfig { grid_dim: (3, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let (along_x, plane) = (LaunchConfig1D::new(3, THREADS, 0), LaunchConfig2D::new((3, 2), (8, 4), 0));
    let zeros = |len| DeviceBuffer::<u32>::zeroed(&stream, len).unwrap();
    let read = |buffer: &DeviceBuffer<u32>| buffer.to_host_vec(&stream).unwrap();
    let address = |buffer: &DeviceBuffer<u32>| buffer.cu_deviceptr() as *mut u32;

    let (mut out, raw) = (zeros(150), zeros(150));
    module.element(&stream, &module.prepare_element(along_x).unwrap(), &mut out).unwrap();
    // SAFETY: the address and length of a buffer.
    unsafe { module.raw_element(&stream, line, address(&raw), 150) }.unwrap();
    assert_eq!(read(&out), (0..150).map(|i| 3 * i).collect::<Vec<_>>());
    assert_eq!(read(&out), read(&raw));

    let numbers: Vec<u32> = (0..150).collect();
    let weights = DeviceBuffer::from_host(&stream, &[5u32, 7, 1000]).unwrap();
    let (mut out, raw) = (DeviceBuffer::from_host(&stream, &numbers).unwrap(), DeviceBuffer::from_host(&stream, &numbers).unwrap());
    module.tile(&stream, &module.prepare_tile(along_x).unwrap(), &mut out, &weights).unwrap();
    // SAFETY: the addresses and lengths of buffers.
    unsafe { module.raw_tile(&stream, line, address(&raw), 150, address(&weights), 3) }.unwrap();
    let expected: Vec<u32> = (0..150)
        .map(|i| match i % 4 {
            0 if i < 148 => i + 1000,
            3 => 35,
            _ => i,
        })
        .collect();
    assert_eq!(read(&out), expected);
    assert_eq!(read(&out), read(&raw));

    let (mut once, mut again) = (zeros(150), zeros(1301));
    module.runs(&stream, &module.prepare_runs(along_x).unwrap(), &mut once, &mut again).unwrap();
    let expected: Vec<u32> = (0..150).map(|i| if i < 148 { 1 + i % 4 } else { 100 + i % 4 }).collect();
    assert_eq!(read(&once), expected);
    let expected: Vec<u32> = (0..1301).map(|i| 1 + i / 3 % (3 * THREADS) + 1000 * 9 * THREADS).collect();
    assert_eq!(read(&again), expected);

    // 24 columns and 8 rows of threads: tiles of 3 by 2 in rows of 50 fit 16 times.
    let (mut fixed, mut runtime) = (zeros(777), zeros(777));
    module.tiles(&stream, &module.prepare_tiles(plane).unwrap(), &mut fixed, RowWidth::new(&mut runtime, 41)).unwrap();
    let (mut expected, mut expected_runtime) = (vec![0; 777], vec![0; 777]);
    for (row, col) in (0..8usize).flat_map(|row| (0..24usize).map(move |col| (row, col))) {
        let start = 2 * row * 50 + 3 * col;
        if 3 * col + 3 <= 50 && start + 53 <= 777 {
            expected[start] = 1 + row as u32;
            expected[start + 52] = 1 + col as u32;
        }
        let start = 2 * row * 41 + 3 * col;
        if 3 * col + 3 <= 41 && start + 44 <= 777 {
            for element in [0, 1, 2, 41, 42, 43] {
                expected_runtime[start + element] += 100 * row as u32 + col as u32;
            }
        }
    }
    assert_eq!(read(&fixed), expected);
    assert_eq!(read(&runtime), expected_runtime);

    let (rows, inner, cols) = (7, 5, 19);
    let a: Vec<f32> = (0..rows * inner).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..inner * cols).map(|i| (i % 11) as f32).collect();
    let (left, right) = (DeviceBuffer::from_host(&stream, &a).unwrap(), DeviceBuffer::from_host(&stream, &b).unwrap());
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, (rows * cols) as usize).unwrap();
    let target = RowWidth::new(&mut out, cols);
    module.product(&stream, &module.prepare_product(plane).unwrap(), &left, &right, rows, inner, cols, target).unwrap();
    let at = |row: u32, col: u32| (0..inner).map(|k| a[(row * inner + k) as usize] * b[(k * cols + col) as usize]).sum::<f32>();
    let expected: Vec<f32> = (0..rows * cols).map(|i| at(i / cols, i % cols)).collect();
    assert_eq!(out.to_host_vec(&stream).unwrap(), expected);

    let ptx = std::fs::read_to_string("views.ptx").unwrap();
    for (view, raw) in [("element", "raw_element"), ("tile", "raw_tile")] {
        assert_eq!(cost(&ptx, view), cost(&ptx, raw), "{view}");
    }
    for kernel in ["element", "tile", "runs", "tiles", "product"] {
        let text = body(&ptx, kernel);
        assert!(!text.contains("trap;") && !text.contains("call"), "{text}");
    }
    println!("SUCCESS: elements, runs, tiles, matrices, at the price of raw pointers");
}

/// Loads, stores and branches of a kernel.
fn cost(ptx: &str, kernel: &str) -> [usize; 3] {
    ["ld.global", "st.global", "bra"].map(|instruction| body(ptx, kernel).matches(instruction).count())
}

/// The text of one kernel.
fn body<'a>(ptx: &'a str, kernel: &str) -> &'a str {
    let from = ptx.find(&format!(".entry {kernel}(")).unwrap();
    &ptx[from..from + ptx[from..].find("\n}").unwrap()]
}
