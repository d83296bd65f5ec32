// There is nothing that a type could stand for.
use cuda_device::kernel;

#[kernel(f32, f64)]
fn fill() {}

fn main() {}
