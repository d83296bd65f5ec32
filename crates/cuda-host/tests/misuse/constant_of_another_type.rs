// Kernels read constants as such.
use cuda_device::{constant, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[constant]
    static SCALE: f32 = 1.0;

    #[kernel]
    fn fill() {}
}

fn main() {}
