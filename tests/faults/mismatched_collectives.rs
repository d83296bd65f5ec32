//! check: none
//! Lanes of one mask come to two shuffles: the branches have diverged.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel, thread, warp};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        let t = thread::threadIdx_x() as usize;
        let value = if t < 16 {
            warp::shuffle_xor_sync(u32::MAX, 1, 1) //~ lanes of one mask are at different calls
        } else {
            warp::shuffle_xor_sync(u32::MAX, 2, 1) //~ at warp shuffle with mask 0xffffffff
        };
        unsafe { *out.add(t) = value };
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    let launched = unsafe { module.faulty(&stream, config, out.cu_deviceptr() as *mut u32) };
    std::process::exit(i32::from(launched.is_err()));
}
