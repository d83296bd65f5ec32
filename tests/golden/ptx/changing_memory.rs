// What is read through an atomic or volatile access, or written, is never read through a cache that is not coherent, whatever its type says.
// never: .nc
// count 2: ld.volatile.global.b32
// count 3: ld.acquire
// count 1: ld.relaxed.sys.global.b32

use core::sync::atomic::{AtomicU32, Ordering};
use cuda_device::{DisjointSlice, atomic::*, kernel, thread};

static TABLE: [u32; 4] = [1, 2, 3, 4];

struct Both<'a> {
    first: &'a [u32],
    second: &'a [u32],
}

#[inline(never)]
fn bump(counter: *const u32) {
    // SAFETY: an address of the slice.
    unsafe { (*counter.cast::<AtomicU32>()).fetch_add(1, Ordering::Relaxed) };
}

#[kernel]
pub fn acquired(flags: &[u32], mut out: DisjointSlice<u32>) {
    let index = thread::index_1d();
    // SAFETY: an address of the slice.
    let flag = unsafe { DeviceAtomicU32::from_ptr(flags.as_ptr().cast_mut()) };
    let i = index.get();
    if let Some(out) = out.get_mut(index) {
        *out = flag.load(AtomicOrdering::Acquire) + flags[i];
    }
}

#[kernel]
pub fn waited(flags: &[u32], out: *mut u32) {
    // SAFETY: addresses of the slice, and of one number.
    unsafe {
        while core::ptr::read_volatile(&flags[0]) == 0 {}
        *out = core::ptr::read_volatile(&flags[1]) + flags[2];
    }
}

#[kernel]
pub fn waited_past_all_caches(flags: &[u32], out: *mut u32) {
    // SAFETY: addresses of the slice, and of one number.
    unsafe {
        while cuda_device::cache::load_cv_b32(&flags[0]) == 0 {}
        *out = flags[1];
    }
}

#[kernel]
pub fn counted_elsewhere(counters: &[u32], out: *mut u32) {
    bump(&counters[1]);
    // SAFETY: one number.
    unsafe { *out = counters[1] + counters[2] };
}

#[kernel]
pub fn written_through_a_number(values: &[u32], out: *mut u32) {
    let address = values.as_ptr() as usize + 4;
    // SAFETY: addresses of the slice, and of one number.
    unsafe {
        *(address as *mut u32) = 5;
        *out = values[1];
    }
}

#[kernel]
pub fn written_where_a_number_is_rounded_to(values: &[u32], out: *mut u32) {
    let address = (values.as_ptr() as usize + 7) >> 3 << 3;
    // SAFETY: addresses of the slice, and of one number.
    unsafe {
        *(!!address as *mut u32) = 5;
        *out = values[1];
    }
}

#[kernel]
pub fn in_a_struct(first: *const u32, second: &[u32], out: *mut u32) {
    // SAFETY: addresses of the slices, and of one number.
    unsafe {
        let both = Both { first: core::slice::from_raw_parts(first, 4), second };
        *out = (*both.second.as_ptr().cast::<AtomicU32>()).load(Ordering::Relaxed) + both.first[2] + both.second[3];
    }
}

#[kernel]
pub fn in_a_table(i: usize, out: *mut u32) {
    // SAFETY: addresses of the table, and of one number.
    unsafe {
        let at = AtomicU32::from_ptr((&raw const TABLE[i]).cast_mut());
        *out = at.load(Ordering::Acquire) + at.load(Ordering::SeqCst);
    }
}
