// They contradict each other.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared = 64, dynamic_shared_range = (0, 64))]
fn fill() {}

fn main() {}
