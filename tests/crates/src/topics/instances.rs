//! Instances of a library's generic kernel.

use std::fmt::Debug;

use cuda_host::kernel::instance_name;
use kernels::{Function, Negated, apply};
use meaning::case::{self, Case, Edges, Outcome};

pub struct Squared;

impl Function for Squared {
    type Input = (u32,);
    type Output = (u32, bool);

    fn call((a,): (u32,)) -> (u32, bool) {
        a.overflowing_mul(a)
    }
}

pub struct Largest<const N: usize>;

impl<const N: usize> Function for Largest<N> {
    type Input = ([f32; N],);
    type Output = Option<f32>;

    fn call((values,): ([f32; N],)) -> Option<f32> {
        support::largest(&values)
    }
}

/// The case of an instance that this crate makes of the library's generic kernel.
const fn instance<F: Function<Input: Edges + Debug, Output: Outcome>>(name: &'static str) -> Case {
    Case::new::<F::Input, F::Output>(name, <F::Input as Edges>::COUNT, case::edge::<F::Input>, |input, output| {
        // SAFETY: the addresses are of an input and of memory for an output.
        unsafe { output.cast::<F::Output>().write(F::call(input.cast::<F::Input>().read())) }
    })
    .with_entry(|| instance_name("apply", &apply::<F>))
}

pub const CASES: &[Case] = &[
    instance::<Squared>("squared"),
    instance::<Largest<3>>("largest_of_3"),
    instance::<Largest<5>>("largest_of_5"),
    // Both libraries have it.
    instance::<Negated>("negated_left").with_entry(left::negated),
    instance::<Negated>("negated_right").with_entry(right::negated),
];
pub const TRAPS: &[Case] = &[];
