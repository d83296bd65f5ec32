// Constants stand in the text of inline PTX, beside other operands and texts of every kind; registers of 128 bits need PTX 8.3.
// want: .version 8.3
// want: ld.u32 %r1, [%rd1+20];
// want: mov.b128 %rq1, %rq2;

use cuda_device::{kernel, ptx_asm};

static TABLE: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

#[kernel]
pub unsafe fn constants(out: *mut u32, wide: *mut u128) {
    unsafe {
        ptx_asm!("");
        let (word, quad): (u32, u128);
        ptx_asm!("ld.u32 %0, [%1+%2];", out("=r") word, in("l") &raw const TABLE[1], in("n") 20);
        ptx_asm!("mov.b128 %0, %1;", out("=q") quad, in("q") *wide);
        *out = word;
        *wide = quad;
    }
}

fn main() {}
