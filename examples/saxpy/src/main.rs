//! `y = a * x + y` for any element type: one generic kernel, three instances of it on the device.

use std::{
    error::Error,
    fmt::Debug,
    ops::{Add, Mul},
    process::ExitCode,
    sync::Arc,
};

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn saxpy<T>(a: T, x: &[T], mut y: DisjointSlice<T>)
    where
        T: Copy + Mul<Output = T> + Add<Output = T>,
    {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(y) = y.get_mut(index) {
            *y = a * x[i] + *y;
        }
    }
}

/// Numbers this small are exact in every type used here, rounded or fused.
const N: u8 = 200;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let ctx = CudaContext::new(0)?;
    let module = kernels::load(&ctx)?;
    let right =
        saxpy::<f32>(&ctx, &module)? & saxpy::<f64>(&ctx, &module)? & saxpy::<i32>(&ctx, &module)?;
    if !right {
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: f32, f64 and i32");
    Ok(ExitCode::SUCCESS)
}

/// Runs the instance for `T` and says whether it gave what the host does.
fn saxpy<T>(ctx: &Arc<CudaContext>, module: &kernels::LoadedModule) -> Result<bool, Box<dyn Error>>
where
    T: DeviceCopy + Mul<Output = T> + Add<Output = T> + From<u8> + PartialEq + Debug,
{
    let a = T::from(3);
    let x: Vec<T> = (0..N).map(T::from).collect();
    let y: Vec<T> = (0..N).rev().map(T::from).collect();

    let stream = ctx.default_stream();
    let x_device = DeviceBuffer::from_host(&stream, &x)?;
    let mut y_device = DeviceBuffer::from_host(&stream, &y)?;
    // SAFETY: both buffers have N elements, and the launch is one-dimensional.
    unsafe {
        module.saxpy(
            &stream,
            LaunchConfig::for_num_elems(N.into()),
            a,
            &x_device,
            &mut y_device,
        )
    }?;

    let results = y_device.to_host_vec(&stream)?;
    let expected: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| a * x + y).collect();
    let wrong = (0..results.len()).find(|&i| results[i] != expected[i]);
    if let Some(i) = wrong {
        eprintln!(
            "FAILURE: element {i} is {:?}, expected {:?}",
            results[i], expected[i]
        );
    }
    Ok(wrong.is_none())
}
