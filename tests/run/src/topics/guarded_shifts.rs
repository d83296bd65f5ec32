//! Shifts behind a comparison of their amount, by amounts of every width: what is cut off the amount must not come back as a shift.

use crate::case::{cases, traps};

macro_rules! guarded {
    ($($name:ident $kind:ident by $amount:ident;)*) => {
        cases! {$(
            fn $name(x: $kind, by: $amount, turned: bool) -> ([$kind; 8], [Option<$kind>; 4], [($kind, bool); 2]) {
                // An amount whose low bits alone are one that the guard lets through.
                // A negative one is none.
                let by = if turned { by.rotate_left(<$amount>::BITS / 2) } else { by } & <$amount>::MAX;
                let bits = <$kind>::BITS as $amount;
                let sign = x >> (<$kind>::BITS - 1);
                (
                    [
                        if by < bits { x << by } else { 0 },
                        if by <= bits - 1 { x >> by } else { 0 },
                        if by >= bits { sign } else { x >> by },
                        if bits > by { x.wrapping_shl(by as u32) } else { 7 },
                        match by {
                            by if by < bits => x.wrapping_shr(by as u32),
                            _ => sign,
                        },
                        if by < bits { x << (by as u32) } else { sign },
                        if by < bits { (x << by) ^ (x >> by) } else { x },
                        u32::try_from(by).map_or(0, |by| x.unbounded_shl(by)),
                    ],
                    [
                        (by < bits).then(|| x << by),
                        u32::try_from(by).ok().and_then(|by| x.checked_shl(by)),
                        u32::try_from(by).ok().and_then(|by| x.checked_shr(by)),
                        u32::try_from(by).ok().map(|by| x.unbounded_shr(by)),
                    ],
                    [x.overflowing_shl(by as u32), x.overflowing_shr(by as u32)],
                )
            }
        )*}
    };
}

// The width of a type of eight bits is a number of every type.
guarded! {
    u8_by_u16 u8 by u16; u8_by_u32 u8 by u32; u8_by_u64 u8 by u64; u8_by_u128 u8 by u128; i8_by_i64 i8 by i64; i8_by_usize i8 by usize;
    u16_by_u8 u16 by u8; u16_by_u64 u16 by u64; u16_by_i128 u16 by i128; i16_by_u32 i16 by u32; i16_by_i64 i16 by i64;
    u32_by_u8 u32 by u8; u32_by_u16 u32 by u16; u32_by_u32 u32 by u32; u32_by_u64 u32 by u64; u32_by_u128 u32 by u128;
    i32_by_i32 i32 by i32; i32_by_i64 i32 by i64; i32_by_isize i32 by isize; i32_by_i128 i32 by i128;
    u64_by_u8 u64 by u8; u64_by_u32 u64 by u32; u64_by_u64 u64 by u64; u64_by_u128 u64 by u128; i64_by_i16 i64 by i16; i64_by_i64 i64 by i64;
    i64_by_u64 i64 by u64; usize_by_usize usize by usize; isize_by_i128 isize by i128;
    u128_by_u8 u128 by u8; u128_by_u32 u128 by u32; u128_by_u64 u128 by u64; u128_by_u128 u128 by u128; i128_by_i64 i128 by i64;
    i128_by_i128 i128 by i128;
}

traps! {}
