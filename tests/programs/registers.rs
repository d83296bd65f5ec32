//! Special registers: where each thread of a launch is, and what it is told of the machine, the launch's memory and the time.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DynamicSharedArray, SharedArray, barrier, cuda_module, debug, grid, kernel, shared, thread, warp};

const GRID: [u32; 3] = [3, 2, 4];
const BLOCK: [u32; 3] = [5, 7, 2];
const THREADS: usize = 70;
const BLOCKS: usize = 24;

/// Bytes of the launch's dynamic shared memory, and of the kernel's own.
const DYNAMIC: u32 = 1200;
const STATIC: u32 = 4 * 100;

#[cuda_module]
mod kernels {
    use super::*;

    /// The thread's number in the launch, x first.
    fn number() -> usize {
        let block = thread::blockIdx_x() + thread::gridDim_x() * (thread::blockIdx_y() + thread::gridDim_y() * thread::blockIdx_z());
        let thread = thread::threadIdx_x() + thread::blockDim_x() * (thread::threadIdx_y() + thread::blockDim_y() * thread::threadIdx_z());
        block as usize * THREADS + thread as usize
    }

    #[kernel]
    pub unsafe fn positions(out: *mut [u32; 13]) {
        let found = [
            thread::threadIdx_x(),
            thread::threadIdx_y(),
            thread::threadIdx_z(),
            thread::blockIdx_x(),
            thread::blockIdx_y(),
            thread::blockIdx_z(),
            thread::blockDim_x(),
            thread::blockDim_y(),
            thread::blockDim_z(),
            thread::gridDim_x(),
            thread::gridDim_y(),
            thread::gridDim_z(),
            warp::lane_id(),
        ];
        unsafe { *out.add(number()) = found };
    }

    #[kernel]
    pub unsafe fn machine(out: *mut [u64; 11]) {
        static mut TABLE: SharedArray<u32, 100> = SharedArray::UNINIT;
        let table = unsafe { SharedArray::as_raw_mut_ptr(&raw mut TABLE) };
        // Memory that nobody uses takes no room.
        let (first, dynamic) = (table.cast_const().cast::<u8>(), DynamicSharedArray::<u8>::get());
        if thread::threadIdx_x() == 0 && thread::threadIdx_y() == 0 && thread::threadIdx_z() == 0 {
            unsafe {
                table.write_volatile(1);
                dynamic.write_volatile(1);
            }
        }
        let found = [
            thread::smid().into(),
            thread::nsmid().into(),
            thread::gridid(),
            warp::warpid().into(),
            warp::nwarpid().into(),
            shared::dynamic_smem_size().into(),
            shared::total_smem_size().into(),
            unsafe { shared::cvta_generic_to_shared_offset(first) },
            unsafe { shared::cvta_generic_to_shared_offset(first.add(28)) },
            unsafe { shared::cvta_generic_to_shared_offset(dynamic) },
            u64::from(grid::envreg1()) << 32 | u64::from(grid::envreg2()),
        ];
        unsafe { *out.add(number()) = found };
    }

    /// Each clock before and after a while.
    #[kernel]
    pub unsafe fn clocks(out: *mut [u64; 6]) {
        let (first_nanosecond, first_cycle, first) = (debug::globaltimer(), debug::clock64(), debug::clock());
        while debug::globaltimer() - first_nanosecond < 50_000 {
            unsafe { barrier::nanosleep(2_000) };
        }
        let (last, last_cycle, last_nanosecond) = (debug::clock(), debug::clock64(), debug::globaltimer());
        let t = thread::threadIdx_x() + thread::blockDim_x() * thread::blockIdx_x();
        unsafe { *out.add(t as usize) = [first_nanosecond, last_nanosecond, first_cycle, last_cycle, first.into(), last.into()] };
    }
}

/// The position with this number in a space of these extents, x first.
fn position(number: u32, extents: [u32; 3]) -> [u32; 3] {
    [number % extents[0], number / extents[0] % extents[1], number / extents[0] / extents[1]]
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = |shared_mem_bytes| LaunchConfig { grid_dim: GRID.into(), block_dim: BLOCK.into(), shared_mem_bytes };

    let out = DeviceBuffer::<[u32; 13]>::zeroed(&stream, BLOCKS * THREADS).unwrap();
    unsafe { module.positions(&stream, config(0), out.cu_deviceptr() as *mut _) }.unwrap();
    for (i, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
        let (block, thread) = ((i / THREADS) as u32, (i % THREADS) as u32);
        let expected = [position(thread, BLOCK), position(block, GRID), BLOCK, GRID].concat();
        assert_eq!(found[..12], expected, "thread {thread} of block {block}");
        assert_eq!(found[12], thread % 32);
    }

    let out = DeviceBuffer::<[u64; 11]>::zeroed(&stream, BLOCKS * THREADS).unwrap();
    let launches = [(); 2].map(|()| {
        unsafe { module.machine(&stream, config(DYNAMIC), out.cu_deviceptr() as *mut _) }.unwrap();
        out.to_host_vec(&stream).unwrap()
    });
    for launch in &launches {
        let (dynamic, own) = (u64::from(DYNAMIC), u64::from(STATIC));
        for found in launch {
            let [smid, nsmid, gridid, warpid, nwarpid, dynamic_bytes, bytes, first, eighth, behind, workspace] = *found;
            assert!(smid < nsmid && nsmid < 1 << 16, "multiprocessor {smid} of {nsmid}");
            assert!(warpid < nwarpid && nwarpid <= 1024, "warp {warpid} of {nwarpid}");
            assert_eq!(dynamic_bytes, dynamic);
            // Memory is given out in larger pieces than a byte.
            assert!((dynamic + own..dynamic + own + 4096).contains(&bytes), "{bytes} bytes of shared memory");
            assert_eq!(eighth - first, 28);
            assert!(behind >= first + own || first >= behind + dynamic, "{first:#x} and {behind:#x} overlap");
            assert!(first.is_multiple_of(4) && behind.is_multiple_of(16) && first.max(behind) < 228 << 10);
            // All threads are told the same of the launch and of the machine.
            let [_, all_nsmid, all_gridid, _, all_nwarpid, _, all_bytes, all_first, _, all_behind, all_workspace] = launch[0];
            assert_eq!((nsmid, gridid, nwarpid, bytes), (all_nsmid, all_gridid, all_nwarpid, all_bytes));
            assert_eq!((first, behind, workspace), (all_first, all_behind, all_workspace));
        }
    }
    assert_ne!(launches[0][0][2], launches[1][0][2], "each launch has a number of its own");

    let out = DeviceBuffer::<[u64; 6]>::zeroed(&stream, 8 * 33).unwrap();
    let mut before = 0;
    for _ in 0..2 {
        let line = LaunchConfig { grid_dim: (8, 1, 1), block_dim: (33, 1, 1), shared_mem_bytes: 0 };
        unsafe { module.clocks(&stream, line, out.cu_deviceptr() as *mut _) }.unwrap();
        let found = out.to_host_vec(&stream).unwrap();
        for &[first_nanosecond, last_nanosecond, first_cycle, last_cycle, first, last] in &found {
            assert!(last_nanosecond - first_nanosecond >= 50_000 && first_nanosecond >= before);
            let (cycles, short) = (last_cycle - first_cycle, (last as u32).wrapping_sub(first as u32));
            // The clock of 32 bits is the other one's lower half; it was read after it and before it.
            assert!(cycles >= 1000 && u64::from(short) <= cycles && short > 0, "{cycles} cycles, {short} by 32 bits");
        }
        before = found.iter().map(|times| times[1]).max().unwrap();
    }
    println!("SUCCESS: {} threads know where and when they run", BLOCKS * THREADS);
}
