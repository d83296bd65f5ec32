// A transparent struct travels as what it holds, anything else as bytes of rustc's size and alignment, and what has no bytes not at all.
// want: .param .u32 takes_param_0,
// want: .param .f64 takes_param_1,
// want: .param .align 1 .b8 takes_param_2[9],
// want: .param .align 2 .b8 takes_param_3[6],
// want: .param .align 16 .b8 takes_param_4[16],
// want: .param .align 32 .b8 takes_param_5[64],
// want: .param .align 16 .b8 takes_param_6[64],
// want: .param .align 16 .b8 takes_param_7[32],
// want: .param .align 16 .b8 takes_param_8[16],
// want: .param .u16 takes_param_9,
// want: .param .u32 takes_param_10,
// want: .param .u32 takes_param_11,
// want: .param .u64 .ptr .align 1 takes_param_12
// never: takes_param_13
// want: .visible .entry nothing()
// count 2: .entry

use std::num::NonZeroU32;

use cuda_device::kernel;

#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Index(u32);

#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Marked {
    value: f64,
    nothing: (),
}

#[derive(Clone, Copy)]
#[repr(C, packed)]
pub struct Packed(u8, u64);

#[derive(Clone, Copy)]
#[repr(C, packed(2))]
pub struct PackedBy2(u8, u32);

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Aligned(u32);

#[derive(Clone, Copy)]
#[repr(align(32))]
pub struct MoreAligned([u8; 33]);

#[derive(Clone, Copy)]
pub enum Wide {
    Low = -1,
    High = 300,
}

#[kernel]
#[allow(clippy::too_many_arguments)]
pub unsafe fn takes(
    index: Index,
    marked: Marked,
    packed: Packed,
    by_two: PackedBy2,
    aligned: Aligned,
    more: MoreAligned,
    words: [u128; 4],
    pair: (u64, u128),
    big: i128,
    wide: Wide,
    option: Option<NonZeroU32>,
    letter: Option<char>,
    none: [u64; 0],
    unit: (),
    out: *mut u128,
) {
    let sum = index.0 as u128 + marked.value as u128 + packed.1 as u128 + by_two.1 as u128 + aligned.0 as u128 + more.0[32] as u128;
    let rest = words[3] + pair.1 + pair.0 as u128 + big as u128 + wide as u128 + option.map_or(1, NonZeroU32::get) as u128;
    let ((), ()) = (unit, marked.nothing);
    // SAFETY: `out` is the caller's.
    unsafe { *out = sum + rest + letter.map_or(0, u128::from) + none.len() as u128 }
}

#[kernel]
pub fn nothing(unit: (), none: [u32; 0]) {
    let ((), []) = (unit, none);
}

fn main() {}
