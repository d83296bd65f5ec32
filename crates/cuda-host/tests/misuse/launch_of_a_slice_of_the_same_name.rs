// It is another type.
use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[derive(Clone, Copy)]
    pub struct DisjointSlice<T>(*mut T);

    #[kernel]
    pub fn fill(out: DisjointSlice<f32>) {
        let _ = out.0;
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig, out: &mut DeviceBuffer<f32>) {
    let _ = unsafe { module.fill(stream, config, out) };
}

fn main() {}
