// A reference is one to host memory.
use cuda_device::kernel;

#[kernel]
fn fill(value: &f32) {}

fn main() {}
