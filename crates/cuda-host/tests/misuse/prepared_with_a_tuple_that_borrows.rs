// The kernel may run after the number has gone.
#![allow(unused_imports, unused_mut)]

use cuda_core::{CudaStream, DeviceBuffer, PreparedLaunch};
use cuda_device::{DisjointSlice, Uniform, cuda_module, kernel, launch_contract};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn fill(borrow: (&u32, u32), mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = borrow.0 + borrow.1;
        }
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, prepared: &PreparedLaunch<kernels::__fill_CudaKernel>, mut out: DeviceBuffer<u32>) {
    let number = 3;
    module.fill(stream, prepared, (&number, 1), &mut out).unwrap();
}

fn main() {}
