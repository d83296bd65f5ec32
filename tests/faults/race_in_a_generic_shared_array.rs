//! check: race
//! A thread reads what its neighbour writes, with no barrier between, in a shared array of the kernel's own type.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel, shared_array, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty<T: Copy, const N: usize>(out: *mut T) {
        let t = thread::threadIdx_x() as usize;
        unsafe {
            let tile = shared_array!(T, N);
            tile[t] = *out.add(t); //~ no synchronization orders the two
            *out.add(t) = tile[63 - t]; //~ race:
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    let launched = unsafe { module.faulty::<u32, 64>(&stream, config, out.cu_deviceptr() as *mut u32) };
    std::process::exit(i32::from(launched.is_err()));
}
