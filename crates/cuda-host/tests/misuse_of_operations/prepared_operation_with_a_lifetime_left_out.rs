// The kernel may run after the number has gone: whoever drops the future does not wait.
#![allow(unused_imports, unused_mut)]

use cuda_core::DeviceBuffer;
use cuda_device::{DisjointSlice, Uniform, cuda_module, kernel, launch_contract};
use cuda_host::cuda_async::device_operation::DeviceOperation;

#[derive(Clone, Copy)]
pub struct Borrow<'a> {
    number: &'a u32,
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn fill(borrow: Borrow<'_>, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = *borrow.number;
        }
    }
}

fn launch(module: &kernels::LoadedModule, mut out: DeviceBuffer<u32>, number: u32) {
    let prepared = module.prepare_fill(cuda_core::LaunchConfig1D::new(1, 64, 0)).unwrap();
    let operation = module.fill_async(&prepared, Borrow { number: &number }, &mut out);
    let _ = operation.sync();
}

fn main() {}
