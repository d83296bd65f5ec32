// A block has 48 KiB of static shared memory.

use cuda_device::{DisjointSlice, SharedArray, kernel, thread};
#[kernel]
pub fn k(mut out: DisjointSlice<f32>) {
    static mut BIG: SharedArray<f32, 20000> = SharedArray::UNINIT;
    let i = thread::threadIdx_x() as usize;
    unsafe { BIG[i] = 1.0 };
    thread::sync_threads();
    if let Some(o) = out.get_mut(thread::index_1d()) {
        *o = unsafe { BIG[0] };
    }
}
fn main() {}
// ---- out
// error: a block has 49152 bytes of static shared memory, the kernel `k` uses 80000 [OX302]
//  --> shared_memory_size.rs:5:8
//   |
// 5 | pub fn k(mut out: DisjointSlice<f32>) {
//   |        ^
//   |
//   = help: share smaller arrays
