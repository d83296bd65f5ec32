// Shared memory is a static: what else is of that type would have no memory.

use cuda_device::{DisjointSlice, SharedArray, kernel, thread};
#[kernel]
pub fn reverse(mut out: DisjointSlice<u32>) {
    const T: SharedArray<u32, 64> = SharedArray::UNINIT;
    let t = &T;
    let i = thread::threadIdx_x() as usize;
    unsafe { *(t.as_ptr() as *mut u32).add(i) = i as u32 };
    thread::sync_threads();
    if let Some((o, _)) = out.get_mut_indexed() {
        *o = t[63 - i];
    }
}
fn main() {}
// ---- out
// error: a `SharedArray` must be a static [OX301]
//  --> shared_array_constant.rs:7:13
//   |
// 7 |     let t = &T;
//   |             ^^
//   |
//   = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
