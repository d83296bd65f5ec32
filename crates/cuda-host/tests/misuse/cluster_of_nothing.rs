// No block could run.
use cuda_device::{cluster_launch, kernel};

#[kernel]
#[cluster_launch(2, 0)]
fn fill() {}

fn main() {}
