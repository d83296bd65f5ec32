//! What blocks of a cluster do together: where they are, both halves of their barrier, and each other's shared memory and mbarriers.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::barrier::*;
use cuda_device::cluster::*;
use cuda_device::{Barrier, SharedArray, cluster_launch, cuda_module, kernel, thread};

const GRID: [u32; 3] = [4, 3, 4];
const CLUSTER: [u32; 3] = [2, 1, 4];
const SIZE: usize = 8;
const BLOCKS: usize = 48;
const THREADS: usize = 64;

#[cuda_module]
mod kernels {
    use super::*;

    fn block_number() -> usize {
        (thread::blockIdx_x() + thread::gridDim_x() * (thread::blockIdx_y() + thread::gridDim_y() * thread::blockIdx_z())) as usize
    }

    #[kernel]
    #[cluster_launch(2, 1, 4)]
    pub unsafe fn positions(out: *mut [u32; 10]) {
        let found = [
            cluster_ctaidX(),
            cluster_ctaidY(),
            cluster_ctaidZ(),
            cluster_nctaidX(),
            cluster_nctaidY(),
            cluster_nctaidZ(),
            block_rank(),
            cluster_size(),
            cluster_idx(),
            num_clusters(),
        ];
        unsafe { *out.add(block_number() * THREADS + thread::threadIdx_x() as usize) = found };
    }

    /// Each block writes into the next one's shared memory, and reads what lies in that of the third one on.
    #[kernel]
    #[cluster_launch(2, 1, 4)]
    pub unsafe fn exchange<const ALIGNED: bool>(out: *mut [u32; 2]) {
        static mut SENT: SharedArray<u32, THREADS> = SharedArray::UNINIT;
        let (t, rank, size) = (thread::threadIdx_x() as usize, block_rank(), cluster_size());
        let sent = unsafe { SharedArray::as_raw_mut_ptr(&raw mut SENT) };
        unsafe {
            // All blocks have to be there before one writes to another; nothing is to be seen yet.
            if ALIGNED {
                barrier_cluster_arrive_relaxed_aligned();
                barrier_cluster_wait_aligned();
            } else {
                barrier_cluster_arrive_relaxed();
                barrier_cluster_wait();
            }
            *map_shared_rank_mut(sent.add(t), (rank + 1) % size) = 100 * block_number() as u32 + t as u32;
            if ALIGNED {
                barrier_cluster_arrive_aligned();
                barrier_cluster_wait_aligned();
            } else {
                barrier_cluster_arrive();
                barrier_cluster_wait();
            }
            let found = [*sent.add(THREADS - 1 - t), dsmem_read_u32(sent.add(t), (rank + 3) % size)];
            *out.add(block_number() * THREADS + t) = found;
        }
        // No block exits while another reads its memory.
        cluster_sync();
    }

    /// Each block gets a word from each of its cluster, and waits for them at a barrier of its own that the others arrive at.
    #[kernel]
    #[cluster_launch(2, 1, 4)]
    pub unsafe fn arrivals(out: *mut [u32; SIZE]) {
        static mut ARRIVED: Barrier = Barrier::UNINIT;
        static mut WORDS: SharedArray<u32, SIZE> = SharedArray::UNINIT;
        let (t, rank, arrived) = (thread::threadIdx_x(), block_rank(), &raw mut ARRIVED);
        let words = unsafe { SharedArray::as_raw_mut_ptr(&raw mut WORDS) };
        unsafe {
            if t == 0 {
                mbarrier_init(arrived, SIZE as u32);
                fence_mbarrier_init_release_cluster();
            }
            cluster_sync();
            if t < SIZE as u32 {
                *map_shared_rank_mut(words.add(rank as usize), t) = 100 * block_number() as u32 + t;
                mbarrier_arrive_cluster(map_shared_rank(arrived, t).addr() as u64);
            }
            while !mbarrier_try_wait_parity_cluster(arrived, 0) {}
            let mut found = [0; SIZE];
            for (word, found) in found.iter_mut().enumerate() {
                *found = *words.add(word);
            }
            *out.add(block_number() * THREADS + t as usize) = found;
            // The next phase, which no thread may end while others wait for the first, expects bytes too, none in the end.
            thread::sync_threads();
            if t < SIZE as u32 {
                mbarrier_arrive_expect_tx_cluster(arrived, 1, 0);
            }
            while !mbarrier_try_wait_parity_cluster(arrived, 1) {}
            cluster_sync();
        }
    }
}

/// The position with this number in a space of these extents, x first.
fn position(number: u32, extents: [u32; 3]) -> [u32; 3] {
    [number % extents[0], number / extents[0] % extents[1], number / extents[0] / extents[1]]
}

fn number(position: [u32; 3], extents: [u32; 3]) -> u32 {
    position[0] + extents[0] * (position[1] + extents[1] * position[2])
}

/// The position of a block in its cluster, and of the cluster in the grid.
fn in_cluster(block: u32) -> ([u32; 3], [u32; 3]) {
    let at = position(block, GRID);
    ([0, 1, 2].map(|axis| at[axis] % CLUSTER[axis]), [0, 1, 2].map(|axis| at[axis] / CLUSTER[axis]))
}

/// The number of the block that has this rank in another one's cluster.
fn mate(block: u32, rank: u32) -> u32 {
    let (within, (_, cluster)) = (position(rank, CLUSTER), in_cluster(block));
    number([0, 1, 2].map(|axis| cluster[axis] * CLUSTER[axis] + within[axis]), GRID)
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    if !context.supports_cluster_launch().unwrap() {
        println!("SUCCESS: this device has no clusters");
        return;
    }
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = LaunchConfig { grid_dim: GRID.into(), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
    let clusters = [0, 1, 2].map(|axis| GRID[axis] / CLUSTER[axis]);
    let rank = |block: u32| number(in_cluster(block).0, CLUSTER);
    let size = SIZE as u32;

    let out = DeviceBuffer::<[u32; 10]>::zeroed(&stream, BLOCKS * THREADS).unwrap();
    unsafe { module.positions(&stream, config, out.cu_deviceptr() as *mut _) }.unwrap();
    for (i, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
        let block = (i / THREADS) as u32;
        let (within, cluster) = in_cluster(block);
        let numbers = [rank(block), size, number(cluster, clusters), clusters.iter().product()];
        assert_eq!(found[..], [&within[..], &CLUSTER, &numbers].concat(), "block {block}");
    }

    let out = DeviceBuffer::<[u32; 2]>::zeroed(&stream, BLOCKS * THREADS).unwrap();
    let check = |out: &DeviceBuffer<[u32; 2]>| {
        for (i, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
            let (block, t) = ((i / THREADS) as u32, (i % THREADS) as u32);
            let from = |rank: u32| 100 * mate(block, rank % size);
            let expected = [from(rank(block) + size - 1) + THREADS as u32 - 1 - t, from(rank(block) + 2) + t];
            assert_eq!(found, expected, "thread {t} of block {block}");
        }
    };
    unsafe { module.exchange::<false>(&stream, config, out.cu_deviceptr() as *mut _) }.unwrap();
    check(&out);
    let out = DeviceBuffer::<[u32; 2]>::zeroed(&stream, BLOCKS * THREADS).unwrap();
    unsafe { module.exchange::<true>(&stream, config, out.cu_deviceptr() as *mut _) }.unwrap();
    check(&out);

    let out = DeviceBuffer::<[u32; SIZE]>::zeroed(&stream, BLOCKS * THREADS).unwrap();
    unsafe { module.arrivals(&stream, config, out.cu_deviceptr() as *mut _) }.unwrap();
    for (i, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
        let block = (i / THREADS) as u32;
        let expected: Vec<_> = (0..size).map(|from| 100 * mate(block, from) + rank(block)).collect();
        assert_eq!(found[..], expected, "block {block}");
    }
    println!("SUCCESS: clusters of {SIZE} blocks exchanged words and arrivals");
}
