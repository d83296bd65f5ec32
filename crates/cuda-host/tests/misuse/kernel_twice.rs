// It is one already.
use cuda_device::kernel;

#[kernel]
#[kernel]
fn fill() {}

fn main() {}
