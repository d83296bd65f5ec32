// One name is enough.
use cuda_device::kernel;

#[kernel(launch_context = a, launch_context = b)]
fn fill() {}

fn main() {}
