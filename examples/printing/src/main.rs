//! Prints from a kernel. What threads print comes when the host waits for the device, in any order of the
//! threads.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, gpu_printf, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    /// Prints in the way that each thread has, and writes how many arguments were printed.
    #[kernel]
    pub fn print(values: &[f32], mut printed: DisjointSlice<i32>) {
        let Some((printed, index)) = printed.get_mut_indexed() else {
            return;
        };
        let thread = index.get();
        let value = values[thread];
        // Formats are Rust's as far as they go, then C's: types need no letters, but may have them.
        *printed = match thread {
            0 => gpu_printf!("thread {}: 100% without arguments but this\n", thread),
            1 => gpu_printf!("thread {}: {} is {} and {:.2}\n", thread, 'f', value, value),
            2 => gpu_printf!("thread {}: {:e} and {:08.3}\n", thread, value, value),
            3 => gpu_printf!(
                "thread {}: the bits are {:#010x} {{and the sign is {}}}\n",
                thread,
                value.to_bits(),
                value.is_sign_negative()
            ),
            4 => gpu_printf!(
                "thread {}: [{:6}] [{:-6}] [{:+}]\n",
                thread,
                -42,
                42_u8,
                42_i64
            ),
            5 => gpu_printf!("thread {}: [{:8.1}]\n", thread, value),
            _ => 0,
        };
    }
}

/// The arguments of each thread's format.
const ARGUMENTS: [i32; 6] = [1, 4, 3, 3, 4, 2];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let values = [0.0, 1.5, -1234.5, -0.0, 0.25, 2.75];

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let values = DeviceBuffer::from_host(&stream, &values)?;
    let mut printed = DeviceBuffer::<i32>::zeroed(&stream, ARGUMENTS.len())?;
    // SAFETY: one-dimensional, with a value for each thread that prints.
    unsafe {
        module.print(
            &stream,
            LaunchConfig::for_num_elems(6),
            &values,
            &mut printed,
        )
    }?;

    let printed = printed.to_host_vec(&stream)?;
    if printed != ARGUMENTS {
        eprintln!("FAILURE: printed {printed:?} arguments, expected {ARGUMENTS:?}");
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: {} threads printed", printed.len());
    Ok(ExitCode::SUCCESS)
}
