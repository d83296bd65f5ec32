//! Blocks in clusters: the launch is one of clusters by the kernel's attribute alone.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice, cluster_launch,
    cooperative_groups::{ThreadGroup, this_cluster, this_grid},
    cuda_module, kernel,
};

const SIZE: u32 = 2;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[cluster_launch(SIZE, 2)]
    pub fn ranks(mut out: DisjointSlice<[u32; 4]>) {
        let cluster = this_cluster();
        let rank = this_grid().thread_rank() as usize;
        cluster.sync();
        // SAFETY: each thread has a rank of its own.
        *unsafe { out.get_unchecked_mut(rank) } = [cluster.num_blocks(), cluster.block_rank(), cluster.size(), cluster.thread_rank()];
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    if !ctx.supports_cluster_launch().unwrap() {
        println!("SUCCESS: this device has no clusters");
        return;
    }
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let mut out = DeviceBuffer::<[u32; 4]>::zeroed(&stream, 16 * 48).unwrap();
    let shape = LaunchConfig { grid_dim: (4, 4, 1), block_dim: (48, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the buffer has an element for each thread.
    unsafe { module.ranks(&stream, shape, &mut out) }.unwrap();
    for (thread, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
        let (block, lane) = (thread as u32 / 48, thread as u32 % 48);
        let rank = block / 4 % 2 * 2 + block % 2;
        assert_eq!(found, [4, rank, 4 * 48, rank * 48 + lane], "{block} {lane}");
    }
    // SAFETY: as above.
    let misfit = unsafe { module.ranks(&stream, LaunchConfig { grid_dim: (3, 4, 1), ..shape }, &mut out) };
    assert!(misfit.is_err(), "a grid of no whole number of clusters");
    println!("SUCCESS: clusters of {SIZE} by 2 blocks");
}
