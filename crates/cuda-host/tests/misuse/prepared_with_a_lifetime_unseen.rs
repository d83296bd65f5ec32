// The launcher cannot tell that the type has a lifetime: `Borrow<'static>` says that it does not borrow.
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
    pub fn fill(borrow: Borrow, mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = *borrow.number;
        }
    }
}


fn main() {}
