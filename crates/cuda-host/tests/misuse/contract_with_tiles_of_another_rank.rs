// Tiles of a matrix are for two axes.
use cuda_device::{DisjointSlice, kernel, launch_contract, view};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1))]
fn fill(out: DisjointSlice<f32, view::RowMajorTiles<4, 4, 64>>) {}

fn main() {}
