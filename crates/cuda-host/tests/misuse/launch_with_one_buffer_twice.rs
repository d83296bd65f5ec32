// One thread would read what another writes.
use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel};

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

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig, out: &mut DeviceBuffer<f32>) {
    let _ = unsafe { module.copy(stream, config, &*out, out) };
}

fn main() {}
