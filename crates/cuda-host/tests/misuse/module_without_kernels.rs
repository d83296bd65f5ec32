// There would be nothing to load.
use cuda_device::cuda_module;

#[cuda_module]
mod kernels {
    fn helper() {}
}

fn main() {}
