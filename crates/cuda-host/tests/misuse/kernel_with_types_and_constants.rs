// A type is not the whole of an instance.
use cuda_device::kernel;

#[kernel(f32)]
fn fill<T: Copy, const N: usize>(value: [T; N]) {}

fn main() {}
