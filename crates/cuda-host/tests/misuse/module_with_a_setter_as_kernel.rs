// `set_scale` sets the constant.
use cuda_device::{ConstantMemory, constant, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[constant]
    static SCALE: ConstantMemory<f32> = ConstantMemory::UNINIT;

    #[kernel]
    fn set_scale() {}
}

fn main() {}
