//! check: race
//! A loop with two buffers writes to the one that is read in the same round.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        static mut TILES: SharedArray<u32, 128> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        unsafe {
            TILES[t] = t as u32;
            thread::sync_threads();
            let mut sum = 0;
            for round in 0..4 {
                let buffer = 0; // round % 2 * 64 is meant
                sum += TILES[buffer + 63 - t]; //~ race:
                TILES[buffer + t] = sum + round; //~ no synchronization orders the two
                thread::sync_threads();
            }
            *out.add(t) = sum;
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    let launched = unsafe { module.faulty(&stream, config, out.cu_deviceptr() as *mut u32) };
    std::process::exit(i32::from(launched.is_err()));
}
