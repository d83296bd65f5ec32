// A uniform value has a type.
use cuda_device::{Uniform, kernel};

#[kernel]
fn fill(value: Uniform) {}

fn main() {}
