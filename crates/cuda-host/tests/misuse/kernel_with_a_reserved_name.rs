// Names of this kind are the compiler's.
use cuda_device::kernel;

#[kernel]
fn cuda_oxide_fill() {}

fn main() {}
