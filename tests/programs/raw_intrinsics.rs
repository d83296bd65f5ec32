//! The raw functions of `cuda_intrinsics`, one or more of each module, beside those of `cuda_device`: they are the same operations.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{SharedArray, cuda_module, kernel};

const THREADS: usize = 64;
const ANSWERS: usize = 20;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn raw(values: &[u32], sum: *mut u32, out: *mut [u32; ANSWERS]) {
        use cuda_intrinsics::{
            async_copy, atomic, barrier, bf16, bf16x2, debug, dotprod, f16, f16x2, fence, float, prmt, shared, sreg, thread, warp,
        };
        static mut TABLE: SharedArray<u32, THREADS> = SharedArray::UNINIT;
        let at = thread::thread_idx_x() as usize;
        let value = values[at];
        let table = unsafe { SharedArray::as_raw_mut_ptr(&raw mut TABLE) };
        let wide = f32::from_bits(value >> 2);
        let answers = unsafe {
            async_copy::cp_async_ca_4(table.add(at), values.as_ptr().add(at));
            async_copy::cp_async_wait_all();
            thread::sync_threads();
            atomic::atom_add_f16x2(sum, 0x3c00);
            fence::threadfence();
            barrier::bar_sync(1, THREADS as u32);
            let earlier = debug::clock();
            [
                sreg::thread_idx_x() + sreg::block_dim_x() * sreg::block_idx_x(),
                sreg::lane_id(),
                warp::shuffle_xor_sync(!0, value, 5),
                warp::ballot_sync(!0, value % 2 == 0),
                u32::from(warp::any_sync(!0, at == 3)),
                warp::redux_sync_add(!0, value),
                thread::sync_threads_count(value % 3 == 0),
                *table.add((at + 7) % THREADS),
                float::add_rz_f32(wide, 0.1).to_bits(),
                float::fma_rp_f64(wide.into(), 0.1, 0.7).to_bits() as u32,
                f16::min_f16(value as u16 & 0x7bff, 0x3c00).into(),
                f16x2::add_f16x2(value & 0x3bff_3bff, 0x3c00_3c00),
                bf16::max_bf16(value as u16 & 0x3fff, 0x3f80).into(),
                bf16x2::neg_bf16x2(value),
                dotprod::dp4a_u32(value, 0x0102_0304, 5),
                prmt::prmt(value, 0x1234_5678, 0x2751),
                shared::cvta_generic_to_shared_offset(table.add(1).cast()).wrapping_sub(shared::cvta_generic_to_shared_offset(table.cast()))
                    as u32,
                u32::from(sreg::globaltimer() != 0 && sreg::nwarpid() != 0),
                u32::from(earlier != debug::clock()),
                u32::from(*sum == 0x5400),
            ]
        };
        unsafe { *out.add(at) = answers };
    }

    #[kernel]
    pub unsafe fn wrapped(values: &[u32], sum: *mut u32, out: *mut [u32; ANSWERS]) {
        use cuda_device::{
            async_copy, atomic, barrier, bf16, bf16x2, debug, dotprod, f16, f16x2, fence, float, prmt, shared, thread, warp,
        };
        static mut TABLE: SharedArray<u32, THREADS> = SharedArray::UNINIT;
        let at = thread::threadIdx_x() as usize;
        let value = values[at];
        let table = unsafe { SharedArray::as_raw_mut_ptr(&raw mut TABLE) };
        let wide = f32::from_bits(value >> 2);
        let answers = unsafe {
            async_copy::cp_async_ca_4(table.add(at), values.as_ptr().add(at));
            async_copy::cp_async_wait_all();
            thread::sync_threads();
            atomic::atom_add_f16x2(sum, 0x3c00);
            fence::threadfence();
            barrier::bar_sync(1, THREADS as u32);
            let earlier = debug::clock();
            [
                thread::threadIdx_x() + thread::blockDim_x() * thread::blockIdx_x(),
                warp::lane_id(),
                warp::shuffle_xor(value, 5),
                warp::ballot(value % 2 == 0),
                u32::from(warp::any(at == 3)),
                warp::redux_sync_add(!0, value),
                thread::sync_threads_count(value % 3 == 0),
                *table.add((at + 7) % THREADS),
                float::add_rz_f32(wide, 0.1).to_bits(),
                float::fma_rp_f64(wide.into(), 0.1, 0.7).to_bits() as u32,
                f16::min_f16(value as u16 & 0x7bff, 0x3c00).into(),
                f16x2::add_f16x2(value & 0x3bff_3bff, 0x3c00_3c00),
                bf16::max_bf16(value as u16 & 0x3fff, 0x3f80).into(),
                bf16x2::neg_bf16x2(value),
                dotprod::dp4a_u32(value, 0x0102_0304, 5),
                prmt::prmt(value, 0x1234_5678, 0x2751),
                shared::cvta_generic_to_shared_offset(table.add(1).cast()).wrapping_sub(shared::cvta_generic_to_shared_offset(table.cast()))
                    as u32,
                u32::from(debug::globaltimer() != 0 && warp::nwarpid() != 0),
                u32::from(earlier != debug::clock()),
                u32::from(*sum == 0x5400),
            ]
        };
        unsafe { *out.add(at) = answers };
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let values: Vec<u32> = (0..THREADS as u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ 0x0ba5_ba11).collect();
    let values = DeviceBuffer::from_host(&stream, &values)?;
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
    let mut results = Vec::new();
    for raw in [true, false] {
        let out = DeviceBuffer::<[u32; ANSWERS]>::zeroed(&stream, THREADS)?;
        let sum = DeviceBuffer::<u32>::zeroed(&stream, 1)?;
        let (sum, answers) = (sum.cu_deviceptr() as *mut u32, out.cu_deviceptr() as *mut [u32; ANSWERS]);
        // SAFETY: one block of as many threads as there are values and places for answers.
        unsafe {
            if raw {
                module.raw(&stream, config, &values, sum, answers)?;
            } else {
                module.wrapped(&stream, config, &values, sum, answers)?;
            }
        }
        results.push(out.to_host_vec(&stream)?);
    }
    for (at, (raw, wrapped)) in results[0].iter().zip(&results[1]).enumerate() {
        assert_eq!(raw, wrapped, "thread {at}");
        assert_eq!((raw[0], raw[4], raw[16], raw[17..].to_vec()), (at as u32, u32::from(at < 32), 4, vec![1; 3]), "thread {at}");
    }
    println!("SUCCESS: {ANSWERS} answers of {THREADS} threads, raw and wrapped");
    Ok(())
}
