// It is misspelt.
use std::sync::Arc;

use cuda_core::{CudaModule, CudaStream, LaunchConfig};
use cuda_device::kernel;
use cuda_host::cuda_launch;

#[kernel]
pub fn add(a: u32, b: u32) {
    let _ = a + b;
}

fn launch(stream: Arc<CudaStream>, module: Arc<CudaModule>, config: LaunchConfig) {
    let _ = unsafe {
        cuda_launch! { kernel: add, streams: stream, module: module, config: config, args: [1, 2] }
    };
}

fn main() {}
