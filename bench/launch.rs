//! What a launch costs a Rust program, for bench/launch.py: the microseconds of an empty kernel's, and of one with four arguments.
//!
//!     oxide build bench/launch.rs         # then give the program's path to bench/launch.py

use std::{error::Error, time::Instant};

use cuda_core::{CudaContext, DeviceBuffer, DriverError, LaunchConfig};
use cuda_device::{cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn empty() {}

    #[kernel]
    pub fn raw_saxpy(n: u32, a: f32, x: *const f32, y: *mut f32) {
        let i = (thread::blockIdx_x() * thread::blockDim_x() + thread::threadIdx_x()) as usize;
        if i < n as usize {
            // SAFETY: the host's buffers have n elements.
            unsafe { *y.add(i) = a * *x.add(i) + *y.add(i) };
        }
    }
}

const N: usize = 32;

/// Launches that fit into the queue, so that nothing waits for the GPU.
const ROUNDS: u32 = 500;

/// The microseconds of one launch, the best of 20 repeats.
fn launches(ctx: &CudaContext, mut launch: impl FnMut() -> Result<(), DriverError>) -> Result<f64, DriverError> {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        ctx.synchronize()?;
        let start = Instant::now();
        for _ in 0..ROUNDS {
            launch()?;
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best / f64::from(ROUNDS) * 1e6)
}

fn main() -> Result<(), Box<dyn Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let x = DeviceBuffer::from_host(&stream, &[1f32; N])?;
    let y = DeviceBuffer::from_host(&stream, &[1f32; N])?;
    let (x, y) = (x.cu_deviceptr() as *const f32, y.cu_deviceptr() as *mut f32);
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (N as u32, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel takes nothing and does nothing.
    let mut empty = || unsafe { module.empty(&stream, config) };
    launches(&ctx, &mut empty)?;
    // SAFETY: the buffers have as many elements as the kernel is told.
    let four = || unsafe { module.raw_saxpy(&stream, config, N as u32, 2.0, x, y) };
    println!("{:.3} {:.3}", launches(&ctx, empty)?, launches(&ctx, four)?);
    Ok(())
}
