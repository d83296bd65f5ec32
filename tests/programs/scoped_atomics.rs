//! `cuda_device::atomic`: every type, scope and operation, from many threads at once, on global, shared and a thread's own memory.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::atomic::{AtomicOrdering::*, *};
use cuda_device::{SharedArray, cuda_module, kernel, thread};

const THREADS: u32 = 128;

macro_rules! integers {
    ($($kernel:ident: $atomic:ident $value:ty;)*) => {
        #[cuda_module]
        mod kernels {
            use super::*;

            $(
                #[kernel]
                pub unsafe fn $kernel(out: *mut $value) {
                    static mut SHARED: SharedArray<$value, 2> = SharedArray::UNINIT;
                    let t = thread::threadIdx_x() as $value;
                    let at = |number: usize| unsafe { $atomic::from_ptr(out.add(number)) };
                    at(0).fetch_add(t, Relaxed);
                    at(1).fetch_sub(t, AcqRel);
                    at(2).fetch_and(!(1 << (t % 16)), Acquire);
                    at(3).fetch_or(1 << (t % 16), Release);
                    at(4).fetch_xor(1 << (t % 16), SeqCst);
                    at(5).fetch_min(t.wrapping_sub(64), Relaxed);
                    at(6).fetch_max(t.wrapping_sub(64), Relaxed);
                    let mut seen = at(7).load(Acquire);
                    while let Err(now) = at(7).compare_exchange(seen, seen + 2, AcqRel, Acquire) {
                        seen = now;
                    }
                    let _ = at(8).fetch_update(SeqCst, SeqCst, |old| (old < 100).then_some(old + 1));
                    if t == 0 {
                        at(9).store(77, Release);
                    }
                    let shared = unsafe { SharedArray::as_raw_mut_ptr(&raw mut SHARED) };
                    if t == 0 {
                        unsafe { *shared = 0 };
                    }
                    thread::sync_threads();
                    let ticket = unsafe { $atomic::from_ptr(shared) }.fetch_add(1, AcqRel);
                    thread::sync_threads();
                    if ticket == 5 {
                        unsafe { *out.add(10) = *shared };
                    }
                    let own = $atomic::new(3);
                    own.fetch_add(t, Relaxed);
                    if own.swap(1, SeqCst) != 3 + t || own.load(Relaxed) != 1 {
                        unsafe { *out.add(11) = 1 };
                    }
                    at(12).swap(t, AcqRel);
                }
            )*

            #[kernel]
            pub unsafe fn floats(out: *mut f32, doubles: *mut f64) {
                let t = thread::threadIdx_x();
                unsafe {
                    BlockAtomicF32::from_ptr(out).fetch_add(t as f32, Relaxed);
                    DeviceAtomicF32::from_ptr(out.add(1)).fetch_sub(t as f32, AcqRel);
                    SystemAtomicF32::from_ptr(out.add(2)).fetch_add(0.5, SeqCst);
                    BlockAtomicF64::from_ptr(doubles).fetch_add(f64::from(t), Relaxed);
                    DeviceAtomicF64::from_ptr(doubles.add(1)).fetch_sub(f64::from(t), AcqRel);
                    SystemAtomicF64::from_ptr(doubles.add(2)).fetch_add(0.5, SeqCst);
                    if t == 3 {
                        let old = SystemAtomicF32::from_ptr(out.add(3)).swap(2.5, Relaxed);
                        DeviceAtomicF64::from_ptr(doubles.add(3)).store(f64::from(old) + 1.0, Release);
                    }
                }
            }
        }

        fn check_integers(context: &std::sync::Arc<CudaContext>) {
            let stream = context.default_stream();
            let module = kernels::load(context).unwrap();
            $(
                let t = 0..THREADS as $value;
                let mut start: [$value; 13] = [0; 13];
                start[2] = !0;
                let buffer = DeviceBuffer::from_host(&stream, &start).unwrap();
                unsafe { module.$kernel(&stream, config(), buffer.cu_deviceptr() as *mut $value) }.unwrap();
                let got = buffer.to_host_vec(&stream).unwrap();
                let sum: $value = t.clone().sum();
                let least = t.clone().map(|t| t.wrapping_sub(64)).chain([0]).min().unwrap();
                let most = t.clone().map(|t| t.wrapping_sub(64)).chain([0]).max().unwrap();
                let expected = [sum, (0 as $value).wrapping_sub(sum), !0xffff, 0xffff, 0, least, most, 256, 100, 77, 128, 0];
                assert_eq!(got[..12], expected, stringify!($atomic));
                assert!(t.contains(&got[12]));
            )*
        }
    };
}

integers! {
    block_u32: BlockAtomicU32 u32; block_i32: BlockAtomicI32 i32; block_u64: BlockAtomicU64 u64; block_i64: BlockAtomicI64 i64;
    device_u32: DeviceAtomicU32 u32; device_i32: DeviceAtomicI32 i32; device_u64: DeviceAtomicU64 u64; device_i64: DeviceAtomicI64 i64;
    system_u32: SystemAtomicU32 u32; system_i32: SystemAtomicI32 i32; system_u64: SystemAtomicU64 u64; system_i64: SystemAtomicI64 i64;
}

fn config() -> LaunchConfig {
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    check_integers(&context);
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let (floats, doubles) = (DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap(), DeviceBuffer::<f64>::zeroed(&stream, 4).unwrap());
    unsafe { module.floats(&stream, config(), floats.cu_deviceptr() as *mut f32, doubles.cu_deviceptr() as *mut f64) }.unwrap();
    assert_eq!(floats.to_host_vec(&stream).unwrap(), [8128.0, -8128.0, 64.0, 2.5]);
    assert_eq!(doubles.to_host_vec(&stream).unwrap(), [8128.0, -8128.0, 64.0, 1.0]);
    println!("SUCCESS: 12 integer types and 6 float types");
}
