// Without checks of indices: one bound of a helper, one of a range, one of a kernel that is called. The others' own checks stay, as does a panic.
// want: .visible .entry unchecked(
// count 5: trap;

use cuda_device::kernel;

fn helper(a: &[u32], i: usize) -> u32 {
    a[i]
}

macro_rules! at {
    ($a:expr, $i:expr) => {
        $a[$i]
    };
}

/// None.
#[kernel(unchecked_indexing)]
pub fn unchecked(a: &[u32], table: &[[u32; 4]], i: usize, out: *mut u32) {
    let closure = |j: usize| a[j + 1];
    unsafe { *out = a[i] + table[i][i] + at!(a, i + 2) + closure(i) }
}

/// Two: the helper's and the range's.
#[kernel(unchecked_indexing)]
pub fn partly(a: &[u32], i: usize, out: *mut u32) {
    let rest = &a[i..];
    unsafe { *out = helper(a, i) + rest[1] }
}

/// One: its own. What it calls has none, wherever it is inlined.
#[kernel]
pub fn caller(a: &[u32], table: &[[u32; 4]], i: usize, out: *mut u32) {
    unchecked(a, table, i, out);
    unsafe { *out += a[i + 9] }
}

/// Two: its own, and the panic.
#[kernel]
pub fn checked(a: &[u32], i: usize, out: *mut u32) {
    unsafe { *out = a[i] };
    if i == 77 {
        panic!("77");
    }
}

fn main() {}
