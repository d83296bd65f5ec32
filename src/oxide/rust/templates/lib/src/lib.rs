//! Scales one vector and adds it to another, on a GPU or on the CPU device.
//!
//! ```
//! let ctx = cuda_core::CudaContext::new(0)?;
//! assert_eq!(NAME::saxpy(&ctx, 2.0, &[1.0, 2.0], &[10.0, 20.0])?, [12.0, 24.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{error::Error, sync::Arc};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

/// What runs on the device.
#[cuda_module]
pub mod kernels {
    use super::*;

    /// Adds `a * x` to `y`, one element a thread.
    #[kernel]
    pub fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(y) = y.get_mut(index) {
            *y += a * x[i];
        }
    }
}

/// Returns `a * x + y`, for as many elements as `x` and `y` have alike.
pub fn saxpy(
    ctx: &Arc<CudaContext>,
    a: f32,
    x: &[f32],
    y: &[f32],
) -> Result<Vec<f32>, Box<dyn Error>> {
    let length = x.len().min(y.len());
    let module = kernels::load(ctx)?;
    let stream = ctx.default_stream();
    let x = DeviceBuffer::from_host(&stream, &x[..length])?;
    let mut y = DeviceBuffer::from_host(&stream, &y[..length])?;
    let shape = LaunchConfig::for_num_elems(length.try_into()?);
    // SAFETY: the launch is one-dimensional, and both buffers have `length` elements.
    unsafe { module.saxpy(&stream, shape, a, &x, &mut y) }?;
    Ok(y.to_host_vec(&stream)?)
}
