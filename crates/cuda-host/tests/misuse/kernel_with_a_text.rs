// A text is not a slice of elements.
use cuda_device::kernel;

#[kernel]
fn print(text: &str) {}

fn main() {}
