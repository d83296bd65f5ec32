// The rows are wider.
use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
fn fill(mut out: DisjointSlice<f32, thread::Index2D<64>>) {
    let _ = thread::index_2d::<32>().and_then(|index| out.get_mut(index));
}

fn main() {}
