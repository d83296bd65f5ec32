// Threads of one column would have one index.
use cuda_device::{DisjointSlice, kernel, launch_contract};

#[kernel]
#[launch_contract(domain = 2, block = (8, 8, 1))]
fn fill(out: DisjointSlice<f32>) {}

fn main() {}
