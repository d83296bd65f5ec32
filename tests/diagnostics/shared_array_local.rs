// Shared memory is a static: what else is of that type would have no memory.

use cuda_device::{DisjointSlice, SharedArray, kernel, thread};
#[kernel]
pub fn reverse(mut out: DisjointSlice<u32>) {
    let mut t = SharedArray::<u32, 64>::UNINIT;
    let i = thread::threadIdx_x() as usize;
    t[i] = i as u32;
    thread::sync_threads();
    if let Some((o, _)) = out.get_mut_indexed() {
        *o = t[63 - i];
    }
}
fn main() {}
// ---- out
// error: a `SharedArray` must be a static [OX301]
//  --> shared_array_local.rs:6:9
//   |
// 6 |     let mut t = SharedArray::<u32, 64>::UNINIT;
//   |         ^^^^^
//   |
//   = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
