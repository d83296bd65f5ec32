//! check: none
//! Threads beyond the end return before a barrier that all are to reach.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        let t = thread::threadIdx_x() as usize;
        if t >= 50 {
            return;
        }
        thread::sync_threads(); //~ some wait for others that never arrive
        unsafe { *out.add(t) = 1 };
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
