// A grid has three axes.
use cuda_device::{cluster_launch, kernel};

#[kernel]
#[cluster_launch(2, 1, 1, 1)]
fn fill() {}

fn main() {}
