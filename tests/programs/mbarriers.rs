//! Barriers in shared memory, by token and by parity: each wait lets a thread see what the others wrote before they arrived.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::barrier::*;
use cuda_device::{Barrier, SharedArray, cuda_module, kernel, thread};

const THREADS: usize = 96;
const PHASES: usize = 7;

#[cuda_module]
mod kernels {
    use super::*;

    /// In each phase a thread writes, arrives in one way and waits in another, and reads what its neighbour wrote.
    #[kernel]
    pub unsafe fn phases(out: *mut [u32; PHASES]) {
        static mut BARRIER: Barrier = Barrier::UNINIT;
        static mut VALUES: SharedArray<u32, { THREADS * PHASES }> = SharedArray::UNINIT;
        let (barrier, t) = (&raw mut BARRIER, thread::threadIdx_x() as usize);
        let values = unsafe { SharedArray::as_raw_mut_ptr(&raw mut VALUES) };
        let at = |phase: usize, t: usize| unsafe { values.add(phase * THREADS + t % THREADS) };
        let write = |phase: usize| unsafe { *at(phase, t) = (1000 * phase + t) as u32 };
        unsafe {
            if t == 0 {
                mbarrier_init(barrier, THREADS as u32);
                fence_proxy_async_shared_cta();
            }
            thread::sync_threads();
            write(0);
            let token = mbarrier_arrive(barrier);
            while !mbarrier_test_wait(barrier, token) {}
            write(1);
            let token = mbarrier_arrive(barrier);
            while !mbarrier_try_wait(barrier, token) {}
            write(2);
            mbarrier_arrive_no_complete(barrier);
            while !mbarrier_try_wait_parity(barrier, 0) {}
            write(3);
            mbarrier_arrive_and_wait(barrier);
            // A phase that expects bytes, none in the end.
            write(4);
            let token = mbarrier_arrive_expect_tx(barrier, 1, 0);
            while !mbarrier_try_wait(barrier, token) {}
            write(5);
            mbarrier_arrive_no_complete(barrier);
            while !mbarrier_try_wait_parity_cluster(barrier, 1) {}
            // The barrier's memory becomes another barrier, at which one warp alone arrives.
            thread::sync_threads();
            if t == 0 {
                mbarrier_inval(barrier);
                mbarrier_init(barrier, 32);
            }
            thread::sync_threads();
            write(6);
            // What the other warps wrote they do not read here.
            let neighbour = if t < 32 { (t + 1) % 32 } else { t };
            if t < 32 {
                mbarrier_wait(barrier, mbarrier_arrive(barrier));
            }
            let mut found = [0; PHASES];
            for (phase, found) in found.iter_mut().enumerate() {
                *found = *at(phase, if phase == 6 { neighbour } else { t + 1 });
            }
            *out.add(t) = found;
        }
    }

    /// What is told of a phase that is not complete: an arrival is missing, or bytes are.
    #[kernel]
    pub unsafe fn incomplete(out: *mut [u32; 8]) {
        static mut SHORT: Barrier = Barrier::UNINIT;
        static mut EXPECTING: Barrier = Barrier::UNINIT;
        let (short, expecting) = (&raw mut SHORT, &raw mut EXPECTING);
        unsafe {
            mbarrier_init(short, 2);
            mbarrier_init(expecting, 1);
            let token = mbarrier_arrive(short);
            let waits = mbarrier_arrive_expect_tx(expecting, 1, 64);
            *out = [
                mbarrier_test_wait(short, token),
                mbarrier_try_wait(short, token),
                mbarrier_try_wait_parity(short, 0),
                mbarrier_test_wait(expecting, waits),
                mbarrier_try_wait_parity_cluster(expecting, 0),
                // The phase before the first is complete.
                mbarrier_try_wait_parity(short, 1),
                mbarrier_try_wait_parity_cluster(expecting, 1),
                {
                    mbarrier_arrive_no_complete(short);
                    mbarrier_test_wait(short, token)
                },
            ]
            .map(u32::from);
            mbarrier_inval(short);
            mbarrier_inval(expecting);
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = |threads| LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };

    let out = DeviceBuffer::<[u32; PHASES]>::zeroed(&stream, THREADS).unwrap();
    unsafe { module.phases(&stream, config(THREADS as u32), out.cu_deviceptr() as *mut _) }.unwrap();
    for (t, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
        let next = (t + 1) % THREADS;
        let last = if t < 32 { (t + 1) % 32 } else { t };
        let expected: Vec<_> = (0..PHASES).map(|phase| (1000 * phase + if phase == 6 { last } else { next }) as u32).collect();
        assert_eq!(found[..], expected, "thread {t}");
    }

    let out = DeviceBuffer::<[u32; 8]>::zeroed(&stream, 1).unwrap();
    unsafe { module.incomplete(&stream, config(1), out.cu_deviceptr() as *mut _) }.unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), [[0, 0, 0, 0, 0, 1, 1, 1]]);
    println!("SUCCESS: {PHASES} phases of {THREADS} threads, and one that was not complete");
}
