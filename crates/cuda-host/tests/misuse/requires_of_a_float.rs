// Sizes are whole.
use cuda_device::{kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), requires = (input.len() >= weight))]
fn fill(input: &[f32], n: u32, signed: i32, weight: f32) {}

fn main() {}
