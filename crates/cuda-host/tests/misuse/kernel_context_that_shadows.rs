// Which of both would the body mean?
use cuda_device::kernel;

#[kernel(launch_context = launch)]
fn fill(launch: u32) {}

fn main() {}
