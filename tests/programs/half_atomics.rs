//! Atomic updates of half floats, one at a time and in pairs, from many threads at once.
#![feature(f16)]

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::atomic::{AtomicOrdering::*, *};
use cuda_device::{SharedArray, cuda_module, kernel, thread};

const THREADS: usize = 128;

#[cuda_module]
mod kernels {
    use super::*;

    /// Sums of each scope in global memory, and one in shared memory.
    #[kernel]
    pub unsafe fn sums(out: *mut u16) {
        static mut SUM: SharedArray<u16, 1> = SharedArray::UNINIT;
        let (t, at) = (thread::threadIdx_x(), |number: usize| unsafe { out.add(number).cast::<f16>() });
        let sum = unsafe { SharedArray::as_raw_mut_ptr(&raw mut SUM) }.cast::<f16>();
        if t == 0 {
            unsafe { *sum = 0.0 };
        }
        thread::sync_threads();
        unsafe {
            BlockAtomicF16::from_ptr(at(0)).fetch_add(1.0, Relaxed);
            DeviceAtomicF16::from_ptr(at(1)).fetch_sub(0.5, AcqRel);
            SystemAtomicF16::from_ptr(at(2)).fetch_add(0.25, SeqCst);
            BlockAtomicF16::from_ptr(sum).fetch_add(t as f16, Relaxed);
            if t == 7 {
                let old = DeviceAtomicF16::from_ptr(at(3)).swap(2.5, Acquire);
                SystemAtomicF16::from_ptr(at(4)).store(old + 1.0, Release);
                *at(5) = BlockAtomicF16::from_ptr(at(3)).load(Relaxed) - 4.0;
            }
        }
        thread::sync_threads();
        if t == 0 {
            unsafe { *at(6) = *sum };
        }
    }

    /// Pairs in global memory, and what was there before each addition.
    #[kernel]
    pub unsafe fn pairs(sums: *mut u32, out: *mut [u32; 2]) {
        let old = unsafe {
            // 1 and 0.5; 1 and -2.
            [atom_add_f16x2(sums, 0x3800_3c00), atom_add_bf16x2(sums.add(1), 0xc000_3f80)]
        };
        unsafe { *out.add(thread::threadIdx_x() as usize) = old };
    }
}

/// The number whose bits those of an `f16` or a `bf16` are: normal ones, and 0.
fn number(bits: u32, mantissa: u32) -> f64 {
    let (exponent, bias) = (bits >> mantissa & ((1 << (15 - mantissa)) - 1), (1 << (14 - mantissa)) - 1);
    let value = match exponent {
        0 => 0.0,
        _ => (1.0 + f64::from(bits & ((1 << mantissa) - 1)) / f64::from(1 << mantissa)) * 2f64.powi(exponent as i32 - bias),
    };
    if bits >> 15 & 1 == 1 { -value } else { value }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };

    let out = DeviceBuffer::from_host(&stream, &[0u16; 7]).unwrap();
    unsafe { module.sums(&stream, config, out.cu_deviceptr() as *mut u16) }.unwrap();
    let sums: Vec<f64> = out.to_host_vec(&stream).unwrap().into_iter().map(|bits| number(bits.into(), 10)).collect();
    // The sum of all positions is rounded on the way where it is large: that depends on the order.
    assert_eq!(sums[..6], [128.0, -64.0, 32.0, 2.5, 1.0, -1.5]);
    assert!((sums[6] - 8128.0).abs() <= 4.0 * THREADS as f64, "{}", sums[6]);

    let sums = DeviceBuffer::<u32>::zeroed(&stream, 2).unwrap();
    let out = DeviceBuffer::<[u32; 2]>::zeroed(&stream, THREADS).unwrap();
    unsafe { module.pairs(&stream, config, sums.cu_deviceptr() as *mut u32, out.cu_deviceptr() as *mut _) }.unwrap();
    let parts = |pair: u32, mantissa| [number(pair & 0xffff, mantissa), number(pair >> 16, mantissa)];
    let last = sums.to_host_vec(&stream).unwrap();
    assert_eq!([parts(last[0], 10), parts(last[1], 7)], [[128.0, 64.0], [128.0, -256.0]]);
    // Each half is added in one piece: every sum on the way is seen once, the two halves perhaps not together.
    let seen = out.to_host_vec(&stream).unwrap();
    for (pair, mantissa) in [(0, 10), (1, 7)] {
        for (half, step) in [[1.0, 0.5], [1.0, -2.0]][pair].into_iter().enumerate() {
            let mut counts: Vec<f64> = seen.iter().map(|old| parts(old[pair], mantissa)[half] / step).collect();
            counts.sort_by(f64::total_cmp);
            assert!(counts.iter().map(|count| count.abs()).eq((0..THREADS).map(|count| count as f64)), "{counts:?}");
        }
    }
    println!("SUCCESS: half floats, added by {THREADS} threads");
}
