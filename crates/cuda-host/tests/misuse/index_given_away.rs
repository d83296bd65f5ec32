// It belongs to the function that asked for it.
use cuda_device::{device, thread};

#[device]
fn index<'a>() -> thread::ThreadIndex<'a> {
    thread::index_1d()
}

fn main() {}
