// Native ones are wide.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), coordinates = u64)]
fn fill() {}

fn main() {}
