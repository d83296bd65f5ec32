// Only kernels are launched.
use cuda_device::launch_bounds;

#[launch_bounds(64)]
fn helper() {}

fn main() {}
