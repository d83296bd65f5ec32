//! The ways in which threads hand memory to each other, each of which is enough: fences, locks, flags, warps, named barriers.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    SharedArray,
    atomic::{AtomicOrdering::*, BlockAtomicU32, DeviceAtomicU32},
    barrier, cuda_module, fence, kernel, thread, warp,
};

const THREADS: usize = 64;
const BLOCKS: usize = 12;

#[cuda_module]
mod kernels {
    use super::*;

    /// The block that is last adds up what all have written: relaxed counting between fences.
    #[kernel]
    pub unsafe fn last_block(parts: *mut u32, counter: *mut u32, out: *mut u32) {
        static mut IS_LAST: SharedArray<u32, 1> = SharedArray::UNINIT;
        let (t, block) = (thread::threadIdx_x(), thread::blockIdx_x() as usize);
        // SAFETY: the buffers have room, and what is shared is handed over as said.
        unsafe {
            if t == 0 {
                *parts.add(block) = block as u32 + 1;
                fence::threadfence();
                let before = DeviceAtomicU32::from_ptr(counter).fetch_add(1, Relaxed);
                fence::threadfence();
                IS_LAST[0] = u32::from(before + 1 == thread::gridDim_x());
            }
            thread::sync_threads();
            if IS_LAST[0] == 1 && t == 1 {
                let mut sum = 0;
                for part in 0..thread::gridDim_x() as usize {
                    sum += *parts.add(part);
                }
                *out = sum;
            }
        }
    }

    /// One lane of each warp adds to a plain number under a lock.
    #[kernel]
    pub unsafe fn locked(lock: *mut u32, number: *mut u32) {
        if warp::lane_id() != 0 {
            return;
        }
        // SAFETY: as above.
        unsafe {
            let lock = DeviceAtomicU32::from_ptr(lock);
            while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
            *number += 1;
            lock.store(0, Release);
        }
    }

    /// Each block hands a sum on to the next one.
    #[kernel]
    pub unsafe fn chained(sums: *mut u32, flags: *mut u32) {
        if thread::threadIdx_x() != 0 {
            return;
        }
        let block = thread::blockIdx_x() as usize;
        // SAFETY: as above.
        unsafe {
            let mut sum = block as u32;
            if block > 0 {
                while DeviceAtomicU32::from_ptr(flags.add(block - 1)).load(Acquire) == 0 {}
                sum += *sums.add(block - 1);
            }
            *sums.add(block) = sum;
            DeviceAtomicU32::from_ptr(flags.add(block)).store(1, Release);
        }
    }

    /// Lanes exchange through memory what a barrier of the warp orders.
    #[kernel]
    pub unsafe fn in_warps(out: *mut u32) {
        static mut TILE: SharedArray<u32, THREADS> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        // SAFETY: as above.
        unsafe {
            TILE[t] = t as u32;
            warp::sync_mask(u32::MAX);
            let other = TILE[t ^ 1];
            warp::sync_mask(u32::MAX);
            TILE[t] = other + 1;
            warp::sync_mask(u32::MAX);
            *out.add(t) = TILE[t ^ 31];
        }
    }

    /// One warp fills what the other one empties, with a barrier for each way.
    #[kernel]
    pub unsafe fn in_turns(out: *mut u32) {
        static mut TILE: SharedArray<u32, 32> = SharedArray::UNINIT;
        const FULL: u32 = 1;
        const EMPTY: u32 = 2;
        let t = thread::threadIdx_x() as usize;
        // SAFETY: as above.
        unsafe {
            let mut sum = 0;
            for round in 0..5 {
                if t < 32 {
                    barrier::bar_sync(EMPTY, 64);
                    TILE[t] = t as u32 + round;
                    barrier::bar_arrive(FULL, 64);
                } else {
                    barrier::bar_arrive(EMPTY, 64);
                    barrier::bar_sync(FULL, 64);
                    sum += TILE[63 - t];
                }
            }
            *out.add(t) = sum;
        }
    }

    /// Counts in shared memory, atomically for the block.
    #[kernel]
    pub unsafe fn counted(out: *mut u32) {
        static mut COUNT: SharedArray<u32, 1> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        // SAFETY: as above.
        unsafe {
            if t == 0 {
                COUNT[0] = 0;
            }
            thread::sync_threads();
            BlockAtomicU32::from_ptr((&raw mut COUNT).cast()).fetch_add(t as u32, Relaxed);
            thread::sync_threads();
            *out.add(t) = COUNT[0];
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let zeros = || DeviceBuffer::<u32>::zeroed(&stream, THREADS).unwrap();
    let (one, two, three) = (zeros(), zeros(), zeros());
    let [a, b, c] = [&one, &two, &three].map(|buffer| buffer.cu_deviceptr() as *mut u32);
    let config = |blocks: usize| LaunchConfig { grid_dim: (blocks as u32, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the buffers are as long as the blocks, and longer than the grids.
    unsafe {
        module.last_block(&stream, config(BLOCKS), a, b, c).unwrap();
        assert_eq!(three.to_host_vec(&stream).unwrap()[0], 78);
        let (lock, number) = (zeros(), zeros());
        module.locked(&stream, config(BLOCKS), lock.cu_deviceptr() as *mut u32, number.cu_deviceptr() as *mut u32).unwrap();
        assert_eq!(number.to_host_vec(&stream).unwrap()[0], 24);
        let (sums, flags) = (zeros(), zeros());
        module.chained(&stream, config(BLOCKS), sums.cu_deviceptr() as *mut u32, flags.cu_deviceptr() as *mut u32).unwrap();
        assert_eq!(sums.to_host_vec(&stream).unwrap()[BLOCKS - 1], 66);
        module.in_warps(&stream, config(1), a).unwrap();
        assert_eq!(one.to_host_vec(&stream).unwrap(), (0..64).map(|t| (t ^ 31 ^ 1) + 1).collect::<Vec<u32>>());
        module.in_turns(&stream, config(1), a).unwrap();
        assert_eq!(one.to_host_vec(&stream).unwrap()[32..], (32..64).map(|t| 5 * (63 - t) + 10).collect::<Vec<u32>>());
        module.counted(&stream, config(1), a).unwrap();
        assert_eq!(one.to_host_vec(&stream).unwrap(), [2016; THREADS]);
    }
    println!("SUCCESS: 6 ways");
}
