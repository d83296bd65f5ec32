// A kernel may run after what its launch was given by value has gone: whoever drops the future does not wait.
#![allow(unused_imports, unused_mut)]

use cuda_core::{DeviceBuffer, LaunchConfig1D};
use cuda_device::{DisjointSlice, cuda_module, kernel, launch_contract};
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
    pub fn closure<F: Fn() -> u32 + Copy + Send>(function: F, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = function();
        }
    }

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn named<'a>(borrow: Borrow<'a>, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = *borrow.number;
        }
    }

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn left_out(borrow: Borrow<'_>, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = *borrow.number;
        }
    }
}

fn closure(module: &kernels::LoadedModule, out: &mut DeviceBuffer<u32>, number: u32) {
    let function = || number + 1;
    let prepared = module.prepare_closure_for(&function, LaunchConfig1D::new(1, 64, 0)).unwrap();
    let _ = module.closure_async(&prepared, function, out).sync();
}

fn named(module: &kernels::LoadedModule, out: &mut DeviceBuffer<u32>, number: u32) {
    let prepared = module.prepare_named(LaunchConfig1D::new(1, 64, 0)).unwrap();
    let _ = module.named_async(&prepared, Borrow { number: &number }, out).sync();
}

fn left_out(module: &kernels::LoadedModule, out: &mut DeviceBuffer<u32>, number: u32) {
    let prepared = module.prepare_left_out(LaunchConfig1D::new(1, 64, 0)).unwrap();
    let _ = module.left_out_async(&prepared, Borrow { number: &number }, out).sync();
}

fn main() {}
