// No table of shared addresses is made of a match: PTX has no such initial value. The address may come to the match by calls.
// never: switch
// never: generic(
// count 3: .shared .align 4

use cuda_device::{SharedArray, kernel, thread};

#[inline(never)]
fn chosen(which: u32, tiles: [*mut u32; 3]) -> *mut u32 {
    match which {
        0 => tiles[1],
        1 => tiles[2],
        2 => tiles[0],
        _ => tiles[1],
    }
}

#[kernel]
pub unsafe fn stores(which: u32, out: *mut u32) {
    static mut A: SharedArray<u32, 4> = SharedArray::UNINIT;
    static mut B: SharedArray<u32, 4> = SharedArray::UNINIT;
    static mut C: SharedArray<u32, 4> = SharedArray::UNINIT;
    let tile: *mut u32 = match which {
        0 => (&raw mut A).cast(),
        1 => (&raw mut B).cast(),
        2 => (&raw mut C).cast(),
        _ => (&raw mut A).cast(),
    };
    let other = chosen(which, [(&raw mut A).cast(), (&raw mut B).cast(), (&raw mut C).cast()]);
    // SAFETY: `out` is the caller's.
    unsafe {
        *tile = which;
        thread::sync_threads();
        *out = *other;
    }
}

fn main() {}
