//! check: race
//! Blocks come to the barrier of their cluster without releasing what they wrote.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, cluster, cluster_launch, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[cluster_launch(2, 1, 1)]
    pub unsafe fn faulty(out: *mut u32) {
        static mut TILE: SharedArray<u32, 64> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        unsafe {
            let tile = SharedArray::as_raw_mut_ptr(&raw mut TILE).cast::<u32>();
            *tile.add(t) = t as u32; //~ no synchronization orders the two
            cluster::barrier_cluster_arrive_relaxed();
            cluster::barrier_cluster_wait();
            *out.add(t) = *cluster::map_shared_rank(tile.add(t), cluster::block_rank() ^ 1); //~ race:
            cluster::cluster_sync();
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    let config = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    let launched = unsafe { module.faulty(&stream, config, out.cu_deviceptr() as *mut u32) };
    std::process::exit(i32::from(launched.is_err()));
}
