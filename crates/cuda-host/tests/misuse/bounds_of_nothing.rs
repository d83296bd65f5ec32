// No thread could run.
use cuda_device::{kernel, launch_bounds};

#[kernel]
#[launch_bounds(0)]
fn fill() {}

fn main() {}
