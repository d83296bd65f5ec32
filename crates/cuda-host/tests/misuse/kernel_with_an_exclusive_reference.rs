// All threads would have it at once.
use cuda_device::kernel;

#[kernel]
fn fill(value: &mut [f32; 4]) {}

fn main() {}
