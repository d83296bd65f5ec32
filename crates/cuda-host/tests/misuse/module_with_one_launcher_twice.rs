// `prepare_fill` prepares launches of `fill`.
use cuda_device::{cuda_module, kernel, launch_contract};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    fn fill() {}

    #[kernel]
    fn prepare_fill() {}
}

fn main() {}
