// A slice that is only read is read through the cache for such, also in a kernel whose other slices are written, or used for atomics.
// count 5: ld.global.nc.b32

use cuda_device::{DisjointSlice, atomic::*, kernel, thread};

#[kernel]
pub fn beside(flags: &[u32], data: &[u32], mut out: DisjointSlice<u32>) {
    let index = thread::index_1d();
    // SAFETY: an address of the slice.
    let flag = unsafe { DeviceAtomicU32::from_ptr(flags.as_ptr().cast_mut()) };
    let i = index.get();
    if let Some(out) = out.get_mut(index) {
        *out = flag.load(AtomicOrdering::Acquire) + data[i];
    }
}

#[kernel]
pub fn iterated(first: &[u32], second: &[u32], mut out: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let sum: u32 = first.iter().zip(second).map(|(x, y)| x * y).sum();
    if let Some(out) = out.get_mut(index) {
        *out = sum;
    }
}

#[kernel]
pub fn captured(first: &[u32], second: &[u32], out: *mut u32) {
    // SAFETY: one number.
    let mut put = |i: usize| unsafe { *out = first[i] + second[i] };
    put(1);
}
