// Shared memory is a static: what else is of that type would have no memory.

use cuda_device::{DisjointSlice, SharedArray, kernel, thread};
#[kernel]
pub fn reverse(mut out: DisjointSlice<u32>) {
    static mut T: [SharedArray<u32, 64>; 2] = [SharedArray::UNINIT, SharedArray::UNINIT];
    let t = unsafe { &mut (*(&raw mut T))[1] };
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
//  --> shared_array_nested.rs:6:5
//   |
// 6 |     static mut T: [SharedArray<u32, 64>; 2] = [SharedArray::UNINIT, SharedArray::UNINIT];
//   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
