//! Kernels of a library, which the program that depends on it launches.

use cuda_device::{index_2d_col, kernel};
use meaning::case::{cases, traps};

/// A function of one argument that is known by its type.
pub trait Function {
    type Input: Copy;
    type Output;

    fn call(input: Self::Input) -> Self::Output;
}

/// Applies a function to every input; each crate that names an instance has it.
///
/// # Safety
///
/// Both addresses are of `count` elements.
#[kernel]
pub unsafe fn apply<F: Function>(inputs: *const F::Input, results: *mut F::Output, count: usize) {
    /// Is no kernel, though it stands in one.
    fn bounded(index: usize, count: usize) -> Option<usize> {
        (index < count).then_some(index)
    }
    if let Some(index) = bounded(index_2d_col(), count) {
        // SAFETY: in bounds, and no other thread has this index.
        unsafe { results.add(index).write(F::call(inputs.add(index).read())) }
    }
}

pub struct Negated;

impl Function for Negated {
    type Input = (i64,);
    type Output = i64;

    fn call((a,): (i64,)) -> i64 {
        a.wrapping_neg()
    }
}

fn private(a: u32) -> u32 {
    a.rotate_left(5) ^ 0x9e37_79b9
}

cases! {
    fn of_a_library(a: u32, b: u32) -> (u32, u32) {
        (private(a), private(private(b)))
    }
}

traps! {
    fn library_traps(a: u8) -> u8 { [1, 2, 3][a as usize] } [(2,), (3,)]
}
