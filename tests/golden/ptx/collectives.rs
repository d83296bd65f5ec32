// Operations in which threads meet are neither merged, where two are equal, nor copied into the arms beside them; so are functions that wait.
// count 3: shfl.sync
// count 2: vote.sync.ballot
// count 1: bar.sync
// count 1: call.uni

use cuda_device::{kernel, thread, warp};

#[kernel]
pub unsafe fn equal(out: *mut u32, more: bool) {
    let value = thread::threadIdx_x();
    let mut sum = warp::shuffle_xor(value, 1);
    if more {
        sum += warp::shuffle_xor(value, 1);
    }
    sum += warp::shuffle_xor(value, 1);
    // SAFETY: `out` is the caller's.
    unsafe { *out = sum ^ warp::ballot(more) ^ warp::ballot(more).rotate_left(1) }
}

#[inline(never)]
fn wait() {
    thread::sync_threads();
}

#[kernel]
pub unsafe fn between(input: *const f32, output: *mut f32, i: usize, n: usize) {
    // SAFETY: both are the caller's, of `n` elements.
    let value = if i < n { unsafe { *input.add(i) } } else { 0.0 };
    wait();
    if i < n {
        // SAFETY: as above.
        unsafe { *output.add(i) = value };
    }
}

fn main() {}
