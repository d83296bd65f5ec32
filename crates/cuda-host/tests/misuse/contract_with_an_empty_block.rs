// It would have no thread.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 2, block = (64, 0, 1))]
fn fill() {}

fn main() {}
