//! The smallest kernel: every thread stores the same constant.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    /// # Safety
    ///
    /// `out` is the address of an `i32` on the device.
    #[kernel]
    pub unsafe fn hello_constant(out: *mut i32) {
        // SAFETY: the caller vouches for the address.
        unsafe { *out = 42 }
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    println!("=== Unified Hello Constant Example ===");
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let out = DeviceBuffer::<i32>::zeroed(&stream, 1)?;
    let module = ctx.load_module_from_file("hello_constant.ptx")?;
    let module = kernels::from_module(module)?;

    println!("Launching kernel...");
    // SAFETY: the buffer holds one i32, and every thread stores the same value.
    unsafe {
        module.hello_constant(
            stream.as_ref(),
            LaunchConfig::for_num_elems(1),
            out.cu_deviceptr() as *mut i32,
        )
    }?;

    let output = out.to_host_vec(&stream)?[0];
    println!("Output: {output}");
    if output != 42 {
        eprintln!("FAILURE: got {output}, expected 42");
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: the device wrote 42");
    Ok(ExitCode::SUCCESS)
}
