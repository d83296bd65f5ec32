// The slice is one of rows.
use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
fn fill(mut out: DisjointSlice<f32, thread::Index2D<64>>) {
    let _ = out.get_mut(thread::index_1d());
}

fn main() {}
