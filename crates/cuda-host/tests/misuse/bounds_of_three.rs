// There are two bounds.
use cuda_device::{kernel, launch_bounds};

#[kernel]
#[launch_bounds(64, 2, 1)]
fn fill() {}

fn main() {}
