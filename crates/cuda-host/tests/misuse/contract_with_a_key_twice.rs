// Which of both?
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), domain = 2)]
fn fill() {}

fn main() {}
