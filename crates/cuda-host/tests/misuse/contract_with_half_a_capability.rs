// A capability has two numbers.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), min_compute_capability = 9)]
fn fill() {}

fn main() {}
