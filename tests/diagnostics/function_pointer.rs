// An intrinsic has no address: options: --emit=nvvm

use cuda_device::{DisjointSlice, kernel, thread, warp};
use cuda_intrinsics::sreg;

fn choose(n: u32) -> fn() -> u32 {
    if n > 3 { thread::smid } else { || warp::lane_id() }
}

#[kernel]
pub fn chosen(n: u32, mut out: DisjointSlice<u32>) {
    if let Some(element) = out.get_mut(thread::index_1d()) {
        *element = choose(n)();
    }
}

#[kernel]
pub fn raw(mut out: DisjointSlice<u32>) {
    const TABLE: [fn() -> u32; 2] = [sreg::lane_id, sreg::smid];
    let index = thread::index_1d();
    let i = index.get();
    if let Some(element) = out.get_mut(index) {
        *element = TABLE[i % 2]();
    }
}

fn main() {}
// ---- out
// error: `cuda_device::smid` is an intrinsic and has no address: it must be called directly [OX114]
//  --> function_pointer.rs:7:16
//   |
// 7 |     if n > 3 { thread::smid } else { || warp::lane_id() }
//   |                ^^^^^^^^^^^^
//   |
//   = help: make a function pointer of a closure that calls it
//
// error: `cuda_intrinsics::sreg::lane_id` is an intrinsic and has no address: it must be called directly [OX114]
//   --> function_pointer.rs:23:20
//    |
// 23 |         *element = TABLE[i % 2]();
//    |                    ^^^^^
//    |
//    = help: make a function pointer of a closure that calls it
