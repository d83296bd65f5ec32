//! A kernel generic over lengths and types has shared memory of its own in each instance, whose static is one for all that the block runs.

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{SharedArray, cuda_module, kernel, shared_array, thread};

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

    /// The tag of an array that two functions share.
    pub struct Exchanged;

    unsafe fn put<T, const N: usize>(i: usize, value: T) {
        // SAFETY: the caller's.
        unsafe { SharedArray::<T, N>::instance::<Exchanged>()[i] = value }
    }

    /// Turns the values around in two arrays of their own type, of which the second is aligned as asked for, by way of a third.
    #[kernel]
    pub unsafe fn turn<T: Copy, const N: usize>(values: *mut T, sound: *mut u32) {
        let i = thread::threadIdx_x() as usize;
        // SAFETY: as above.
        unsafe {
            let first = shared_array!(T, N);
            let second = shared_array!(T, N, 128);
            let exchanged = SharedArray::<T, N>::instance::<Exchanged>();
            first[i] = *values.add(i);
            thread::sync_threads();
            second[i] = first[N - 1 - i];
            thread::sync_threads();
            put::<T, N>(i, second[N - 1 - i]);
            thread::sync_threads();
            *values.add(i) = exchanged[(i + 1) % N];
            let addresses = [first.as_ptr().addr(), second.as_ptr().addr(), exchanged.as_ptr().addr()];
            let apart = addresses[0].abs_diff(addresses[1]).min(addresses[1].abs_diff(addresses[2])) >= size_of::<[T; N]>();
            let aligned = addresses[0].is_multiple_of(align_of::<T>()) && addresses[1].is_multiple_of(128);
            if i == 0 {
                *sound = u32::from(apart && aligned);
            }
        }
    }
}

/// What has padding, and an alignment of its own.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C, align(16))]
struct Wide {
    letter: u8,
    number: u64,
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
    let turned: Vec<Wide> = (0..24).map(|i| Wide { letter: i, number: u64::from(i) << 40 }).collect();
    let structs = DeviceBuffer::from_host(&stream, &turned).unwrap();
    let halves = DeviceBuffer::from_host(&stream, &(0..32).collect::<Vec<u16>>()).unwrap();
    let sound = DeviceBuffer::<u32>::zeroed(&stream, 2).unwrap();
    // SAFETY: as above.
    unsafe {
        let flags = sound.cu_deviceptr() as *mut u32;
        module.turn::<Wide, 24>(&stream, block(24), structs.cu_deviceptr() as *mut Wide, flags).unwrap();
        module.turn::<u16, 32>(&stream, block(32), halves.cu_deviceptr() as *mut u16, flags.wrapping_add(1)).unwrap();
    }
    assert_eq!(sound.to_host_vec(&stream).unwrap(), [1, 1]);
    assert_eq!(structs.to_host_vec(&stream).unwrap(), [&turned[1..], &turned[..1]].concat());
    assert_eq!(halves.to_host_vec(&stream).unwrap(), (1..32).chain([0]).collect::<Vec<u16>>());
    assert_eq!(numbers.to_host_vec(&stream).unwrap(), expected);
    assert_eq!(bytes.to_host_vec(&stream).unwrap(), (1..48).chain([0]).collect::<Vec<u8>>());
    assert_eq!(wide.to_host_vec(&stream).unwrap(), (1..16).chain([0]).map(|i| i << 100).collect::<Vec<u128>>());
    println!("SUCCESS: 6 instances");
}
