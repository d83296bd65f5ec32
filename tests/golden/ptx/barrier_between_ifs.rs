// rustc's own jump threading would copy the barrier into both arms; the driver turns it off.
// count 1: bar.sync

use cuda_device::{kernel, thread};

#[kernel]
pub unsafe fn stages(input: *const f32, output: *mut f32, i: usize, n: usize) {
    let value = if i < n { unsafe { *input.add(i) } } else { 0.0 };
    thread::sync_threads();
    if i < n {
        unsafe { *output.add(i) = value };
    }
}

fn main() {}
