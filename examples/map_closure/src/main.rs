//! Applies a closure from the host to every element: it travels with what it captures.

use std::{error::Error, process::ExitCode, sync::Arc};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn map<T: Copy, F: Fn(T) -> T + Copy>(f: F, input: &[T], mut output: DisjointSlice<T>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(element) = output.get_mut(index) {
            *element = f(input[i]);
        }
    }
}

const N: u32 = 1000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let ctx = CudaContext::new(0)?;
    let module = kernels::load(&ctx)?;

    let (low, high) = (100, 500);
    let offset = 7_u8;
    let right = map(&ctx, &module, "nothing captured", |x| x * x)?
        & map(&ctx, &module, "two captures", move |x| x.clamp(low, high))?
        & map(&ctx, &module, "captures of two types", move |x| {
            (x + u32::from(offset)) % high
        })?;
    if !right {
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: 3 closures over {N} elements");
    Ok(ExitCode::SUCCESS)
}

/// Applies `f` on the device and says whether that gave what the host does.
fn map<F: Fn(u32) -> u32 + Copy>(
    ctx: &Arc<CudaContext>,
    module: &kernels::LoadedModule,
    what: &str,
    f: F,
) -> Result<bool, Box<dyn Error>> {
    let numbers: Vec<u32> = (0..N).collect();

    let stream = ctx.default_stream();
    let input = DeviceBuffer::from_host(&stream, &numbers)?;
    let mut output = DeviceBuffer::<u32>::zeroed(&stream, numbers.len())?;
    // SAFETY: both buffers have N elements, the launch is one-dimensional, and the closures above
    // capture no address of the host's.
    unsafe {
        module.map(
            &stream,
            LaunchConfig::for_num_elems(N),
            f,
            &input,
            &mut output,
        )
    }?;

    let results = output.to_host_vec(&stream)?;
    let wrong = numbers
        .iter()
        .zip(&results)
        .find(|&(&x, &result)| result != f(x));
    if let Some((&x, result)) = wrong {
        eprintln!("FAILURE: {what}: {x} became {result}, expected {}", f(x));
    }
    Ok(wrong.is_none())
}
