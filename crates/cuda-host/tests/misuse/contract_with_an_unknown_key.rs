// It is misspelt.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, blocks = (64, 1, 1))]
fn fill() {}

fn main() {}
