//! `core`'s atomics of every width, with every ordering, from many threads at once.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel, thread};
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering::*, fence,
};
static COUNT: AtomicU32 = AtomicU32::new(5);
#[cuda_module]
mod kernels {
    use super::*;
    #[kernel]
    pub unsafe fn k(a: *mut u32, b: *mut u64, c: *mut i32, d: *mut u8) {
        let t = thread::index_1d().get() as u32;
        let (a, b, c, d) = unsafe {
            (
                AtomicU32::from_ptr(a),
                AtomicU64::from_ptr(b),
                AtomicI32::from_ptr(c),
                AtomicU8::from_ptr(d),
            )
        };
        a.fetch_add(t, Relaxed);
        COUNT.fetch_add(1, SeqCst);
        unsafe { AtomicU64::from_ptr(b.as_ptr().add(2)) }.fetch_max(t as u64 * 3, AcqRel);
        c.fetch_min(-(t as i32), Acquire);
        d.fetch_or(1 << (t % 8), Release);
        fence(SeqCst);
        let mut seen = b.load(Acquire);
        while let Err(now) = b.compare_exchange_weak(seen, seen + (1 << 32), AcqRel, Acquire) {
            seen = now;
        }
        if t == 0 {
            unsafe { AtomicU32::from_ptr(c.as_ptr().add(1) as *mut u32) }.store(7, Release);
        }
        let f = unsafe { AtomicBool::from_ptr(d.as_ptr().add(1) as *mut bool) };
        f.swap(true, SeqCst);
        unsafe { AtomicUsize::from_ptr(b.as_ptr().add(1) as *mut usize) }.fetch_sub(1, Relaxed);
    }
    #[kernel]
    pub unsafe fn read(out: *mut u32) {
        unsafe { *out = COUNT.load(Relaxed) }
    }
}
fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let st = ctx.default_stream();
    let m = kernels::load(&ctx).unwrap();
    let a = DeviceBuffer::<u32>::zeroed(&st, 1).unwrap();
    let b = DeviceBuffer::<u64>::zeroed(&st, 3).unwrap();
    let c = DeviceBuffer::<i32>::zeroed(&st, 2).unwrap();
    let d = DeviceBuffer::<u8>::zeroed(&st, 4).unwrap();
    let o = DeviceBuffer::<u32>::zeroed(&st, 1).unwrap();
    let n = 1000u32;
    let cfg = LaunchConfig {
        grid_dim: (10, 1, 1),
        block_dim: (100, 1, 1),
        shared_mem_bytes: 0,
    };
    unsafe {
        m.k(
            &st,
            cfg,
            a.cu_deviceptr() as *mut u32,
            b.cu_deviceptr() as *mut u64,
            c.cu_deviceptr() as *mut i32,
            d.cu_deviceptr() as *mut u8,
        )
        .unwrap();
        m.read(
            &st,
            LaunchConfig {
                grid_dim: (1, 1, 1),
                block_dim: (1, 1, 1),
                shared_mem_bytes: 0,
            },
            o.cu_deviceptr() as *mut u32,
        )
        .unwrap()
    };
    let got = (
        a.to_host_vec(&st).unwrap(),
        b.to_host_vec(&st).unwrap(),
        c.to_host_vec(&st).unwrap(),
        d.to_host_vec(&st).unwrap(),
        o.to_host_vec(&st).unwrap(),
    );
    let want = (
        vec![n * (n - 1) / 2],
        vec![1000u64 << 32, 0u64.wrapping_sub(1000), 2997],
        vec![-999, 7],
        vec![255u8, 1, 0, 0],
        vec![1005],
    );
    assert_eq!(got, want);
    println!("SUCCESS: {n} threads");
}
