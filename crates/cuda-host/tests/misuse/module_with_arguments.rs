// A module takes no arguments.
use cuda_device::cuda_module;

#[cuda_module(name = "kernels")]
mod kernels {
    #[cuda_device::kernel]
    fn k() {}
}

fn main() {}
