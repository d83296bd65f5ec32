// Only the module that is loaded sets constants.
use cuda_device::{ConstantMemory, constant, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    fn fill() {}

    mod inner {
        use super::*;

        #[constant]
        static SCALE: ConstantMemory<f32> = ConstantMemory::UNINIT;
    }
}

fn main() {}
