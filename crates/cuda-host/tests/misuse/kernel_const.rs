// It runs on the device.
use cuda_device::kernel;

#[kernel]
const fn fill() {}

fn main() {}
