// Inline PTX names its operands in order, outputs first, each with the register that it is in.

use cuda_device::{kernel, ptx_asm};

const TEMPLATE: &str = "mov.u32 %0, 1;";

#[kernel]
pub unsafe fn assembles(a: u32) {
    let mut x: u32 = 0;
    unsafe {
        ptx_asm!("mov.u32 %0, %1;", in("r") a, out("=r") x);
        ptx_asm!("mov.u32 %0, %1;", in("r") a, inout("+r") x);
        ptx_asm!("mov.u32 %0, 1;", out("=x") x);
        ptx_asm!("mov.u32 %0, 1;", out("r") x);
        ptx_asm!("mov.u32 %0, 1;", inout("=r") x);
        ptx_asm!("mov.u32 %0, %1;", out("=r") x, in("rr") a);
        ptx_asm!("mov.u32 %0, %1;", out("=r") x, in("=r") a);
        ptx_asm!("add.u32 %0, %1, %3;", out("=r") x, in("r") a);
        ptx_asm!("mov.u32 %0, %1;", out("=r") x, in("C") a);
        ptx_asm!("mov.u32 %0, 1;", out("=r") x, clobber("r1"));
        ptx_asm!("mov.u32 %0, 1;", out("=r") x, options(may_diverge));
        ptx_asm!("membar.gl;", options(register_only));
        ptx_asm!("mov.u32 %0, 1;", out("=r") x, clobber("memory"), options(register_only));
        ptx_asm!("mov.u32 %0, 1;", out("=r") x, options(volatile));
        ptx_asm!("mov.u32 %0, 1;", output("=r") x);
        ptx_asm!("mov.u32 %0, 1;", out(reg) x);
        ptx_asm!(TEMPLATE, out("=r") x);
        ptx_asm!();
        ptx_asm!("mov.u32 {x}, 1;", out("=r") x);
        ptx_asm!("mov.u32 %0, 1;" out("=r") x);
        ptx_asm!("mov.u32 %0, 1;", out("=r", "=r") x);
    }
}

fn main() {}
// ---- out
// error: outputs must precede inputs: `%0` and so on number them in this order
//   --> ptx_asm.rs:11:48
//    |
// 11 |         ptx_asm!("mov.u32 %0, %1;", in("r") a, out("=r") x);
//    |                                                ^^^
//
// error: outputs must precede inputs: `%0` and so on number them in this order
//   --> ptx_asm.rs:12:48
//    |
// 12 |         ptx_asm!("mov.u32 %0, %1;", in("r") a, inout("+r") x);
//    |                                                ^^^^^
//
// error: expected `=` and one of the registers `h` `r` `l` `q` `f` `d`
//   --> ptx_asm.rs:13:40
//    |
// 13 |         ptx_asm!("mov.u32 %0, 1;", out("=x") x);
//    |                                        ^^^^
//
// error: expected `=` and one of the registers `h` `r` `l` `q` `f` `d`
//   --> ptx_asm.rs:14:40
//    |
// 14 |         ptx_asm!("mov.u32 %0, 1;", out("r") x);
//    |                                        ^^^
//
// error: expected `+` and one of the registers `h` `r` `l` `q` `f` `d`
//   --> ptx_asm.rs:15:42
//    |
// 15 |         ptx_asm!("mov.u32 %0, 1;", inout("=r") x);
//    |                                          ^^^^
//
// error: expected one of the registers `h` `r` `l` `q` `f` `d`, `n` for a constant or `C` for a string
//   --> ptx_asm.rs:16:53
//    |
// 16 |         ptx_asm!("mov.u32 %0, %1;", out("=r") x, in("rr") a);
//    |                                                     ^^^^
//
// error: expected one of the registers `h` `r` `l` `q` `f` `d`, `n` for a constant or `C` for a string
//   --> ptx_asm.rs:17:53
//    |
// 17 |         ptx_asm!("mov.u32 %0, %1;", out("=r") x, in("=r") a);
//    |                                                     ^^^^
//
// error: `%3`: there are only 2 operands, counted from 0
//   --> ptx_asm.rs:18:18
//    |
// 18 |         ptx_asm!("add.u32 %0, %1, %3;", out("=r") x, in("r") a);
//    |                  ^^^^^^^^^^^^^^^^^^^^^
//
// error: the one clobber is `memory`: other registers are the text's own, declared in it
//   --> ptx_asm.rs:20:57
//    |
// 20 |         ptx_asm!("mov.u32 %0, 1;", out("=r") x, clobber("r1"));
//    |                                                         ^^^^
//
// error: `may_diverge` is for what is `register_only` too: write `options(register_only, may_diverge)`
//   --> ptx_asm.rs:21:57
//    |
// 21 |         ptx_asm!("mov.u32 %0, 1;", out("=r") x, options(may_diverge));
//    |                                                         ^^^^^^^^^^^
//
// error: `register_only` needs an output: it would do nothing
//   --> ptx_asm.rs:22:40
//    |
// 22 |         ptx_asm!("membar.gl;", options(register_only));
//    |                                        ^^^^^^^^^^^^^
//
// error: `register_only` touches no memory: leave out the clobber
//   --> ptx_asm.rs:23:76
//    |
// 23 |         ptx_asm!("mov.u32 %0, 1;", out("=r") x, clobber("memory"), options(register_only));
//    |                                                                            ^^^^^^^^^^^^^
//
// error: the options are `register_only` and `may_diverge`
//   --> ptx_asm.rs:24:57
//    |
// 24 |         ptx_asm!("mov.u32 %0, 1;", out("=r") x, options(volatile));
//    |                                                         ^^^^^^^^
//
// error: expected `out`, `inout`, `in`, `clobber` or `options`
//   --> ptx_asm.rs:25:36
//    |
// 25 |         ptx_asm!("mov.u32 %0, 1;", output("=r") x);
//    |                                    ^^^^^^
//
// error: expected one string, such as `"=r"`
//   --> ptx_asm.rs:26:40
//    |
// 26 |         ptx_asm!("mov.u32 %0, 1;", out(reg) x);
//    |                                        ^^^
//
// error: expected a template, a string literal: `"mov.u32 %0, %1;"`
//   --> ptx_asm.rs:27:18
//    |
// 27 |         ptx_asm!(TEMPLATE, out("=r") x);
//    |                  ^^^^^^^^
//
// error: expected a template, a string literal: `"mov.u32 %0, %1;"`
//   --> ptx_asm.rs:28:9
//    |
// 28 |         ptx_asm!();
//    |         ^^^^^^^^^^
//    |
//    = note: this error originates in the macro `ptx_asm` (in Nightly builds, run with -Z macro-backtrace for more info)
//
// error: expected `,`
//   --> ptx_asm.rs:30:35
//    |
// 30 |         ptx_asm!("mov.u32 %0, 1;" out("=r") x);
//    |                                   ^^^
//
// error: expected one string alone
//   --> ptx_asm.rs:31:44
//    |
// 31 |         ptx_asm!("mov.u32 %0, 1;", out("=r", "=r") x);
//    |                                            ^
//
// error[E0435]: attempt to use a non-constant value in a constant
//   --> ptx_asm.rs:19:58
//    |
//  8 | pub unsafe fn assembles(a: u32) {
//    |                         - this would need to be a `const`
// ...
// 19 |         ptx_asm!("mov.u32 %0, %1;", out("=r") x, in("C") a);
//    |                                                          ^
//
// For more information about this error, try `rustc --explain E0435`.
