// How large may a block be?
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1)]
fn fill() {}

fn main() {}
