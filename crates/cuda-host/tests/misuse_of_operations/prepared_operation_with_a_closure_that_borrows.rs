// The kernel may run after the number has gone: whoever drops the future does not wait.
#![allow(unused_imports, unused_mut)]

use cuda_core::DeviceBuffer;
use cuda_device::{DisjointSlice, Uniform, cuda_module, kernel, launch_contract};
use cuda_host::cuda_async::device_operation::DeviceOperation;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn fill<F: Fn() -> u32 + Copy + Send>(function: F, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = function();
        }
    }
}

fn launch(module: &kernels::LoadedModule, mut out: DeviceBuffer<u32>, number: u32) {
    let function = || number + 1;
    let prepared = module.prepare_fill_for(&function, cuda_core::LaunchConfig1D::new(1, 64, 0)).unwrap();
    let operation = module.fill_async(&prepared, function, &mut out);
    let _ = operation.sync();
}

fn main() {}
