// `gpu_printf!` takes its arguments in order, as many as its format has placeholders, and prints numbers.

use cuda_device::{gpu_printf, kernel};

const FORMAT: &str = "{}";

#[kernel]
pub fn prints(a: u32, b: f32) {
    gpu_printf!("{} {}\n", a);
    gpu_printf!("{}\n", a, b);
    gpu_printf!("done\n", a);
    gpu_printf!("{a}\n");
    gpu_printf!("{0}\n", a);
    gpu_printf!("{:?}\n", a);
    gpu_printf!("{:b}\n", a);
    gpu_printf!("{:08xx}\n", a);
    gpu_printf!("{:>8}\n", a);
    gpu_printf!("{:.*}\n", b);
    gpu_printf!("{ \n", a);
    gpu_printf!("} \n", a);
    gpu_printf!(FORMAT, a);
    gpu_printf!(3, a);
    gpu_printf!("a\0b");
    gpu_printf!();
    gpu_printf!("{}", number = a);
    gpu_printf!("{}" a);
}

fn main() {}
// ---- out
// error: the format needs 2 arguments, and there is 1
//  --> gpu_printf.rs:9:17
//   |
// 9 |     gpu_printf!("{} {}\n", a);
//   |                 ^^^^^^^^^
//
// error: the format needs 1 argument, and there are 2
//   --> gpu_printf.rs:10:28
//    |
// 10 |     gpu_printf!("{}\n", a, b);
//    |                            ^
//
// error: the format needs no arguments, and there is 1
//   --> gpu_printf.rs:11:27
//    |
// 11 |     gpu_printf!("done\n", a);
//    |                           ^
//
// error: `{a}`: arguments are taken in order, without names or numbers: write `{}`, and the value after the format
//   --> gpu_printf.rs:12:17
//    |
// 12 |     gpu_printf!("{a}\n");
//    |                 ^^^^^^^
//
// error: `{0}`: arguments are taken in order, without names or numbers: write `{}`, and the value after the format
//   --> gpu_printf.rs:13:17
//    |
// 13 |     gpu_printf!("{0}\n", a);
//    |                 ^^^^^^^
//
// error: `{:?}`: kernels print no `Debug`: print the parts, each by its own placeholder
//   --> gpu_printf.rs:14:17
//    |
// 14 |     gpu_printf!("{:?}\n", a);
//    |                 ^^^^^^^^
//
// error: `{:b}`: the letters are x X o e E c s d i u f g G a A p
//   --> gpu_printf.rs:15:17
//    |
// 15 |     gpu_printf!("{:b}\n", a);
//    |                 ^^^^^^^^
//
// error: `{:08xx}`: a placeholder is `{:`, flags of `-+ #0`, a width, `.` and a precision, and at most one letter
//   --> gpu_printf.rs:16:17
//    |
// 16 |     gpu_printf!("{:08xx}\n", a);
//    |                 ^^^^^^^^^^^
//
// error: `{:>8}`: a placeholder is `{:`, flags of `-+ #0`, a width, `.` and a precision, and at most one letter
//   --> gpu_printf.rs:17:17
//    |
// 17 |     gpu_printf!("{:>8}\n", a);
//    |                 ^^^^^^^^^
//
// error: the format needs 2 arguments, one of them for each `*`, and there is 1
//   --> gpu_printf.rs:18:17
//    |
// 18 |     gpu_printf!("{:.*}\n", b);
//    |                 ^^^^^^^^^
//
// error: `{` without `}`: write `{{` for a brace
//   --> gpu_printf.rs:19:17
//    |
// 19 |     gpu_printf!("{ \n", a);
//    |                 ^^^^^^
//
// error: `}` without `{`: write `}}` for a brace
//   --> gpu_printf.rs:20:17
//    |
// 20 |     gpu_printf!("} \n", a);
//    |                 ^^^^^^
//
// error: the format is a string literal, so that it is known when the kernel is compiled
//   --> gpu_printf.rs:21:17
//    |
// 21 |     gpu_printf!(FORMAT, a);
//    |                 ^^^^^^
//
// error: the format is a string literal, so that it is known when the kernel is compiled
//   --> gpu_printf.rs:22:17
//    |
// 22 |     gpu_printf!(3, a);
//    |                 ^
//
// error: C's formats end at a 0
//   --> gpu_printf.rs:23:17
//    |
// 23 |     gpu_printf!("a\0b");
//    |                 ^^^^^^
//
// error: unexpected end of input, expected a format, a string literal
//   --> gpu_printf.rs:24:5
//    |
// 24 |     gpu_printf!();
//    |     ^^^^^^^^^^^^^
//    |
//    = note: this error originates in the macro `gpu_printf` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error: arguments are taken in order, without names: write the value alone, and `{}`
//   --> gpu_printf.rs:25:23
//    |
// 25 |     gpu_printf!("{}", number = a);
//    |                       ^^^^^^^^^^
//
// error: expected `,`
//   --> gpu_printf.rs:26:22
//    |
// 26 |     gpu_printf!("{}" a);
//    |                      ^
