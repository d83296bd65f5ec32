// A kernel may run after what its launch was given by value has gone, so that this may not borrow.
#![allow(unused_imports, unused_mut)]

use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig1D};
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
    pub fn closure<F: Fn() -> u32 + Copy>(function: F, mut out: DisjointSlice<u32>) {
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
    pub fn uniform<'a>(borrow: Uniform<Borrow<'a>>, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = *borrow.get().number;
        }
    }

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn left_out(borrow: Borrow<'_>, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = *borrow.number;
        }
    }

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn tuple(borrow: (&u32, u32), mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = borrow.0 + borrow.1;
        }
    }

    // The launcher cannot tell that the type has a lifetime: `Borrow<'static>` says that it does not borrow.
    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn unseen(borrow: Borrow, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = *borrow.number;
        }
    }
}

fn closure(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<u32>, number: u32) {
    let function = || number + 1;
    let prepared = module.prepare_closure_for(&function, LaunchConfig1D::new(1, 64, 0)).unwrap();
    module.closure(stream, &prepared, function, out).unwrap();
}

fn named(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<u32>, number: u32) {
    let prepared = module.prepare_named(LaunchConfig1D::new(1, 64, 0)).unwrap();
    module.named(stream, &prepared, Borrow { number: &number }, out).unwrap();
}

fn uniform(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<u32>, number: u32) {
    let prepared = module.prepare_uniform(LaunchConfig1D::new(1, 64, 0)).unwrap();
    module.uniform(stream, &prepared, Borrow { number: &number }, out).unwrap();
}

fn left_out(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<u32>, number: u32) {
    let prepared = module.prepare_left_out(LaunchConfig1D::new(1, 64, 0)).unwrap();
    module.left_out(stream, &prepared, Borrow { number: &number }, out).unwrap();
}

fn tuple(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<u32>, number: u32) {
    let prepared = module.prepare_tuple(LaunchConfig1D::new(1, 64, 0)).unwrap();
    module.tuple(stream, &prepared, (&number, 1), out).unwrap();
}

fn main() {}
