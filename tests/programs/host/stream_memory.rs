//! Memory in the order of streams: allocated, used and freed without waiting, from the device's pool and from one of the program's.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, PinnedHostBuffer, sys};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn fill(mut out: DisjointSlice<u64>, value: u64) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = value + index.get() as u64;
        }
    }
}

fn main() {
    const N: usize = 1 << 10;
    let ctx = CudaContext::new(0).unwrap();
    let pools = sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
    let mut supported = 0;
    // SAFETY: the driver stores an int.
    assert_eq!(unsafe { sys::cuDeviceGetAttribute(&mut supported, pools, ctx.cu_device()) }, sys::cudaError_enum_CUDA_SUCCESS);
    if supported == 0 {
        return println!("SUCCESS: skipped, the device has no memory pools");
    }
    let module = kernels::load(&ctx).unwrap();
    let config = LaunchConfig::for_num_elems(N as u32);
    let (stream, other) = (ctx.new_stream().unwrap(), ctx.new_stream().unwrap());
    let pool = ctx.new_memory_pool().unwrap();
    pool.set_release_threshold(1 << 20).unwrap();
    assert_eq!(pool.release_threshold().unwrap(), 1 << 20);

    let mut results: Vec<_> = (0..32).map(|_| PinnedHostBuffer::<u64>::zeroed(&ctx, N).unwrap()).collect();
    for (round, result) in results.iter_mut().enumerate() {
        // SAFETY: each buffer is used in `stream`, then in the stream that waits for it and frees it; the kernel writes every element
        // before it is copied; results are kept until both streams are waited for.
        unsafe {
            let mut buffer = match round % 2 {
                0 => DeviceBuffer::<u64>::uninitialized_async(&stream, N),
                _ => DeviceBuffer::<u64>::uninitialized_from_pool_async(&pool, &stream, N),
            }
            .unwrap();
            module.fill(&stream, config, &mut buffer, round as u64).unwrap();
            if round % 3 == 0 {
                buffer.copy_to_pinned_host_async(&stream, result).unwrap();
                buffer.drop_async(&stream).unwrap();
            } else {
                other.join(&stream).unwrap();
                buffer.copy_to_pinned_host_async(&other, result).unwrap();
                buffer.drop_async(&other).unwrap();
            }
        }
    }
    stream.synchronize().unwrap();
    other.synchronize().unwrap();
    for (round, result) in results.iter().enumerate() {
        assert!(result.iter().enumerate().all(|(index, &element)| element == (round + index) as u64), "round {round}");
    }
    assert_eq!(pool.used_bytes().unwrap(), 0);
    pool.trim_to(0).unwrap();
    assert_eq!(pool.reserved_bytes().unwrap(), 0);

    // A buffer that is dropped waits for all that uses it; one from cuMemAlloc is freed in stream order too.
    // SAFETY: the kernel writes every element before it is read.
    let mut dropped = unsafe { DeviceBuffer::<u64>::uninitialized_from_pool_async(&pool, &stream, N) }.unwrap();
    assert!(pool.used_bytes().unwrap() >= (N * size_of::<u64>()) as u64);
    // SAFETY: the kernel checks its indices.
    unsafe { module.fill(&stream, config, &mut dropped, 7) }.unwrap();
    assert_eq!(dropped.to_host_vec(&stream).unwrap()[N - 1], 7 + N as u64 - 1);
    drop(dropped);
    stream.synchronize().unwrap();
    assert_eq!(pool.used_bytes().unwrap(), 0);
    let synchronous = DeviceBuffer::from_host(&stream, &[1u8; 100]).unwrap();
    // SAFETY: nothing uses it any more.
    unsafe { synchronous.drop_async(&stream) }.unwrap();
    stream.synchronize().unwrap();

    // The default pool is the device's: dropping it here does not destroy it.
    drop(ctx.default_memory_pool().unwrap());
    // SAFETY: nothing uses it.
    unsafe { DeviceBuffer::<u8>::uninitialized_async(&stream, 1).unwrap().drop_async(&stream) }.unwrap();
    stream.synchronize().unwrap();
    println!("SUCCESS: 32 buffers allocated, used and freed in the order of two streams");
}
