//! check: race
//! A flag is raised without release, and seen without acquire, so it orders nothing.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, atomic::AtomicOrdering, atomic::BlockAtomicU32, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        let t = thread::threadIdx_x();
        let flag = unsafe { BlockAtomicU32::from_ptr(out) };
        unsafe {
            if t == 0 {
                *out.add(1) = 42; //~ no synchronization orders the two
                flag.store(1, AtomicOrdering::Relaxed);
            } else if t == 32 {
                while flag.load(AtomicOrdering::Relaxed) == 0 {}
                *out.add(2) = *out.add(1); //~ race:
            }
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
