//! What a foreign process calls: kernels of this library, of another, and of another for types and closures of this one.

use std::{error::Error, slice};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig1D};
use cuda_device::cuda_module;

#[cuda_module]
mod kernels {
    use cuda_device::{DisjointSlice, kernel, launch_contract};

    #[kernel]
    #[launch_contract(domain = 1, block = (32, 1, 1))]
    pub fn double(mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element *= 2;
        }
    }
}

/// Each value becomes `2 * (value + its place) * factor + 1`. Returns 0, or 1 where it failed, and says on stderr why.
///
/// # Safety
///
/// `values` is the address of `count` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transform(values: *mut u32, count: usize, factor: u32) -> i32 {
    // SAFETY: the caller vouches for it.
    let values = unsafe { slice::from_raw_parts_mut(values, count) };
    match run(values, factor) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("transform: {error}");
            1
        }
    }
}

fn run(values: &mut [u32], factor: u32) -> Result<(), Box<dyn Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let mut buffer = DeviceBuffer::from_host(&stream, values)?;
    routines::count_up(&ctx, &mut buffer)?;
    // SAFETY: the library carries what was compiled from this file.
    let module = unsafe { kernels::load(&ctx) }?;
    let prepared = module.prepare_double(LaunchConfig1D::new(buffer.len().div_ceil(32) as u32, 32, 0))?;
    module.double(&stream, &prepared, &mut buffer)?;
    routines::map(&ctx, &mut buffer, move |value| value * factor + 1)?;
    buffer.copy_to_host(&stream, values)?;
    Ok(())
}
