//! check: none
//! An asynchronous copy of 16 bytes to an address that is a multiple of 4 only.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, async_copy, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn faulty(out: *mut u32) {
        static mut TILE: SharedArray<u32, 64> = SharedArray::UNINIT;
        unsafe {
            let tile = SharedArray::as_raw_mut_ptr(&raw mut TILE).cast::<u32>();
            async_copy::cp_async_ca_16(tile.add(1), out); //~ copies 16 bytes between addresses
            async_copy::cp_async_wait_all();
            *out = *tile;
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    let launched = unsafe { module.faulty(&stream, config, out.cu_deviceptr() as *mut u32) };
    std::process::exit(i32::from(launched.is_err()));
}
