// The entry is named after the type.
use cuda_device::kernel;

#[kernel([f32; 4])]
fn fill<T: Copy>(value: T) {}

fn main() {}
