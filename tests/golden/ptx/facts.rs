// What programs look for in PTX: entries, directives with their spaces, dynamic shared memory by kernel, copies of 16 bytes, fused products.
// want: .visible .entry bounded(
// want: .maxntid 256, 1, 1
// want: .minnctapersm 2
// want: .reqntid 16, 8, 1
// want: .extern .shared .align 128 .b8 __dynamic_smem_dynamic[];
// count 1: .maxntid
// count 2: ld.global.v2.b64
// count 2: st.global.v2.b64
// want: fma.rn.f32
// count 2: trap;
// never: launch_bounds
// never: required_block
// never: unchecked_indexing
// never: kernel6unroll
// never: 424242

use cuda_device::{DynamicSharedArray, kernel, launch_bounds, launch_contract, thread};

#[kernel]
#[launch_bounds(256, 2)]
pub unsafe fn bounded(a: *const f32, b: *const f32, c: *mut f32) {
    let i = thread::threadIdx_x() as usize;
    unsafe { *c.add(i) = *a.add(i) * *b.add(i) + *c.add(i) };
}

#[kernel]
#[launch_contract(domain = 2, block = (16, 8, 1))]
pub unsafe fn shaped(out: *mut u32) {
    unsafe { *out = 1 };
}

#[kernel]
pub unsafe fn dynamic(out: *mut u32) {
    let small = DynamicSharedArray::<u32, 16>::get();
    let large = DynamicSharedArray::<u32, 128>::get();
    unsafe {
        *small = 7;
        thread::sync_threads();
        *out = *large.add(1);
    }
}

#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Four([f32; 4]);

#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Two([u64; 2]);

#[kernel]
pub unsafe fn copies(a: *const Four, b: *mut Four, c: *const Two, d: *mut Two) {
    let i = thread::threadIdx_x() as usize;
    unsafe {
        *b.add(i) = *a.add(i);
        *d.add(i) = *c.add(i);
    }
}

trait Policy {
    const ENABLED: bool;
}

struct Off;

impl Policy for Off {
    const ENABLED: bool = false;
}

fn chosen<P: Policy>(a: &[u32], i: usize) -> u32 {
    if P::ENABLED { a[i] + 424_242 } else { 1 }
}

#[kernel]
pub unsafe fn decided(a: &[u32], i: usize, out: *mut u32) {
    unsafe { *out = chosen::<Off>(a, i) };
}

#[kernel(unchecked_indexing)]
pub unsafe fn marked(a: &[u32], out: *mut u32) {
    let mut sum = 0;
    #[unroll]
    for i in 0..4 {
        sum += a[i];
    }
    unsafe { *out = sum };
}

#[kernel]
pub unsafe fn checked(a: &[u32], i: usize, out: *mut u32) {
    unsafe { *out = a[i] + a[i + 7] };
}

fn main() {}
