//! Kernels of a library: one that is its own, and one whose instances are those of whoever calls it.

use std::{error::Error, sync::Arc};

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::cuda_module;

#[cuda_module]
mod own {
    use cuda_device::{DisjointSlice, kernel};

    /// Adds to each element its place.
    #[kernel]
    pub fn count_up(mut out: DisjointSlice<u32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element += index.get() as u32;
        }
    }
}

#[cuda_module]
mod generic {
    use cuda_device::{DisjointSlice, kernel};

    #[kernel]
    pub fn map<T: Copy, F: Fn(T) -> T + Copy>(function: F, mut out: DisjointSlice<T>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = function(*element);
        }
    }
}

/// Adds to each element its place.
///
/// # Errors
///
/// What the driver reports, and what loading the kernels does.
pub fn count_up(ctx: &Arc<CudaContext>, values: &mut DeviceBuffer<u32>) -> Result<(), Box<dyn Error>> {
    let config = LaunchConfig::for_num_elems(values.len() as u32);
    // SAFETY: the kernel checks its index.
    unsafe { own::load(ctx)?.count_up(&ctx.default_stream(), config, values) }?;
    Ok(())
}

/// Applies a function to each element.
///
/// # Errors
///
/// As for [`count_up`].
pub fn map<T: DeviceCopy>(
    ctx: &Arc<CudaContext>,
    values: &mut DeviceBuffer<T>,
    function: impl Fn(T) -> T + Copy,
) -> Result<(), Box<dyn Error>> {
    let config = LaunchConfig::for_num_elems(values.len() as u32);
    // SAFETY: the kernel checks its index.
    unsafe { generic::load(ctx)?.map(&ctx.default_stream(), config, function, values) }?;
    Ok(())
}
