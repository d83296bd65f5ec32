// Addresses are aligned to powers of two.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared_alignment = 24)]
fn fill() {}

fn main() {}
