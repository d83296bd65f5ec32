// The contract is one of launches along x.
use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig2D};
use cuda_device::{DisjointSlice, cuda_module, kernel, launch_contract};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn fill(mut out: DisjointSlice<f32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = 1.0;
        }
    }

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn clear(mut out: DisjointSlice<f32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = 0.0;
        }
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<f32>) {
    let _ = module.prepare_fill(LaunchConfig2D::new((1, 1), (64, 1), 0));
}

fn main() {}
