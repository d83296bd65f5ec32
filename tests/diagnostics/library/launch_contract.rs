// A contract says what all launches of its kernel keep to, in keys that it knows.

use cuda_device::{DisjointSlice, kernel, launch_bounds, launch_contract};

#[kernel]
#[launch_contract(block = (64, 1, 1))]
pub fn without_a_domain() {}

#[kernel]
#[launch_contract(domain = 1)]
pub fn without_a_block() {}

#[kernel]
#[launch_contract(domain = 1, blocks = (64, 1, 1))]
pub fn with_an_unknown_key() {}

#[kernel]
#[launch_contract(domain = 1, block = (128, 1, 1))]
#[launch_bounds(64)]
pub fn beyond_its_bounds() {}

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), requires = (a.len()))]
pub fn with_no_relation(a: &[f32]) {}

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), requires = (a.len() >= m))]
pub fn with_an_unknown_name(a: &[f32], n: u32) {}

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1))]
pub fn with_a_slice_for_all(a: &mut [f32]) {}

#[kernel]
#[launch_contract(domain = 2, block = (8, 8, 1))]
pub fn of_another_rank(a: DisjointSlice<f32>) {}

#[kernel]
#[launch_bounds(0)]
pub fn of_no_thread() {}

#[kernel]
#[launch_bounds(64)]
#[launch_bounds(128)]
pub fn bounded_twice() {}

fn main() {}
// ---- out
// error: a `#[launch_contract]` needs `domain = 1`, `2` or `3`
//  --> launch_contract.rs:6:3
//   |
// 6 | #[launch_contract(block = (64, 1, 1))]
//   |   ^^^^^^^^^^^^^^^
//
// error: a `#[launch_contract]` needs `block = (x, y, z)`, or `#[launch_bounds]` beside it
//   --> launch_contract.rs:11:8
//    |
// 11 | pub fn without_a_block() {}
//    |        ^^^^^^^^^^^^^^^
//
// error: `blocks` is not a key of a contract: expected `domain`, `coordinates`, `block`, `dynamic_shared`, `dynamic_shared_range`, `dynamic_shared_alignment`, `min_compute_capability` or `requires`
//   --> launch_contract.rs:14:31
//    |
// 14 | #[launch_contract(domain = 1, blocks = (64, 1, 1))]
//    |                               ^^^^^^
//
// error: a block of 128 threads, where `#[launch_bounds]` allows 64
//   --> launch_contract.rs:18:40
//    |
// 18 | #[launch_contract(domain = 1, block = (128, 1, 1))]
//    |                                        ^^^^^^^^^
//
// error: a size relation is one comparison, such as `a.len() >= n`
//   --> launch_contract.rs:23:63
//    |
// 23 | #[launch_contract(domain = 1, block = (64, 1, 1), requires = (a.len()))]
//    |                                                               ^
//
// error: the kernel has no parameter `m`
//   --> launch_contract.rs:27:74
//    |
// 27 | #[launch_contract(domain = 1, block = (64, 1, 1), requires = (a.len() >= m))]
//    |                                                                          ^
//
// error: with a `#[launch_contract]` no `&mut [T]` is taken, since all threads have all of it: use `DisjointSlice`
//   --> launch_contract.rs:32:29
//    |
// 32 | pub fn with_a_slice_for_all(a: &mut [f32]) {}
//    |                             ^
//
// error: `Index1D` is for launches with `domain = 1`, got `domain = 2`
//   --> launch_contract.rs:36:27
//    |
// 36 | pub fn of_another_rank(a: DisjointSlice<f32>) {}
//    |                           ^^^^^^^^^^^^^
//
// error: `#[launch_bounds]` allows no thread
//   --> launch_contract.rs:39:17
//    |
// 39 | #[launch_bounds(0)]
//    |                 ^
//
// error: a second `#[launch_bounds]`
//   --> launch_contract.rs:44:1
//    |
// 44 | #[launch_bounds(128)]
//    | ^^^^^^^^^^^^^^^^^^^^^
