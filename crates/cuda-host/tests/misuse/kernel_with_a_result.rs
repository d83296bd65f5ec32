// There is no one who would take it.
use cuda_device::kernel;

#[kernel]
fn sum(a: u32, b: u32) -> u32 {
    a + b
}

fn main() {}
