// A thread of a GPU waits for nothing.
use cuda_device::kernel;

#[kernel]
async fn fill() {}

fn main() {}
