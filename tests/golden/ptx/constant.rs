// A constant that modules of two crates have is one when they are linked.
// want: .weak .const .align 4 .b8
// want: ld.const.b32

use cuda_device::{ConstantMemory, kernel};

#[doc(alias = "oxide_constant")] // as `#[constant]` leaves it, in a `#[cuda_module]`
static SCALE: ConstantMemory<u32> = ConstantMemory::UNINIT;

#[kernel]
pub unsafe fn scaled(out: *mut u32) {
    unsafe { *out *= SCALE.get() };
}

fn main() {}
