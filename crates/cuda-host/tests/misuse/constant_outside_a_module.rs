// No loaded module would set it.
use cuda_device::{ConstantMemory, constant};

#[constant]
static SCALE: ConstantMemory<f32> = ConstantMemory::UNINIT;

fn main() {}
