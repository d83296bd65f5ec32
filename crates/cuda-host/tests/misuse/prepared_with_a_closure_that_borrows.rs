// The kernel may run after the number has gone.
#![allow(unused_imports, unused_mut)]

use cuda_core::{CudaStream, DeviceBuffer, PreparedLaunch};
use cuda_device::{DisjointSlice, Uniform, cuda_module, kernel, launch_contract};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn fill<F: Fn() -> u32 + Copy>(function: F, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = function();
        }
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, mut out: DeviceBuffer<u32>, number: u32) {
    let function = || number + 1;
    let config = cuda_core::LaunchConfig1D::new(1, 64, 0);
    let prepared = module.prepare_fill_for(&function, config).unwrap();
    module.fill(stream, &prepared, function, &mut out).unwrap();
}

fn main() {}
