// What the kernel requires, no contract says.
use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig1D};
use cuda_device::{cuda_module, kernel, launch_contract};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub unsafe fn fill(out: *mut f32) {
        // SAFETY: the caller vouches for it.
        unsafe { *out = 1.0 };
    }
}

fn launch(module: &kernels::LoadedModule, stream: &CudaStream, out: &mut DeviceBuffer<f32>) {
    let prepared = module.prepare_fill(LaunchConfig1D::new(1, 64, 0)).unwrap();
    let _ = module.fill(stream, &prepared, out.cu_deviceptr() as *mut f32);
}

fn main() {}
