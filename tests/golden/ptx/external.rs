// Functions that are linked in later: their own names, PTX's C ABI; two equal calls of a pure one are one, of another they are two.
// want: .extern .func  (.param .b32 func_retval0) twice
// want: .extern .func meet
// want: .param .b64 sum_param_0,
// want: .extern .func  (.param .b32 func_retval0) other$name
// count 1: call.uni (retval0), twice,
// count 2: call.uni (retval0), sum,
// count 2: call.uni meet,

use cuda_device::{convergent, device, kernel, pure, readonly, thread};

#[device]
unsafe extern "C" {
    #[pure]
    fn twice(x: f32) -> f32;
    #[readonly]
    fn sum(a: *const f32, n: u32, negate: bool) -> f32;
    #[convergent]
    fn meet(x: u8);
    #[link_name = "other$name"]
    fn plain(_: i64) -> bool;
}

#[kernel]
pub unsafe fn outside(a: *const f32, out: *mut f32) {
    let i = thread::threadIdx_x();
    unsafe {
        meet(i as u8);
        *out = twice(*a) + twice(*a) + sum(a, 4, i == 3);
        meet(i as u8);
        *out += sum(a, 4, i == 3) + if plain(i as i64) { 1.0 } else { 0.0 };
    }
}

fn main() {}
