//! check: memory
//! Threads wait at a barrier in each round for a flag that nobody raises.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{atomic::AtomicOrdering, atomic::DeviceAtomicU32, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        let flag = unsafe { DeviceAtomicU32::from_ptr(out) };
        while flag.load(AtomicOrdering::Acquire) == 0 {
            thread::sync_threads(); //~ no thread has written to memory
        }
        unsafe { *out.add(1) = thread::threadIdx_x() };
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
