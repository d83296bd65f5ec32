// The first one has it still.
#![allow(unused_imports, unused_mut)]

use cuda_core::{DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel};
use cuda_host::cuda_async::device_operation::DeviceOperation;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn copy(input: &[f32], mut out: DisjointSlice<f32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = input[index.get()];
        }
    }
}

fn launch(module: &kernels::LoadedModule, config: LaunchConfig, input: DeviceBuffer<f32>, mut out: DeviceBuffer<f32>) {
    let first = unsafe { module.copy_async(config, &input, &mut out) }.unwrap();
    let second = unsafe { module.copy_async(config, &input, &mut out) }.unwrap();
    let _ = (first.sync(), second.sync());
}

fn main() {}
