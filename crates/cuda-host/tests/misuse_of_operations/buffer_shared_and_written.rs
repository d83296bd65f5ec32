// What others read too, no kernel writes.
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
    let out = std::sync::Arc::new(out);
    let _ = unsafe { module.copy_async_owned(config, input, out) };
}

fn main() {}
