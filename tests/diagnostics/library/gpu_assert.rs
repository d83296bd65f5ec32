// The message of an assertion is a literal, since kernels format none.

use cuda_device::{gpu_assert, kernel};

const MESSAGE: &str = "positive";

#[kernel]
pub fn asserts(a: u32) {
    gpu_assert!(a > 0, "a is {}", a);
    gpu_assert!(a > 0, MESSAGE);
    gpu_assert!(a > 0, format!("a is {a}"));
    gpu_assert!(a > 0, 3);
    gpu_assert!(a > 0 "positive");
    gpu_assert!();
    gpu_assert!(a > 0, "a is {a}");
}

fn main() {}
// ---- out
// error: the message has no placeholders: print values with `gpu_printf!` before
//  --> gpu_assert.rs:9:24
//   |
// 9 |     gpu_assert!(a > 0, "a is {}", a);
//   |                        ^^^^^^^^^
//
// error: the message is a string literal: kernels format none
//   --> gpu_assert.rs:10:24
//    |
// 10 |     gpu_assert!(a > 0, MESSAGE);
//    |                        ^^^^^^^
//
// error: the message is a string literal: kernels format none
//   --> gpu_assert.rs:11:24
//    |
// 11 |     gpu_assert!(a > 0, format!("a is {a}"));
//    |                        ^^^^^^^^^^^^^^^^^^^
//
// error: the message is a string literal: kernels format none
//   --> gpu_assert.rs:12:24
//    |
// 12 |     gpu_assert!(a > 0, 3);
//    |                        ^
//
// error: expected `,`
//   --> gpu_assert.rs:13:23
//    |
// 13 |     gpu_assert!(a > 0 "positive");
//    |                       ^^^^^^^^^^
//
// error: unexpected end of input, expected a condition
//   --> gpu_assert.rs:14:5
//    |
// 14 |     gpu_assert!();
//    |     ^^^^^^^^^^^^^
//    |
//    = note: this error originates in the macro `gpu_assert` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error: the message has no placeholders: print values with `gpu_printf!` before
//   --> gpu_assert.rs:15:24
//    |
// 15 |     gpu_assert!(a > 0, "a is {a}");
//    |                        ^^^^^^^^^^
