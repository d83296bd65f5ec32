// A block has three extents.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1))]
fn fill() {}

fn main() {}
