// The kernel may run after the number has gone.
#![allow(unused_imports, unused_mut)]

use cuda_core::{CudaStream, DeviceBuffer, PreparedLaunch};
use cuda_device::{DisjointSlice, Uniform, cuda_module, kernel, launch_contract};

#[derive(Clone, Copy)]
pub struct Borrow<'a> {
    number: &'a u32,
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn fill<'a>(borrow: Uniform<Borrow<'a>>, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = *borrow.get().number;
        }
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, prepared: &PreparedLaunch<kernels::__fill_CudaKernel>, mut out: DeviceBuffer<u32>) {
    let number = 3;
    module.fill(stream, prepared, Borrow { number: &number }, &mut out).unwrap();
}

fn main() {}
