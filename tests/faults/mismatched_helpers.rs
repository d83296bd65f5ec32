//! check: none
//! Two calls of one function shuffle: the branches have diverged, whoever it is that calls.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel, thread, warp};

#[cuda_module]
mod kernels {
    use super::*;

    #[inline(never)]
    fn exchange(value: u32) -> u32 {
        warp::shuffle_xor(value, 1)
    }
    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        let t = thread::threadIdx_x() as usize;
        let value = if t < 16 { exchange(1) } else { exchange(2) };
        unsafe { *out.add(t) = value };
        //~ lanes of one mask are at different calls: they have diverged
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
