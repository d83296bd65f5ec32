// The kernel has none.
use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig1D};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn fill(value: f32, mut out: DisjointSlice<f32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = value;
        }
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<f32>) {
    let _ = module.prepare_fill(LaunchConfig1D::new(1, 64, 0));
}

fn main() {}
