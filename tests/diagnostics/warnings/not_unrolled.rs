//! A loop that is to be unrolled and cannot be stays, with a warning.

use cuda_device::{kernel, thread};

#[kernel]
pub fn unknown(n: u32, out: *mut u32) {
    #[unroll]
    for _ in 0..n {
        unsafe { out.write_volatile(n) }
    }
}

#[kernel]
pub fn meeting(n: u32, out: *mut u32) {
    #[unroll(4)]
    for i in 0..n {
        thread::sync_threads();
        unsafe { *out += i }
    }
}

/// Nothing to say: known, known to be a multiple, and never run twice.
#[kernel]
pub fn known(n: u32, out: *mut u32) {
    #[unroll]
    for i in 0..4 {
        thread::sync_threads();
        unsafe { *out += i }
    }
    for _ in 0..n {
        #[unroll]
        loop {
            unsafe { out.write_volatile(n) };
            break;
        }
    }
}

fn main() {}
// ---- out
// warning: this loop is not unrolled [OX502]
//   --> not_unrolled.rs:16:5
//    |
// 16 |     for i in 0..n {
//    |     ^^^
//    |
//    = help: give it bounds that are known when the kernel is compiled, or, where threads do not meet in it, a factor: `#[unroll(4)]`
//
// warning: this loop is not unrolled [OX502]
//  --> not_unrolled.rs:8:5
//   |
// 8 |     for _ in 0..n {
//   |     ^^^
//   |
//   = help: give it bounds that are known when the kernel is compiled, or, where threads do not meet in it, a factor: `#[unroll(4)]`
