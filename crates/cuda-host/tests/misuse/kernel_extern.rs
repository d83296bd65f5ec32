// Its calling convention is that of kernels.
use cuda_device::kernel;

#[kernel]
extern "C" fn fill() {}

fn main() {}
