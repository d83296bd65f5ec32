// What a closure captures is passed too.
use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn map<F: Fn(f32) -> f32 + Copy>(function: F, mut out: DisjointSlice<f32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = function(*element);
        }
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig, out: &mut DeviceBuffer<f32>) {
    let text = String::new();
    let _ = unsafe { module.map(stream, config, move |x| x + text.len() as f32, out) };
}

fn main() {}
