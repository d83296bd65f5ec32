// No one has said that 32 bits suffice.
use cuda_device::{kernel, thread};

#[kernel(launch_context = launch)]
fn fill() {
    let _ = thread::index_1d_u32(launch);
}

fn main() {}
