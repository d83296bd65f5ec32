// Which of both?
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1))]
#[launch_contract(domain = 1, block = (32, 1, 1))]
fn fill() {}

fn main() {}
