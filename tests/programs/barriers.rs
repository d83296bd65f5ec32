//! Barriers of the block in all their forms: counting, numbered, in shared memory; and copies that arrive at one.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::barrier::*;
use cuda_device::{Barrier, DynamicSharedArray, GeneralBarrier, ManagedBarrier, SharedArray, Uninit, async_copy::*, cuda_module, kernel, thread};

const THREADS: usize = 96;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn counting(out: *mut u32) {
        let t = thread::threadIdx_x();
        let count = thread::sync_threads_count(t % 3 == 0);
        let all = thread::sync_threads_and(t < 96);
        let some = thread::sync_threads_or(t == 95);
        let none = thread::sync_threads_or(t == 96);
        unsafe { *out.add(t as usize) = count | u32::from(all) << 8 | u32::from(some) << 9 | u32::from(none) << 10 };
    }

    /// One warp fills, another reads what the first has arrived with.
    #[kernel]
    pub unsafe fn numbered(out: *mut u32) {
        static mut BOX: SharedArray<u32, 32> = SharedArray::UNINIT;
        let (warp, lane) = (thread::threadIdx_x() / 32, thread::threadIdx_x() as usize % 32);
        unsafe {
            if warp == 0 {
                *(&raw mut BOX).cast::<u32>().add(lane) = lane as u32 * 3;
                bar_arrive(1, 64);
            } else if warp == 1 {
                bar_sync(1, 64);
                *out.add(lane) = *(&raw const BOX).cast::<u32>().add(31 - lane);
            }
        }
    }

    /// Two phases of one barrier, told apart by token.
    #[kernel]
    pub unsafe fn phases(out: *mut u32) {
        static mut BARRIER: Barrier = Barrier::UNINIT;
        static mut VALUES: SharedArray<u32, 96> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        let values = unsafe { SharedArray::as_raw_mut_ptr(&raw mut VALUES) };
        let barrier = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER);
        let barrier = unsafe { barrier.init(thread::blockDim_x()) };
        unsafe { *values.add(t) = t as u32 };
        barrier.wait(barrier.arrive());
        let next = unsafe { *values.add((t + 1) % 96) };
        barrier.wait(barrier.arrive());
        unsafe { *values.add(t) = next * 2 };
        let token = barrier.arrive();
        while !barrier.test_wait(&token) {}
        unsafe { *out.add(t) = *values.add((t + 1) % 96) };
        unsafe { barrier.inval() };
    }

    /// Copies in groups, and one that arrives at a barrier.
    #[kernel]
    pub unsafe fn copies(input: &[u32], out: *mut u32) {
        static mut ARRIVED: Barrier = Barrier::UNINIT;
        let t = thread::threadIdx_x() as usize;
        let tile = DynamicSharedArray::<u32, 64>::get();
        let second = DynamicSharedArray::<u32, 64>::offset(96 * 16);
        unsafe {
            if t == 0 {
                mbarrier_init(&raw mut ARRIVED, 96);
            }
            thread::sync_threads();
            cp_async_cg_16(tile.add(4 * t), input.as_ptr().add(4 * t));
            cp_async_commit_group();
            cp_async_ca_zfill_8(second.add(2 * t), input.as_ptr().add(2 * t).cast(), if t % 2 == 0 { 8 } else { 4 });
            cp_async_commit_group();
            cp_async_wait_group(1);
            thread::sync_threads();
            let far = *tile.add((4 * t + 7) % 384);
            cp_async_wait_all();
            thread::sync_threads();
            let filled = *second.add(2 * ((t + 1) % 96) + 1);
            thread::sync_threads();
            cp_async_ca_4(tile.add(t), input.as_ptr().add(383 - t));
            cp_async_mbarrier_arrive_noinc(&raw mut ARRIVED);
            while !mbarrier_try_wait_parity(&raw const ARRIVED, 0) {}
            *out.add(3 * t) = far;
            *out.add(3 * t + 1) = filled;
            *out.add(3 * t + 2) = *tile.add((t + 5) % 96);
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = |shared| LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: shared };
    let out = DeviceBuffer::<u32>::zeroed(&stream, 3 * THREADS).unwrap();
    let address = out.cu_deviceptr() as *mut u32;
    let read = || out.to_host_vec(&stream).unwrap();
    unsafe { module.counting(&stream, config(0), address) }.unwrap();
    assert_eq!(read()[..THREADS], [32 | 3 << 8; THREADS]);
    unsafe { module.numbered(&stream, config(0), address) }.unwrap();
    assert!(read()[..32].iter().enumerate().all(|(lane, value)| *value == 3 * (31 - lane as u32)));
    unsafe { module.phases(&stream, config(0), address) }.unwrap();
    assert!(read()[..THREADS].iter().enumerate().all(|(t, value)| *value == (t as u32 + 2) % 96 * 2));
    let input: Vec<u32> = (0..384).map(|i| i * i + 1).collect();
    let buffer = DeviceBuffer::from_host(&stream, &input).unwrap();
    unsafe { module.copies(&stream, config(96 * 24), &buffer, address) }.unwrap();
    for (t, got) in read().chunks(3).enumerate() {
        let other = (t + 1) % 96;
        let filled = if other % 2 == 0 { input[2 * other + 1] } else { 0 };
        assert_eq!(got, [input[(4 * t + 7) % 384], filled, input[383 - (t + 5) % 96]], "thread {t}");
    }
    println!("SUCCESS: barriers and copies of {THREADS} threads");
}
