// It is misspelt.
use cuda_device::kernel;

#[kernel(launch_contxt = launch)]
fn fill() {}

fn main() {}
