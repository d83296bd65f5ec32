// Which of both?
use cuda_device::{kernel, launch_bounds};

#[kernel]
#[launch_bounds(64)]
#[launch_bounds(128)]
fn fill() {}

fn main() {}
