// A function that calls itself needs a stack that nobody can size: a warning, through rustc as all others.

use cuda_device::kernel;

#[inline(never)]
fn even(number: u32) -> bool {
    number == 0 || odd(number - 1)
}

#[inline(never)]
fn odd(number: u32) -> bool {
    number != 0 && even(number - 1)
}

fn sum(numbers: &[u32]) -> u32 {
    match numbers {
        [] => 0,
        [first, rest @ ..] => first.wrapping_add(sum(rest)),
    }
}

#[kernel]
pub unsafe fn recurses(numbers: &[u32], out: *mut u32) {
    let mut sorted = [3, 1, 2];
    sorted.sort_unstable();
    unsafe { *out = sum(numbers) + u32::from(even(numbers.len() as u32)) + sorted[0] }
}

fn main() {}
// ---- out
// warning: `recursion::sum` may call itself: the stack size that a thread needs is unknown [OX501]
//   --> recursion.rs:15:4
//    |
// 15 | fn sum(numbers: &[u32]) -> u32 {
//    |    ^^^
//    |
//    = help: write a loop, or raise the limit with `CudaContext::set_stack_size`
//
// warning: `recursion::even` may call itself, through `recursion::odd`: the stack size that a thread needs is unknown [OX501]
//  --> recursion.rs:6:4
//   |
// 6 | fn even(number: u32) -> bool {
//   |    ^^^^
//   |
//   = help: write a loop, or raise the limit with `CudaContext::set_stack_size`
