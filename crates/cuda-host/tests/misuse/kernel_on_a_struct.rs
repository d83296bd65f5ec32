// A kernel is a function.
use cuda_device::kernel;

#[kernel]
struct Kernel;

fn main() {}
