// Constant strings stand in the text of inline PTX as they are, also those of what a kernel is generic over.
// want: add.rn.f32 %r
// want: mul.rz.f32 %r
// want: // 100% of $5
// want: st.global.u32 [%rd1+4], %r
// never: %%

use cuda_device::{kernel, ptx_asm};

pub trait Operation {
    const NAME: &'static [u8];
}

pub struct Add;
pub struct Mul;

impl Operation for Add {
    const NAME: &'static [u8] = b"add.rn.f32";
}

impl Operation for Mul {
    const NAME: &'static [u8] = b"mul.rz.f32";
}

const COMMENT: &str = "// 100% of $5";

unsafe fn apply<O: Operation>(x: f32, y: f32) -> f32 {
    let result;
    unsafe { ptx_asm!("%1 %0, %2, %3;", out("=f") result, in("C") O::NAME, in("f") x, in("f") y, options(register_only)) };
    result
}

#[kernel]
pub unsafe fn strings(out: *mut f32) {
    unsafe {
        *out = apply::<Add>(*out, 2.0) + apply::<Mul>(*out, 3.0);
        ptx_asm!("st.%3.u32 [%1+%2], %4; %0", in("C") COMMENT.as_bytes(), in("l") out, in("n") 4, in("C") b"global", in("r") 7_u32, clobber("memory"));
    }
}

fn main() {}
