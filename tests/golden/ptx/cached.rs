// Only a slice of what nobody can change is read through the read-only cache: no atomics, no cells, wherever they are inside.
// count 2: ld.global.nc

use std::{
    cell::{Cell, UnsafeCell},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
pub fn plain(numbers: &[u32], pairs: &[(u8, u16)], mut out: DisjointSlice<u32>) {
    let index = thread::index_1d();
    let i = index.get();
    if let Some(out) = out.get_mut(index) {
        *out = numbers[i] + pairs[i].1 as u32;
    }
}

#[kernel]
pub fn changing(
    counts: &[AtomicU32],
    pairs: &[(u8, AtomicU32)],
    cells: &[Cell<u32>],
    options: &[Option<UnsafeCell<u32>>],
    arrays: &[[Cell<u8>; 4]],
    mut out: DisjointSlice<u32>,
) {
    let index = thread::index_1d();
    let i = index.get();
    if let Some(out) = out.get_mut(index) {
        let option = options[i].as_ref().map_or(5, |cell| cell.get().addr() as u32);
        *out = counts[i].load(Relaxed) + pairs[i].1.load(Relaxed) + cells[i].get() + option + arrays[i][3].get() as u32;
    }
}

fn main() {}
