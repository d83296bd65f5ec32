//! Arrays of a few numbers, read and written at indices that are known when the kernel runs.

use crate::case::{cases, traps};

macro_rules! arrays {
    ($($read:ident $written:ident $shifted:ident $pairs:ident $nested:ident $kind:ident;)*) => {
        cases! {$(
            fn $read(a: $kind, b: $kind, c: $kind, at: usize) -> [$kind; 5] {
                [
                    [a, b][at % 2], [a, b, c][at % 3], [c, b, a, b, c][at % 5], [a, b, c, a, b, c, a, b][at % 8],
                    *[a, b, c, c, b, a, a, b, c, c, b, a, b, b, a, c].get(at % 17).unwrap_or(&a),
                ]
            }

            fn $written(values: [$kind; 16], a: $kind, to: usize, from: usize) -> [$kind; 7] {
                let (mut five, mut all) = ([a, values[0], values[1], values[2], values[3]], values);
                five[to % 5] = five[from % 5];
                five[to.wrapping_add(from) % 5] = a;
                all.swap(to % 16, from % 16);
                for (number, value) in five.iter().enumerate() {
                    all[(to ^ number) % 16] = *value;
                }
                [five[to % 5], five[from % 5], five[to.wrapping_add(1) % 5], all[to % 16], all[from % 16], all[15 - to % 16], all[to.wrapping_add(from) % 16]]
            }

            fn $shifted(values: [$kind; 6], from: usize) -> [$kind; 3] {
                let from = from % 4;
                let mut all = values;
                all[from + 1] = all[from + 2];
                [all[from], all[from + 1], all[5 - from]]
            }

            fn $pairs(values: [$kind; 8], at: usize) -> ([$kind; 2], [u8; 2]) {
                let mut pairs = [(values[0], 1u8), (values[1], 2), (values[2], 3), (values[3], 4), (values[4], 5)];
                let (at, other) = (at % 5, (at / 5) % 5);
                pairs[at].1 += 7;
                pairs[other].0 = values[7];
                ([pairs[at].0, pairs[other].0], [pairs[at].1, pairs[other].1])
            }

            fn $nested(values: [$kind; 8], row: usize, column: usize) -> [$kind; 3] {
                let mut rows = [[values[0], values[1]], [values[2], values[3]], [values[4], values[5]]];
                rows[row % 3][column % 2] = values[6];
                let chosen = rows[row.wrapping_add(1) % 3];
                [rows[row % 3][1 - column % 2], chosen[column % 2], rows[column % 3][0]]
            }
        )*}
    };
}

arrays! {
    read_u8 written_u8 shifted_u8 pairs_u8 nested_u8 u8;
    read_i16 written_i16 shifted_i16 pairs_i16 nested_i16 i16;
    read_u32 written_u32 shifted_u32 pairs_u32 nested_u32 u32;
    read_i64 written_i64 shifted_i64 pairs_i64 nested_i64 i64;
    read_f32 written_f32 shifted_f32 pairs_f32 nested_f32 f32;
    read_f64 written_f64 shifted_f64 pairs_f64 nested_f64 f64;
    read_u128 written_u128 shifted_u128 pairs_u128 nested_u128 u128;
}

traps! {}
