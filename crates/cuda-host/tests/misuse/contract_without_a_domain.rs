// Its rank is the type of its launches.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(block = (64, 1, 1))]
fn fill() {}

fn main() {}
