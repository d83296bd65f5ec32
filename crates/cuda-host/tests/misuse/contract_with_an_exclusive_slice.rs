// All threads would have all of it.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1))]
fn fill(out: &mut [f32]) {}

fn main() {}
