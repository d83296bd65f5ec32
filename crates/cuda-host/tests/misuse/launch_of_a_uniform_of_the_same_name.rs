// It is another type.
use cuda_core::{CudaStream, LaunchConfig};
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[derive(Clone, Copy)]
    pub struct Uniform<T>(T, T);

    #[kernel]
    pub fn fill(value: Uniform<f32>) {
        let _ = value.0 + value.1;
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig) {
    let _ = unsafe { module.fill(stream, config, 1.0) };
}

fn main() {}
