// A kernel is found by its name, wherever it stands.
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    fn fill() {}

    mod inner {
        use super::*;

        #[kernel]
        fn fill() {}
    }
}

fn main() {}
