//! check: none
//! Two warps come to one barrier with different counts.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{barrier, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        let count = if thread::threadIdx_x() < 32 { 64 } else { 96 };
        unsafe { barrier::bar_sync(2, count) }; //~ but other threads arrived with a count of 64
        unsafe { *out = 1 };
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (96, 1, 1), shared_mem_bytes: 0 };
    let launched = unsafe { module.faulty(&stream, config, out.cu_deviceptr() as *mut u32) };
    std::process::exit(i32::from(launched.is_err()));
}
