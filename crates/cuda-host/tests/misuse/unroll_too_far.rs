// No body is repeated so often.
use cuda_device::{DisjointSlice, kernel};

#[kernel]
fn sum(values: &[u32], mut out: DisjointSlice<u32>) {
    let mut sum = 0;
    #[unroll(1025)]
    for i in 0..8 {
        sum += values[i];
    }
    if let Some((element, _)) = out.get_mut_indexed() {
        *element = sum;
    }
}

fn main() {}
