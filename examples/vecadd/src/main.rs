//! Adds two vectors: two slices in, one out, one thread an element.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn vecadd(a: &[f32], b: &[f32], mut sums: DisjointSlice<f32>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(sum) = sums.get_mut(index) {
            *sum = a[i] + b[i];
        }
    }
}

/// No multiple of the block size, so that the last block has threads without an element.
const N: u16 = 1000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let a: Vec<f32> = (0..N).map(f32::from).collect();
    let b: Vec<f32> = (0..N).map(|i| 0.5 * f32::from(i)).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let a_device = DeviceBuffer::from_host(&stream, &a)?;
    let b_device = DeviceBuffer::from_host(&stream, &b)?;
    let mut sums = DeviceBuffer::<f32>::zeroed(&stream, a.len())?;

    // SAFETY: the three buffers have one length, and the launch is one-dimensional.
    unsafe {
        module.vecadd(
            &stream,
            LaunchConfig::for_num_elems(N.into()),
            &a_device,
            &b_device,
            &mut sums,
        )
    }?;

    let sums = sums.to_host_vec(&stream)?;
    let wrong = (0..a.len()).find(|&i| sums[i] != a[i] + b[i]);
    if let Some(i) = wrong {
        eprintln!(
            "FAILURE: {} + {} gave {}, expected {}",
            a[i],
            b[i],
            sums[i],
            a[i] + b[i]
        );
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: {N} sums");
    Ok(ExitCode::SUCCESS)
}
