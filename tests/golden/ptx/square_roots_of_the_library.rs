// Square roots inside libdevice's functions of f32 are rounded correctly, as everywhere.
// count 2: sqrt.rn.f32
// never: sqrt.approx

use cuda_device::{DisjointSlice, kernel, thread};

unsafe extern "C" {
    safe fn __nv_sqrtf(x: f32) -> f32;
}

#[kernel]
pub fn roots(x: &[f32], mut out: DisjointSlice<[f32; 2]>) {
    let i = thread::index_1d();
    let x = x[i.get()];
    if let Some(out) = out.get_mut(i) {
        *out = [x.hypot(2.0), __nv_sqrtf(x)];
    }
}

fn main() {}
