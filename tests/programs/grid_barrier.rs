//! The barrier of all threads of a cooperative launch, round after round: each block reads what another one wrote in the round before.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cooperative_launch, cuda_module, grid, kernel, thread};

const BLOCK: [u32; 3] = [8, 2, 3];
const GRID: [u32; 3] = [3, 4, 2];
const THREADS: usize = 48;
const BLOCKS: usize = 24;
const ROUNDS: usize = 9;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[cooperative_launch]
    pub unsafe fn rotate(values: *mut u32, workspaces: *mut u64) {
        let block = thread::blockIdx_x() + thread::gridDim_x() * (thread::blockIdx_y() + thread::gridDim_y() * thread::blockIdx_z());
        let t = thread::threadIdx_x() + thread::blockDim_x() * (thread::threadIdx_y() + thread::blockDim_y() * thread::threadIdx_z());
        let (block, t) = (block as usize, t as usize);
        let at = |block: usize| unsafe { values.add(block % BLOCKS * THREADS + t) };
        for _ in 0..ROUNDS {
            let next = unsafe { *at(block + 1) };
            grid::sync();
            unsafe { *at(block) = next + 1 };
            grid::sync();
        }
        unsafe { *workspaces.add(block * THREADS + t) = u64::from(grid::envreg1()) << 32 | u64::from(grid::envreg2()) };
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    if !context.supports_cooperative_launch().unwrap() {
        println!("SUCCESS: this device launches no grids at once");
        return;
    }
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = LaunchConfig { grid_dim: GRID.into(), block_dim: BLOCK.into(), shared_mem_bytes: 0 };
    let start: Vec<u32> = (0..(BLOCKS * THREADS) as u32).map(|i| 1000 * i).collect();
    let values = DeviceBuffer::from_host(&stream, &start).unwrap();
    let workspaces = DeviceBuffer::<u64>::zeroed(&stream, BLOCKS * THREADS).unwrap();
    // The second launch has the same workspace, or another one: both begin with a barrier that nobody has come to.
    for launch in 1..=2 {
        unsafe { module.rotate(&stream, config, values.cu_deviceptr() as *mut u32, workspaces.cu_deviceptr() as *mut u64) }.unwrap();
        for (i, found) in values.to_host_vec(&stream).unwrap().into_iter().enumerate() {
            let from = (i + launch * ROUNDS * THREADS) % (BLOCKS * THREADS);
            assert_eq!(found, start[from] + (launch * ROUNDS) as u32, "element {i} after launch {launch}");
        }
        // The driver tells all threads of one, if any: the address is one of 4 bytes at least.
        let told = workspaces.to_host_vec(&stream).unwrap();
        assert!(told.iter().all(|workspace| *workspace == told[0] && workspace.is_multiple_of(4)), "{:#x}", told[0]);
    }
    println!("SUCCESS: {BLOCKS} blocks met {} times", 4 * ROUNDS);
}
