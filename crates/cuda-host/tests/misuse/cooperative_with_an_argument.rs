// It is cooperative or it is not.
use cuda_device::{cooperative_launch, kernel};

#[kernel]
#[cooperative_launch(true)]
fn fill() {}

fn main() {}
