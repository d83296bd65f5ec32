// A launcher names its arguments.
use cuda_device::kernel;

#[kernel]
fn fill((width, height): (u32, u32)) {}

fn main() {}
