// A static has no parameters, so a shared array of a generic type is no static.

use cuda_device::{SharedArray, kernel, thread};

#[kernel]
pub unsafe fn reverse<T: Copy, const N: usize>(values: *mut T) {
    static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;
    let i = thread::threadIdx_x() as usize;
    unsafe {
        TILE[i] = *values.add(i);
        thread::sync_threads();
        *values.add(i) = TILE[N - 1 - i];
    }
}

fn main() {}
// ---- out
// error: a static cannot be of a type that names the generic parameter `T`: write `let tile = unsafe { shared_array!(T, N) };`, which each instance has its own of
//  --> shared_array_generic.rs:7:22
//   |
// 7 |     static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;
//   |                      ^^^^^^^^^^^^^^^^^
