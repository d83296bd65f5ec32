//! A kernel generic over lengths and types has shared memory of its own in each instance, whose static is one for all that the block runs.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn reverse<const N: usize>(values: *mut u32) {
        static mut TILE: SharedArray<u32, 64> = SharedArray::UNINIT;
        let i = thread::threadIdx_x() as usize;
        // SAFETY: the block has N threads, which is as many values as there are, and each thread writes what is its own.
        unsafe {
            TILE[i] = *values.add(i);
            thread::sync_threads();
            *values.add(i) = TILE[N - 1 - i];
        }
    }

    #[kernel]
    pub unsafe fn rotate<T: Copy, const N: usize>(values: *mut T) {
        static mut BYTES: SharedArray<u128, 64> = SharedArray::UNINIT;
        let i = thread::threadIdx_x() as usize;
        // SAFETY: as above; every T here fits in an element.
        unsafe {
            let tile: *mut T = (&raw mut BYTES).cast();
            tile.add(i).write(*values.add(i));
            thread::sync_threads();
            *values.add(i) = tile.add((i + 1) % N).read();
        }
    }
}

fn block(threads: usize) -> LaunchConfig {
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads as u32, 1, 1), shared_mem_bytes: 0 }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let numbers = DeviceBuffer::from_host(&stream, &(0..64).collect::<Vec<u32>>()).unwrap();
    let bytes = DeviceBuffer::from_host(&stream, &(0..48).collect::<Vec<u8>>()).unwrap();
    let wide = DeviceBuffer::from_host(&stream, &(0..16).map(|i| i << 100).collect::<Vec<u128>>()).unwrap();
    // SAFETY: the blocks are as large as the buffers, or smaller.
    unsafe {
        module.reverse::<64>(&stream, block(64), numbers.cu_deviceptr() as *mut u32).unwrap();
        module.reverse::<32>(&stream, block(32), numbers.cu_deviceptr() as *mut u32).unwrap();
        module.rotate::<u8, 48>(&stream, block(48), bytes.cu_deviceptr() as *mut u8).unwrap();
        module.rotate::<u128, 16>(&stream, block(16), wide.cu_deviceptr() as *mut u128).unwrap();
    }
    let expected: Vec<u32> = (32..64).chain((0..32).rev()).collect();
    assert_eq!(numbers.to_host_vec(&stream).unwrap(), expected);
    assert_eq!(bytes.to_host_vec(&stream).unwrap(), (1..48).chain([0]).collect::<Vec<u8>>());
    assert_eq!(wide.to_host_vec(&stream).unwrap(), (1..16).chain([0]).map(|i| i << 100).collect::<Vec<u128>>());
    println!("SUCCESS: 4 instances");
}
