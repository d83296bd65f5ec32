// Only the host sets it.
use cuda_device::{ConstantMemory, constant, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[constant]
    static mut SCALE: ConstantMemory<f32> = ConstantMemory::UNINIT;

    #[kernel]
    fn fill() {}
}

fn main() {}
