// A slice has elements.
use cuda_device::{DisjointSlice, kernel};

#[kernel]
fn fill(out: DisjointSlice) {}

fn main() {}
