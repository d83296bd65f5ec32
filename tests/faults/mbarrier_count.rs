//! check: none
//! An mbarrier waits for more arrivals than there are threads.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{Barrier, barrier, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        static mut BAR: Barrier = Barrier::UNINIT;
        let t = thread::threadIdx_x();
        let bar = &raw mut BAR;
        unsafe {
            if t == 0 {
                barrier::mbarrier_init(bar, 65);
            }
            thread::sync_threads();
            let token = barrier::mbarrier_arrive(bar);
            while !barrier::mbarrier_try_wait(bar, token) {} //~ at an mbarrier with 1 of 65 arrivals pending
            *out = 1;
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
