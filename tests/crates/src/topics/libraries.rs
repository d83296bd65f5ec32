//! Functions of other crates of this folder: generic, recursive and not inline; closures, trait objects, statics; generated code.

use meaning::case::{cases, traps};
use support::{Reading, SQUARES, Square};

/// Has functions of the names that a GPU's library has, which are the user's own.
mod libm_compat {
    pub fn expf(_: f32) -> f32 {
        42.0
    }

    #[inline(never)]
    pub fn sinf(x: f32) -> f32 {
        x + 1.0
    }
}

cases! {
    fn generic_of_a_dependency(a: [i32; 4], b: [f64; 3]) -> (Option<i32>, Option<f64>, Option<u8>) {
        (support::largest(&a), support::largest(&b), support::largest::<u8>(&[]))
    }

    fn not_inline(a: [u32; 5], b: [u32; 5]) -> u64 {
        support::weighted(&a, &b)
    }

    fn recursive(discs: u8) -> (u32, [u8; 8]) {
        let mut moves = [0; 8];
        (support::hanoi(discs as u32 % 7, 0, 2, &mut moves), moves)
    }

    fn closure_of_a_dependency(a: u32, by: u32) -> (u32, (u32, bool)) {
        let add = support::adder(by);
        (add(a), support::composed(add, |sum| (sum, sum > by))(a))
    }

    fn function_pointer_of_a_dependency(a: [u32; 3]) -> (Option<u32>, u32) {
        let chosen: [fn(&[u32]) -> Option<u32>; 2] = [support::largest, |values| values.first().copied()];
        (chosen[a[0] as usize % 2](&a), a.map(support::adder(7))[2])
    }

    fn object_of_a_dependency(which: bool, side: u32) -> (u32, u32) {
        let square = Square(side);
        let shape = support::shape_of(which, &square);
        (shape.area(), shape.twice())
    }

    fn written_by_a_build_script(a: u8) -> (u32, bool, u32) {
        (SQUARES[a as usize % 16], support::SCRIPTED, SQUARES.iter().sum())
    }

    fn derived_by_a_macro(level: i16, time: u64, valid: bool) -> u64 {
        Reading { level, time, valid }.sum()
    }

    fn types_told_apart(a: u8, b: u32) -> (Option<u32>, Option<u32>, Option<u32>) {
        (support::width_of(&a), support::width_of(&b), support::width_of(&'c'))
    }

    fn static_of_a_dependency(a: u32) -> (u32, bool) {
        let before = support::counted::call();
        (a, !before || support::counted::call())
    }

    fn names_of_the_device_library(a: f32) -> (f32, f32) {
        (libm_compat::expf(a), libm_compat::sinf(2.5))
    }

    fn nested(a: u32) -> u32 {
        fn kernel(a: u32) -> u32 {
            fn nested(a: u32) -> u32 {
                a / 3
            }
            nested(a) ^ 1
        }
        kernel(a)
    }
}

traps! {
    fn panics_in_a_dependency(a: [u32; 3], length: usize) -> u64 { support::weighted(&a, &[1, 2, 3][..length]) } [([1; 3], 3), ([1; 3], 2)]
}
