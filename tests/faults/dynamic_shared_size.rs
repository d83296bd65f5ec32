//! check: memory
//! A kernel uses more dynamic shared memory than its launch asked for.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DynamicSharedArray, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        let t = thread::threadIdx_x() as usize;
        unsafe {
            let tile = DynamicSharedArray::<u32>::get();
            *tile.add(t) = t as u32; //~ past the end of dynamic shared memory of 128 bytes
            *out.add(t) = *tile.add(t);
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 128 };
    let launched = unsafe { module.faulty(&stream, config, out.cu_deviceptr() as *mut u32) };
    std::process::exit(i32::from(launched.is_err()));
}
