//! `ptx_asm!` with each kind of operand. The CPU device knows what these texts mean, since operations of `cuda_device` have them too.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel, ptx_asm, thread};

const SCOPE_AND_UPDATE: &[u8] = b".sys.add\0";

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn each_kind(out: *mut u32, floats: *mut f32, doubles: *mut f64, halves: *mut u16) {
        let t = thread::threadIdx_x();
        let selector = 0x5410_u32;
        let mut word: u32;
        let float: f32;
        let double: f64;
        let half: u16;
        unsafe {
            ptx_asm!("prmt.b32 %0, %1, %2, %3;", out("=r") word, in("r") t, in("r") t * 3, in("r") selector, options(register_only, may_diverge));
            ptx_asm!("fma.rn.f32 %0, %1, %2, %3;", out("=f") float, in("f") t as f32, in("f") 0.5_f32, in("f") 1.0_f32, options(register_only, may_diverge));
            ptx_asm!("mul.rz.f64 %0, %1, %2;", out("=d") double, in("d") f64::from(t), in("d") 0.1_f64, options(register_only, may_diverge));
            ptx_asm!("max.f16 %0, %1, %2;", out("=h") half, in("h") 0x3c00_u16, in("h") t as u16, options(register_only, may_diverge));
            *out.add(t as usize) = word;
            *floats.add(t as usize) = float;
            *doubles.add(t as usize) = double;
            *halves.add(t as usize) = half;
            // Text in the place of an operand, up to the NUL of a constant of C.
            ptx_asm!("atom%2%3%4.u32 %0, [%1], %5;", out("=r") word, in("l") out.add(65), in("C") b".relaxed\0.gpu", in("C") b"", in("C") SCOPE_AND_UPDATE, in("r") 3_u32, clobber("memory"));
            // An effect on memory, by an operand that is an address.
            let target = out.add(64);
            ptx_asm!("atom.relaxed.sys.add.u32 %0, [%1], %2;", out("=r") word, in("l") target, in("r") 2_u32, clobber("memory"));
            core::hint::black_box(word);
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 66).unwrap();
    let floats = DeviceBuffer::<f32>::zeroed(&stream, 64).unwrap();
    let doubles = DeviceBuffer::<f64>::zeroed(&stream, 64).unwrap();
    let halves = DeviceBuffer::<u16>::zeroed(&stream, 64).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    unsafe {
        module.each_kind(
            &stream,
            config,
            out.cu_deviceptr() as *mut u32,
            floats.cu_deviceptr() as *mut f32,
            doubles.cu_deviceptr() as *mut f64,
            halves.cu_deviceptr() as *mut u16,
        )
    }
    .unwrap();
    let (out, floats) = (out.to_host_vec(&stream).unwrap(), floats.to_host_vec(&stream).unwrap());
    let (doubles, halves) = (doubles.to_host_vec(&stream).unwrap(), halves.to_host_vec(&stream).unwrap());
    for t in 0..64 {
        assert_eq!(out[t], (t | t * 3 << 16) as u32);
        assert_eq!(floats[t], t as f32 * 0.5 + 1.0);
        assert!((doubles[t] - t as f64 * 0.1).abs() < 1e-14 && doubles[t] <= t as f64 * 0.1);
        assert_eq!(halves[t], 0x3c00);
    }
    assert_eq!(out[64..], [128, 192]);
    println!("SUCCESS: inline PTX of 16, 32 and 64 bits");
}
