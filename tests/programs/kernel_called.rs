//! A kernel is a function too: another kernel calls it, and one calls itself.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[inline(never)]
    pub unsafe fn add(sum: *mut u32, count: u32) {
        if count > 0 {
            // SAFETY: `sum` is the caller's.
            unsafe {
                *sum += count;
                add(sum, count - 1);
            }
        }
    }

    #[kernel]
    pub unsafe fn twice(sum: *mut u32, count: u32) {
        // SAFETY: `sum` is the caller's.
        unsafe {
            add(sum, count);
            add(sum, count);
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let sum = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
    let one = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (1, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: one thread, and memory for one number.
    unsafe {
        module
            .add(&stream, one, sum.cu_deviceptr() as *mut u32, 4)
            .unwrap();
        module
            .twice(&stream, one, sum.cu_deviceptr() as *mut u32, 10)
            .unwrap();
    }
    assert_eq!(sum.to_host_vec(&stream).unwrap(), [10 + 110]);
    println!("SUCCESS: 120");
}
