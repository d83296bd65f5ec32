// A launch along x has one row.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (8, 8, 1))]
fn fill() {}

fn main() {}
