// The device has its own.
use cuda_core::{CudaStream, LaunchConfig};
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

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig, out: &mut [f32]) {
    let _ = unsafe { module.fill(stream, config, 1.0, &mut out[..]) };
}

fn main() {}
