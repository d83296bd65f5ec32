// The numbers of launch attributes may be constants: the compiler compares them.

use cuda_device::{cluster_launch, kernel, launch_bounds, launch_contract};

const NONE: u32 = 0;
const MANY: u32 = 256;

#[kernel]
#[launch_bounds(NONE)]
pub fn of_no_thread() {}

#[kernel]
#[launch_contract(domain = 1, block = (MANY, 1, 1))]
#[launch_bounds(128)]
pub fn beyond_its_bounds() {}

#[kernel]
#[launch_contract(domain = 1, block = (64, MANY, 1))]
pub fn beyond_its_domain() {}

#[kernel]
#[cluster_launch(NONE)]
pub fn in_empty_clusters() {}

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared_range = (MANY, NONE))]
pub fn of_no_size() {}

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared_alignment = MANY + 1)]
pub fn aligned_to_no_power() {}

#[kernel]
#[launch_bounds(-1)]
pub fn of_a_negative_number() {}

fn main() {}
// ---- out
// error[E0600]: cannot apply unary operator `-` to type `u32`
//   --> launch_constants.rs:34:17
//    |
// 34 | #[launch_bounds(-1)]
//    |                 ^^ cannot apply unary operator `-`
//    |
//    = note: unsigned values cannot be negated
// help: you may have meant the maximum value of `u32`
//    |
// 34 - #[launch_bounds(-1)]
// 34 + #[launch_bounds(u32::MAX)]
//    |
//
// error[E0080]: evaluation panicked: `#[launch_bounds]` allows no thread
//  --> launch_constants.rs:9:17
//   |
// 9 | #[launch_bounds(NONE)]
//   |                 ^^^^ evaluation of `of_no_thread::{constant#0}` failed here
//
// note: erroneous constant encountered
//  --> launch_constants.rs:9:17
//   |
// 9 | #[launch_bounds(NONE)]
//   |                 ^^^^
//
// error[E0080]: evaluation panicked: a block has more threads than `#[launch_bounds]` allows
//   --> launch_constants.rs:13:40
//    |
// 13 | #[launch_contract(domain = 1, block = (MANY, 1, 1))]
//    |                                        ^^^^ evaluation of `beyond_its_bounds::{constant#3}` failed here
//
// note: erroneous constant encountered
//   --> launch_constants.rs:13:40
//    |
// 13 | #[launch_contract(domain = 1, block = (MANY, 1, 1))]
//    |                                        ^^^^
//
// error[E0080]: evaluation panicked: a block or cluster has extents of 1 beyond the domain of its launches
//   --> launch_constants.rs:18:40
//    |
// 18 | #[launch_contract(domain = 1, block = (64, MANY, 1))]
//    |                                        ^^ evaluation of `beyond_its_domain::{constant#0}` failed here
//
// note: erroneous constant encountered
//   --> launch_constants.rs:18:40
//    |
// 18 | #[launch_contract(domain = 1, block = (64, MANY, 1))]
//    |                                        ^^
//
// error[E0080]: evaluation panicked: a block or cluster has no extent of 0
//   --> launch_constants.rs:22:18
//    |
// 22 | #[cluster_launch(NONE)]
//    |                  ^^^^ evaluation of `in_empty_clusters::{constant#0}` failed here
//
// note: erroneous constant encountered
//   --> launch_constants.rs:22:18
//    |
// 22 | #[cluster_launch(NONE)]
//    |                  ^^^^
//
// error[E0080]: evaluation panicked: `dynamic_shared_range` is (min, max)
//   --> launch_constants.rs:26:75
//    |
// 26 | #[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared_range = (MANY, NONE))]
//    |                                                                           ^^^^ evaluation of `of_no_size::{constant#4}` failed here
//
// note: erroneous constant encountered
//   --> launch_constants.rs:26:75
//    |
// 26 | #[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared_range = (MANY, NONE))]
//    |                                                                           ^^^^
//
// error[E0080]: evaluation panicked: `dynamic_shared_alignment` is a power of two
//   --> launch_constants.rs:30:78
//    |
// 30 | #[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared_alignment = MANY + 1)]
//    |                                                                              ^^^^ evaluation of `aligned_to_no_power::{constant#4}` failed here
//
// note: erroneous constant encountered
//   --> launch_constants.rs:30:78
//    |
// 30 | #[launch_contract(domain = 1, block = (64, 1, 1), dynamic_shared_alignment = MANY + 1)]
//    |                                                                              ^^^^
//
// Some errors have detailed explanations: E0080, E0600.
// For more information about an error, try `rustc --explain E0080`.
