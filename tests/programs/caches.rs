//! Accesses with a hint for caches, of every width: what is written is read again.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{atomic::AtomicOrdering::*, atomic::SystemAtomicU32, cache, cuda_module, kernel, thread, vector::F32x4};

/// Operations of each width.
const ACCESSES: usize = 10;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn mix(words: &[u32], longs: &[f64], vectors: &[F32x4], halves: &[u16], out: *mut u32, total: *mut u32) {
        let t = thread::threadIdx_x() as usize;
        let out = unsafe { out.add(8 * t) };
        unsafe {
            let word = cache::ldg(&words[t]) + cache::ldca(&words[t]) + cache::ldcg(&words[t]) + cache::ldcs(&words[t]);
            cache::stwb(out, word + cache::ldlu(&words[t]) + cache::ldcv(&words[t]));
            let long = cache::ldg(&longs[t]) + cache::ldcs(&longs[t]);
            cache::stcs(out.add(2).cast::<f64>(), long);
            let vector: F32x4 = cache::ldg(&vectors[t]);
            cache::stcg(out.add(4).cast::<F32x4>(), vector);
            let half = cache::ldcg(&halves[t]);
            cache::stwt(out.add(1).cast::<u16>(), half + 1);
            SystemAtomicU32::from_ptr(total).fetch_add(word, Relaxed);
        }
    }

    // Each operation by its own name: six that load, then four that store.

    #[kernel]
    pub unsafe fn every_u16(from: *const u16, to: *mut u16) {
        let t = thread::threadIdx_x() as usize;
        unsafe {
            let (from, to) = (from.add(t), to.add(ACCESSES * t));
            let loaded = [
                cache::load_nc_b16(from),
                cache::load_ca_b16(from),
                cache::load_cg_b16(from),
                cache::load_cs_b16(from),
                cache::load_lu_b16(from),
                cache::load_cv_b16(from),
            ];
            for (i, value) in loaded.into_iter().enumerate() {
                *to.add(i) = value;
            }
            cache::store_wb_b16(to.add(6), *from);
            cache::store_cg_b16(to.add(7), *from);
            cache::store_cs_b16(to.add(8), *from);
            cache::store_wt_b16(to.add(9), *from);
        }
    }

    #[kernel]
    pub unsafe fn every_u32(from: *const u32, to: *mut u32) {
        let t = thread::threadIdx_x() as usize;
        unsafe {
            let (from, to) = (from.add(t), to.add(ACCESSES * t));
            let loaded = [
                cache::load_nc_b32(from),
                cache::load_ca_b32(from),
                cache::load_cg_b32(from),
                cache::load_cs_b32(from),
                cache::load_lu_b32(from),
                cache::load_cv_b32(from),
            ];
            for (i, value) in loaded.into_iter().enumerate() {
                *to.add(i) = value;
            }
            cache::store_wb_b32(to.add(6), *from);
            cache::store_cg_b32(to.add(7), *from);
            cache::store_cs_b32(to.add(8), *from);
            cache::store_wt_b32(to.add(9), *from);
        }
    }

    #[kernel]
    pub unsafe fn every_u64(from: *const u64, to: *mut u64) {
        let t = thread::threadIdx_x() as usize;
        unsafe {
            let (from, to) = (from.add(t), to.add(ACCESSES * t));
            let loaded = [
                cache::load_nc_b64(from),
                cache::load_ca_b64(from),
                cache::load_cg_b64(from),
                cache::load_cs_b64(from),
                cache::load_lu_b64(from),
                cache::load_cv_b64(from),
            ];
            for (i, value) in loaded.into_iter().enumerate() {
                *to.add(i) = value;
            }
            cache::store_wb_b64(to.add(6), *from);
            cache::store_cg_b64(to.add(7), *from);
            cache::store_cs_b64(to.add(8), *from);
            cache::store_wt_b64(to.add(9), *from);
        }
    }

    #[kernel]
    pub unsafe fn every_u128(from: *const u128, to: *mut u128) {
        let t = thread::threadIdx_x() as usize;
        unsafe {
            let (from, to) = (from.add(t), to.add(ACCESSES * t));
            let loaded = [
                cache::load_nc_b128(from),
                cache::load_ca_b128(from),
                cache::load_cg_b128(from),
                cache::load_cs_b128(from),
                cache::load_lu_b128(from),
                cache::load_cv_b128(from),
            ];
            for (i, value) in loaded.into_iter().enumerate() {
                *to.add(i) = value;
            }
            cache::store_wb_b128(to.add(6), *from);
            cache::store_cg_b128(to.add(7), *from);
            cache::store_cs_b128(to.add(8), *from);
            cache::store_wt_b128(to.add(9), *from);
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let words: Vec<u32> = (0..64).map(|i| i * 3 + 1).collect();
    let longs: Vec<f64> = (0..64).map(|i| f64::from(i) + 0.25).collect();
    let vectors: Vec<f32> = (0..256).map(|i| i as f32 * 0.5).collect();
    let halves: Vec<u16> = (0..64).map(|i| i * 7).collect();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 8 * 64).unwrap();
    let total = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    let buffer = DeviceBuffer::from_host(&stream, &vectors).unwrap();
    let vectors_on_device = buffer.cast_chunks::<F32x4>().ok().unwrap();
    unsafe {
        module.mix(
            &stream,
            config,
            &DeviceBuffer::from_host(&stream, &words).unwrap(),
            &DeviceBuffer::from_host(&stream, &longs).unwrap(),
            &vectors_on_device,
            &DeviceBuffer::from_host(&stream, &halves).unwrap(),
            out.cu_deviceptr() as *mut u32,
            total.cu_deviceptr() as *mut u32,
        )
    }
    .unwrap();
    for (t, got) in out.to_host_vec(&stream).unwrap().chunks(8).enumerate() {
        assert_eq!(got[0], 6 * words[t]);
        assert_eq!(got[1], u32::from(halves[t] + 1));
        assert_eq!(f64::from_bits(u64::from(got[3]) << 32 | u64::from(got[2])), 2.0 * longs[t]);
        assert!((0..4).all(|k| f32::from_bits(got[4 + k]) == vectors[4 * t + k]));
    }
    assert_eq!(total.to_host_vec(&stream).unwrap(), [4 * words.iter().sum::<u32>()]);

    macro_rules! check_every {
        ($($kernel:ident $value:ty;)*) => {$(
            let bytes: Vec<u8> = (0..64 * size_of::<$value>()).map(|i| (i * 37 % 251) as u8).collect();
            let (from, to) = (DeviceBuffer::from_host(&stream, &bytes).unwrap(), DeviceBuffer::<u8>::zeroed(&stream, ACCESSES * bytes.len()).unwrap());
            unsafe { module.$kernel(&stream, config, from.cu_deviceptr() as *const $value, to.cu_deviceptr() as *mut $value) }.unwrap();
            for (i, found) in to.to_host_vec(&stream).unwrap().chunks(size_of::<$value>()).enumerate() {
                let expected = &bytes[i / ACCESSES * size_of::<$value>()..][..size_of::<$value>()];
                assert_eq!(found, expected, "access {} of `{}`", i % ACCESSES, stringify!($value));
            }
        )*};
    }
    check_every! { every_u16 u16; every_u32 u32; every_u64 u64; every_u128 u128; }
    println!("SUCCESS: values of 2, 4, 8 and 16 bytes");
}
