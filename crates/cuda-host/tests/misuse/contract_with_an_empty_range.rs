// No amount of memory lies in it.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared_range = (64, 32))]
fn fill() {}

fn main() {}
