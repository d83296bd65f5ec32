// The macro adds a type of this name.
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    pub struct LoadedModule;

    #[kernel]
    fn fill() {}
}

fn main() {}
