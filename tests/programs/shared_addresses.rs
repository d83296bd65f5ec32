//! A shared array is at one address in all launches of its module, whatever ran in between.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    /// The addresses of two arrays in the first block; every block writes to its own.
    #[kernel]
    pub unsafe fn addresses(out: *mut [u64; 2]) {
        static mut WORDS: SharedArray<u32, 100> = SharedArray::UNINIT;
        static mut TILE: SharedArray<f64, 33, 128> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        // SAFETY: each thread writes elements of its own, and one thread of the grid to the host.
        unsafe {
            let (words, tile) = (SharedArray::as_raw_mut_ptr(&raw mut WORDS), SharedArray::as_raw_mut_ptr(&raw mut TILE));
            words.add(t).write_volatile(t as u32);
            tile.add(t).write_volatile(t as f64);
            if t == 0 && thread::blockIdx_x() == 0 {
                *out = [words as u64, tile as u64];
            }
        }
    }

    #[kernel]
    pub unsafe fn other(out: *mut u32) {
        static mut LARGE: SharedArray<u32, 5000> = SharedArray::UNINIT;
        // SAFETY: within the array, and the launch has one thread.
        unsafe {
            let large = SharedArray::as_raw_mut_ptr(&raw mut LARGE);
            large.add(4999).write_volatile(7);
            *out = large.add(4999).read_volatile();
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let out = DeviceBuffer::<[u64; 2]>::zeroed(&stream, 1).unwrap();
    let word = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
    let mut found = Vec::new();
    for (blocks, threads) in [(1, 1), (1, 32), (50, 32), (3, 7), (1, 1)] {
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernels' threads have elements of their own, and the buffers room for what they write.
        unsafe { module.addresses(&stream, config, out.cu_deviceptr() as *mut [u64; 2]) }.unwrap();
        let [[words, tile]] = out.to_host_vec(&stream).unwrap()[..] else { unreachable!("one element") };
        println!("{words:#x} {tile:#x}");
        assert!(words != tile && words % 4 == 0 && tile % 128 == 0);
        found.push([words, tile]);
        let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: as above.
        unsafe { module.other(&stream, one, word.cu_deviceptr() as *mut u32) }.unwrap();
        assert_eq!(word.to_host_vec(&stream).unwrap(), [7]);
    }
    assert!(found.iter().all(|addresses| *addresses == found[0]), "{found:x?}");
    println!("SUCCESS: two arrays, each at one address");
}
