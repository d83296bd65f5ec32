// Each instance has a contract of its own.
use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig1D};
use cuda_device::{DisjointSlice, cuda_module, kernel, launch_contract};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn fill<T: Copy, const N: usize>(value: [T; N], out: DisjointSlice<T>) {
        let _ = (value, out);
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<f32>) {
    let prepared = module.prepare_fill::<f32, 1>(LaunchConfig1D::new(1, 64, 0)).unwrap();
    let _ = module.fill(stream, &prepared, [1.0, 2.0], out);
}

fn main() {}
