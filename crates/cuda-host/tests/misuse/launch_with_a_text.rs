// A text lies in host memory.
use cuda_core::{CudaStream, LaunchConfig};
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn print(text: String) {
        drop(text);
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig) {
    let _ = unsafe { module.print(stream, config, String::new()) };
}

fn main() {}
