// It is the thread's own.
use cuda_device::{DisjointSlice, kernel, thread};

fn sends<T: Send>(_: T) {}

#[kernel]
fn fill(out: DisjointSlice<f32>) {
    let _ = out;
    sends(thread::index_1d());
}

fn main() {}
