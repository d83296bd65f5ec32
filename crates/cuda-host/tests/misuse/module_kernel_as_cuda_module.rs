// The module has a function of this name.
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    fn as_cuda_module() {}
}

fn main() {}
