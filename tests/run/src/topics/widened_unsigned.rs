//! Unsigned products and shifts that are widened, as `widened_signed` has signed ones.

use crate::case::{cases, traps};

macro_rules! unsigned {
    ($($shifts:ident $products:ident $sums:ident $kind:ident as $wide:ident;)*) => {
        cases! {$(
            fn $shifts(x: $kind) -> [$wide; 7] {
                const BITS: u32 = <$kind>::BITS;
                let shifted = |by: u32| if (x << by) >> by == x { (x << by) as $wide } else { 3 };
                [shifted(0), shifted(1), shifted(BITS / 2), shifted(BITS - 2), shifted(BITS - 1), ((x & 1) << (BITS - 1)) as $wide, (x as $wide) << (BITS - 1)]
            }

            fn $products(x: $kind) -> [Option<$wide>; 6] {
                let times = |by: $kind| x.checked_mul(by).map($wide::from);
                [times(2), times(3), times(<$kind>::MAX), times(<$kind>::MAX / 2 + 1), times(<$kind>::MAX / 3), times(1 << (<$kind>::BITS - 2))]
            }

            fn $sums(x: $kind, y: $wide) -> [$wide; 4] {
                let product = |by: $kind| x.checked_mul(by).map_or(0, $wide::from);
                [
                    product(<$kind>::MAX / 2 + 1).wrapping_add(y), product(5).wrapping_add(y),
                    (x as $wide).wrapping_mul((<$kind>::MAX / 2 + 1) as $wide).wrapping_add(y), y.wrapping_sub(product(7)),
                ]
            }
        )*}
    };
}

unsigned! {
    shifts_of_u8 products_of_u8 sums_of_u8 u8 as u16;
    shifts_of_u16 products_of_u16 sums_of_u16 u16 as u32;
    shifts_of_u16_far products_of_u16_far sums_of_u16_far u16 as u64;
    shifts_of_u32 products_of_u32 sums_of_u32 u32 as u64;
    shifts_of_u32_far products_of_u32_far sums_of_u32_far u32 as u128;
    shifts_of_u64 products_of_u64 sums_of_u64 u64 as u128;
}

traps! {}
