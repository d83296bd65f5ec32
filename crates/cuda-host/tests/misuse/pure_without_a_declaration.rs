// What a body does, the compiler sees.
use cuda_device::pure;

#[pure]
fn helper() {}

fn main() {}
