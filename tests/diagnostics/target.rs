// The target that is asked for lacks an operation: options: --arch sm_75

use cuda_device::{kernel, warp};

fn total(value: u32) -> u32 {
    warp::redux_sync_add(!0, value)
}

#[kernel]
pub unsafe fn sums(out: *mut u32) {
    unsafe { *out = total(*out) };
}

fn main() {}
// ---- out
// error: `warp::redux_sync_add` requires sm_80, the target is sm_75 [OX304]
//   --> target.rs:6:5
//    |
//  6 |     warp::redux_sync_add(!0, value)
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    |
// note: called from `target::sums`
//   --> target.rs:11:21
//    |
// 11 |     unsafe { *out = total(*out) };
//    |                     ^^^^^^^^^^^
//    = help: omit `--arch`, or use `--arch sm_80`
