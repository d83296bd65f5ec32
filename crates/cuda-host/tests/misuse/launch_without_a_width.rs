// The rows are as wide as the launch sets.
use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn fill(out: DisjointSlice<f32, thread::Runtime2DIndex>) {
        let _ = out;
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig, out: &mut DeviceBuffer<f32>) {
    let _ = unsafe { module.fill(stream, config, out) };
}

fn main() {}
