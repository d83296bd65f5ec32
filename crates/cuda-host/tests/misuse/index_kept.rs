// It ends with the kernel.
use cuda_device::{kernel, thread};

#[kernel]
fn fill() {
    let index: thread::ThreadIndex<'static> = thread::index_1d();
    let _ = index;
}

fn main() {}
