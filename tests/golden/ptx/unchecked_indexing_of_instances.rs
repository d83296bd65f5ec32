// A generic kernel without checks of indices: its entries have none, the function that its name calls has all, and so has who calls it.
// want: .visible .entry gather_f32(
// want: .visible .entry gather_TID_
// want: .visible .entry plain_TID_
// count 4: trap;

use cuda_device::{DisjointSlice, kernel, launch_contract, thread};

/// None in its entries.
#[kernel(f32, unchecked_indexing, launch_context = context)]
#[launch_contract(domain = 1, coordinates = u32, block = (32, 1, 1))]
pub fn gather<T: Copy>(values: &[T], places: &[u32], mut out: DisjointSlice<T>) {
    let index = thread::index_1d_u32(context).get() as usize;
    let at = |place: usize| values[place];
    *unsafe { out.get_unchecked_mut(index) } = at(places[index] as usize);
}

/// Three: its own, and two of what it calls.
#[kernel(launch_context = context)]
#[launch_contract(domain = 1, coordinates = u32, block = (32, 1, 1))]
pub unsafe fn caller(values: &[f32], places: &[u32], out: DisjointSlice<f32>, i: usize, last: *mut f32) {
    gather::<f32>(values, places, out, context);
    unsafe { *last = values[i] };
}

/// One: its own. Without a contract and a name there is a scope all the same.
#[kernel(unchecked_indexing)]
pub unsafe fn plain<T: Copy, const N: usize>(values: &[T], i: usize, out: *mut T) {
    unsafe { *out = values[i + N] };
}

#[kernel(launch_context = context)]
pub unsafe fn plain_caller(values: &[u8], i: usize, out: *mut u8) {
    unsafe { plain::<u8, 3>(values, i, out, context) };
}

fn main() {
    println!("{} {}", gather_ptx_name::<u64>(), plain_ptx_name::<u64, 2>());
}
