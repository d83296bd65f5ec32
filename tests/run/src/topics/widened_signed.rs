//! Signed products and shifts that are widened: what is known not to overflow may become an instruction with a result of twice the width.

use std::hint::assert_unchecked;

use crate::case::{cases, traps};

macro_rules! signed {
    ($($shifts:ident $products:ident $sums:ident $top:ident $kind:ident as $wide:ident;)*) => {
        cases! {$(
            fn $shifts(x: $kind) -> [$wide; 7] {
                const BITS: u32 = <$kind>::BITS;
                let shifted = |by: u32| if (x << by) >> by == x { (x << by) as $wide } else { 3 };
                [shifted(0), shifted(1), shifted(BITS / 2), shifted(BITS - 2), shifted(BITS - 1), (x as $wide) << (BITS - 1), (x as $wide) << (BITS / 2)]
            }

            fn $products(x: $kind) -> [Option<$wide>; 9] {
                let times = |by: $kind| x.checked_mul(by).map($wide::from);
                [
                    times(-1), times(2), times(-2), times(3), times(<$kind>::MAX), times(<$kind>::MIN), times(<$kind>::MIN / 2), times(-<$kind>::MAX),
                    times(1 << (<$kind>::BITS - 2)),
                ]
            }

            fn $sums(x: $kind, y: $wide) -> [$wide; 4] {
                let product = |by: $kind| x.checked_mul(by).map_or(0, $wide::from);
                [
                    product(<$kind>::MIN).wrapping_add(y), product(-5).wrapping_add(y), (x as $wide).wrapping_mul(<$kind>::MIN as $wide).wrapping_add(y),
                    y.wrapping_sub(product(7)),
                ]
            }

            /// What is shifted into the sign bit.
            fn $top(x: $kind, y: $wide) -> [$wide; 5] {
                const TOP: u32 = <$kind>::BITS - 1;
                let bit = -(x & 1);
                // SAFETY: one bit, negated.
                unsafe { assert_unchecked(bit == 0 || bit == -1) };
                let flag = if x == 0 || x == -1 { (x << TOP) as $wide } else { 5 };
                [
                    flag, (bit << TOP) as $wide, ((bit << TOP) as $wide).wrapping_add(y), ((x & 1) << TOP) as $wide,
                    ((-((x > 3) as $kind)) << TOP) as $wide,
                ]
            }
        )*}
    };
}

signed! {
    shifts_of_i8 products_of_i8 sums_of_i8 top_of_i8 i8 as i16;
    shifts_of_i8_far products_of_i8_far sums_of_i8_far top_of_i8_far i8 as i64;
    shifts_of_i16 products_of_i16 sums_of_i16 top_of_i16 i16 as i32;
    shifts_of_i16_far products_of_i16_far sums_of_i16_far top_of_i16_far i16 as i64;
    shifts_of_i32 products_of_i32 sums_of_i32 top_of_i32 i32 as i64;
    shifts_of_i32_far products_of_i32_far sums_of_i32_far top_of_i32_far i32 as i128;
    shifts_of_i64 products_of_i64 sums_of_i64 top_of_i64 i64 as i128;
}

traps! {}
