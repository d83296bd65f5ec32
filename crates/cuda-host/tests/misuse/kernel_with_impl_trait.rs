// The instance is chosen by the type, which has no name here.
use cuda_device::kernel;

#[kernel]
fn map(function: impl Fn(f32) -> f32) {}

fn main() {}
