// A raw intrinsic is called by its name; a closure that calls it can be passed: options: --emit=nvvm

use cuda_device::{DisjointSlice, kernel, thread};
use cuda_intrinsics::sreg;

fn twice(f: impl Fn() -> u32) -> u32 {
    2 * f()
}

#[kernel]
pub fn doubled(mut out: DisjointSlice<u32>) {
    if let Some(element) = out.get_mut(thread::index_1d()) {
        *element = twice(|| sreg::lane_id()) + twice(thread::smid) + twice(sreg::lane_id);
    }
}

fn main() {}
// ---- out
// error: the raw intrinsic `cuda_intrinsics::sreg::lane_id` is passed through a Fn trait: it is lowered only at a direct call site [OX114]
//   --> intrinsic_through_a_trait.rs:7:9
//    |
//  7 |     2 * f()
//    |         ^^^
//    |
//    = note: inside the library, through `<fn() -> u32 {cuda_intrinsics::sreg::lane_id} as std::ops::Fn<()>>::call`
// note: called from `intrinsic_through_a_trait::doubled`
//   --> intrinsic_through_a_trait.rs:13:70
//    |
// 13 |         *element = twice(|| sreg::lane_id()) + twice(thread::smid) + twice(sreg::lane_id);
//    |                                                                      ^^^^^^^^^^^^^^^^^^^^
//    = help: pass a closure that calls it
