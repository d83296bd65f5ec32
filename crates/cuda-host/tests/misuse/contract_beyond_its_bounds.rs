// No such block can be launched.
use cuda_device::{kernel, launch_bounds, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (128, 1, 1))]
#[launch_bounds(64)]
fn fill() {}

fn main() {}
