// An array of a few numbers that is indexed at run time lies in registers, and a parameter's array where the parameter is.
// never: .local
// want: selp.f32
// want: ld.param.b32

use cuda_device::{DisjointSlice, kernel, thread};

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Parameters {
    scale: f32,
    counts: [u32; 8],
}

#[kernel]
pub fn coordinate(x: f32, y: f32, z: f32, axis: usize, out: *mut f32) {
    // SAFETY: one number.
    unsafe { *out = [x, y, z][axis] };
}

#[kernel]
pub fn count(parameters: Parameters, axis: usize, out: *mut u32) {
    // SAFETY: one number.
    unsafe { *out = parameters.counts[axis] };
}

#[kernel]
pub fn bins(values: &[u32], mut out: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let mut bins = [0u32; 16];
    for value in values {
        bins[(value % 16) as usize] += value;
    }
    let bin = index.get() % 16;
    if let Some(out) = out.get_mut(index) {
        *out = bins[bin] ^ bins[(bin + 3) % 16];
    }
}

#[kernel]
pub fn pairs(values: &[(f32, u32)], mut out: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let first = [values[0], values[1], values[2], values[3]];
    let which = index.get() % 4;
    if let Some(out) = out.get_mut(index) {
        *out = first[which].0 + first[3 - which].1 as f32;
    }
}

#[kernel]
pub fn sorted(values: &[f32], mut out: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let mut first = [0.0f32; 8];
    for (number, value) in values.iter().take(8).enumerate() {
        first[number] = *value;
    }
    for end in 1..8 {
        let mut place = end;
        while place > 0 && first[place - 1] > first[place] {
            first.swap(place - 1, place);
            place -= 1;
        }
    }
    let which = index.get() % 8;
    if let Some(out) = out.get_mut(index) {
        *out = first[which];
    }
}
