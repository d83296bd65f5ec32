// Kernels lie in a module.
use cuda_device::cuda_module;

#[cuda_module]
struct Kernels;

fn main() {}
