// An index is one access.
use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
fn fill(mut a: DisjointSlice<f32>, mut b: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let _ = a.get_mut(index);
    let _ = b.get_mut(index);
}

fn main() {}
