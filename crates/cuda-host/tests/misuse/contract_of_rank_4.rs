// A grid has three axes.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 4, block = (64, 1, 1))]
fn fill() {}

fn main() {}
