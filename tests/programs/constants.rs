//! Constant memory that the host sets, at once and in order with a stream; and what kernels print and assert.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{ConstantMemory, constant, cuda_module, gpu_assert, gpu_printf, kernel, thread};

#[derive(Clone, Copy)]
pub struct Curve {
    scale: f32,
    steps: [u16; 5],
}
// SAFETY: numbers are made of any bytes.
unsafe impl cuda_device::ConstantMemoryValue for Curve {}

#[cuda_module]
mod kernels {
    use super::*;

    #[constant]
    static TABLE: ConstantMemory<[u32; 256]> = ConstantMemory::UNINIT;
    #[constant]
    static CURVE: ConstantMemory<Curve> = ConstantMemory::UNINIT;

    #[kernel]
    pub unsafe fn read(out: *mut u32) {
        let t = thread::threadIdx_x() as usize;
        let curve = CURVE.get();
        let by_reference = TABLE.get_ref()[t * 7 % 256];
        let by_value = TABLE.get()[t];
        gpu_assert!(t < 1024);
        gpu_assert!(curve.scale >= 0.0, "the scale is not negative");
        if t == 3 {
            let printed = gpu_printf!("thread {} of {:3}: {:x} {:#x} {:e} {:.2} %d {{}} {:c}\n", t, 1024_u64, 255_u8, -1_i32, 1.5_f32, curve.scale, 'x');
            gpu_assert!(printed == 7);
        }
        unsafe { *out.add(t) = by_reference + by_value + curve.scale as u32 + u32::from(curve.steps[t % 5]) };
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 64).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    for round in 0..3_u32 {
        let table: Vec<u32> = (0..256).map(|i| i * i + round).collect();
        module.set_table(&stream, table[..].try_into().unwrap()).unwrap();
        module.set_curve_blocking(&Curve { scale: 1000.0 * round as f32, steps: [1, 2, 3, 4, 5] }).unwrap();
        unsafe { module.read(&stream, config, out.cu_deviceptr() as *mut u32) }.unwrap();
        for (t, got) in out.to_host_vec(&stream).unwrap().iter().enumerate() {
            assert_eq!(*got, table[t * 7 % 256] + table[t] + 1000 * round + t as u32 % 5 + 1);
        }
    }
    println!("SUCCESS: two constants, three times");
}
