// Barriers are shared memory too, each a static of its own.

use cuda_device::{Barrier, kernel};

#[kernel]
pub fn meets() {
    static mut BARRIERS: [Barrier; 2] = [Barrier::UNINIT; 2];
    let barrier = (&raw mut BARRIERS).cast::<Barrier>();
    unsafe { cuda_device::barrier::mbarrier_init(barrier, 1) };
}

fn main() {}
// ---- out
// error: a `Barrier` must be a static [OX301]
//  --> barriers_in_an_array.rs:7:5
//   |
// 7 |     static mut BARRIERS: [Barrier; 2] = [Barrier::UNINIT; 2];
//   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: write `static mut BARRIER: Barrier = Barrier::UNINIT;`, or for several a `SharedArray<Barrier, N>`
