// PTX has no such name.
use cuda_device::kernel;

#[kernel]
fn r#type() {}

fn main() {}
