//! check: race
//! A thread reads what its neighbour writes, with no barrier between.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        static mut TILE: SharedArray<u32, 64> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        unsafe {
            TILE[t] = t as u32; //~ no synchronization orders the two
            *out.add(t) = TILE[63 - t]; //~ race:
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
