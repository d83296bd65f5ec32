//! Atomic additions of subnormal floats: in global memory an `f32` that is subnormal counts as zero, in shared memory, and as an `f64`, it is
//! kept. On a GPU only: the CPU device keeps them all.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, atomic::*, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn add(a: &[DeviceAtomicF32], b: &[DeviceAtomicF64], shared: *mut f32) {
        static TILE: SharedArray<BlockAtomicF32, 1> = SharedArray::UNINIT;
        TILE[0].store(f32::from_bits(1), AtomicOrdering::Relaxed);
        thread::sync_threads();
        TILE[0].fetch_add(f32::from_bits(1), AtomicOrdering::Relaxed);
        a[0].fetch_add(f32::from_bits(1), AtomicOrdering::Relaxed);
        b[0].fetch_add(f64::from_bits(1), AtomicOrdering::Relaxed);
        // SAFETY: one number.
        unsafe { *shared = TILE[0].load(AtomicOrdering::Relaxed) };
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let a = DeviceBuffer::from_host(&stream, &[f32::from_bits(1)]).unwrap().cast_elem::<DeviceAtomicF32>();
    let b = DeviceBuffer::from_host(&stream, &[f64::from_bits(1)]).unwrap().cast_elem::<DeviceAtomicF64>();
    let shared = DeviceBuffer::<f32>::zeroed(&stream, 1).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: one thread, and a number for each.
    unsafe { module.add(&stream, config, &a, &b, shared.cu_deviceptr() as *mut f32) }.unwrap();
    assert_eq!(a.cast_elem::<f32>().to_host_vec(&stream).unwrap()[0].to_bits(), 0);
    assert_eq!(b.cast_elem::<f64>().to_host_vec(&stream).unwrap()[0].to_bits(), 2);
    assert_eq!(shared.to_host_vec(&stream).unwrap()[0].to_bits(), 2);
    println!("SUCCESS");
}
