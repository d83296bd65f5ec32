// A launch along x has one row of blocks.
use cuda_device::{cluster_launch, kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1))]
#[cluster_launch(1, 2)]
fn fill() {}

fn main() {}
