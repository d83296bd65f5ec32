//! Memory fences: what a thread wrote before one is seen by who finds a word that it wrote after it.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::atomic::{AtomicOrdering::Relaxed, BlockAtomicU32, DeviceAtomicU32, SystemAtomicU32};
use cuda_device::barrier::*;
use cuda_device::{SharedArray, cuda_module, fence, kernel, thread};

const THREADS: usize = 64;
const BLOCKS: usize = 40;
const ROUNDS: u32 = 20;

#[cuda_module]
mod kernels {
    use super::*;

    /// The second warp answers what the first one asks, round by round, through shared memory.
    #[kernel]
    pub unsafe fn in_a_block(out: *mut u32) {
        static mut FLAGS: SharedArray<u32, 2> = SharedArray::UNINIT;
        static mut MESSAGE: SharedArray<u32, 1> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        let (flags, message) = unsafe { (SharedArray::as_raw_mut_ptr(&raw mut FLAGS), SharedArray::as_raw_mut_ptr(&raw mut MESSAGE)) };
        if t < 2 {
            unsafe { *flags.add(t) = 0 };
        }
        thread::sync_threads();
        let flag = |number: usize| unsafe { BlockAtomicU32::from_ptr(flags.add(number)) };
        for round in 1..=ROUNDS {
            if t == 0 {
                unsafe { *message = round * round };
                fence::threadfence_block();
                flag(0).store(round, Relaxed);
                while flag(1).load(Relaxed) < round {}
                fence::threadfence_block();
                unsafe { *out.add(round as usize - 1) = *message };
            } else if t == 32 {
                while flag(0).load(Relaxed) < round {}
                fence::threadfence_block();
                unsafe { *message += 1 };
                fence::threadfence_block();
                flag(1).store(round, Relaxed);
            }
        }
    }

    /// The block that is done last adds up what all have written.
    #[kernel]
    pub unsafe fn in_the_grid<const SYSTEM: bool>(values: *mut u32, count: *mut u32, out: *mut u32) {
        static mut LAST: SharedArray<u32, 1> = SharedArray::UNINIT;
        let (t, block) = (thread::threadIdx_x() as usize, thread::blockIdx_x() as usize);
        let last = unsafe { SharedArray::as_raw_mut_ptr(&raw mut LAST) };
        let fence = || if SYSTEM { fence::threadfence_system() } else { fence::threadfence() };
        unsafe { *values.add(block * THREADS + t) = (block * t) as u32 };
        thread::sync_threads();
        if t == 0 {
            // After the barrier the fence is one for what the whole block has written.
            fence();
            let before = if SYSTEM {
                unsafe { SystemAtomicU32::from_ptr(count) }.fetch_add(1, Relaxed)
            } else {
                unsafe { DeviceAtomicU32::from_ptr(count) }.fetch_add(1, Relaxed)
            };
            fence();
            unsafe { *last = u32::from(before + 1 == thread::gridDim_x()) };
        }
        thread::sync_threads();
        if unsafe { *last } == 1 {
            let sum = (0..thread::gridDim_x() as usize).map(|block| unsafe { *values.add(block * THREADS + t) }).sum();
            unsafe { *out.add(t) = sum };
        }
    }

    /// Fences for the copy engines change nothing of what threads see of each other.
    #[kernel]
    pub unsafe fn of_proxies(out: *mut u32) {
        static mut VALUES: SharedArray<u32, THREADS> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        unsafe {
            let values = SharedArray::as_raw_mut_ptr(&raw mut VALUES);
            *values.add(t) = 3 * t as u32;
            fence_proxy_async_shared_cta();
            fence_proxy_async_generic_release_shared_cta_cluster();
            thread::sync_threads();
            fence_proxy_async_generic_acquire_shared_cluster_cluster();
            *out.add(t) = *values.add(THREADS - 1 - t);
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = |blocks| LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };

    let out = DeviceBuffer::<u32>::zeroed(&stream, THREADS).unwrap();
    unsafe { module.in_a_block(&stream, config(1), out.cu_deviceptr() as *mut u32) }.unwrap();
    assert!(out.to_host_vec(&stream).unwrap().into_iter().take(ROUNDS as usize).eq((1..=ROUNDS).map(|round| round * round + 1)));

    let sum = (0..BLOCKS).sum::<usize>();
    macro_rules! check_grid {
        ($($system:literal)*) => {$(
            let values = DeviceBuffer::<u32>::zeroed(&stream, BLOCKS * THREADS).unwrap();
            let (count, out) = (DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap(), DeviceBuffer::<u32>::zeroed(&stream, THREADS).unwrap());
            let [values, count, address] = [&values, &count, &out].map(|buffer| buffer.cu_deviceptr() as *mut u32);
            unsafe { module.in_the_grid::<$system>(&stream, config(BLOCKS as u32), values, count, address) }.unwrap();
            assert!(out.to_host_vec(&stream).unwrap().into_iter().eq((0..THREADS).map(|t| (t * sum) as u32)));
        )*};
    }
    check_grid!(false true);

    unsafe { module.of_proxies(&stream, config(1), out.cu_deviceptr() as *mut u32) }.unwrap();
    assert!(out.to_host_vec(&stream).unwrap().into_iter().eq((0..THREADS as u32).rev().map(|t| 3 * t)));
    println!("SUCCESS: messages within a block and between {BLOCKS} blocks");
}
