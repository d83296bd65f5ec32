//! Plain operators at their bounds: they wrap in release, and trap where the profile asks for overflow checks.

use crate::case::{cases, traps};

cases! {}

traps! {
    fn add(a: u8, b: u8) -> u8 { a + b } [(200, 55), (200, 56)]

    fn add_signed(a: i32, b: i32) -> i32 { a + b } [(i32::MAX, 0), (i32::MAX, 1), (i32::MIN, -1)]

    fn add_wide(a: u128, b: u128) -> u128 { a + b } [(u128::MAX, 0), (u128::MAX, 1)]

    fn sub(a: usize, b: usize) -> usize { a - b } [(1, 1), (0, 1)]

    fn sub_signed(a: i64, b: i64) -> i64 { a - b } [(i64::MIN, 0), (i64::MIN, 1)]

    fn mul(a: i16, b: i16) -> i16 { a * b } [(181, 181), (182, 182), (i16::MIN, -1)]

    fn mul_wide(a: i128, b: i128) -> i128 { a * b } [(i128::MAX, 1), (i128::MAX, 2), (i128::MIN, -1)]

    fn negate(a: i32) -> i32 { -a } [(5,), (i32::MIN,)]

    fn shift_left(a: u32, by: u32) -> u32 { a << by } [(1, 31), (1, 32), (3, 33), (1, u32::MAX)]

    fn shift_right(a: i64, by: i32) -> i64 { a >> by } [(-9, 63), (-9, 64), (-9, -1)]

    fn shift_by_wide(a: u8, by: i128) -> u8 { a << by } [(3, 7), (3, 8), (3, 256), (3, 1 << 64), (3, i128::MIN)]

    fn shift_wide(a: u128, by: u8) -> u128 { a >> by } [(u128::MAX, 127), (u128::MAX, 128), (u128::MAX, 255)]

    fn shift_by_narrow(a: u64, by: i8) -> u64 { a << by } [(1, 63), (1, 64), (1, -128)]

    fn shift_narrow(a: i8, by: usize) -> i8 { a >> by } [(-128, 7), (-128, 8), (-128, usize::MAX)]

    fn count_up(from: u8, times: u32) -> u8 {
        let mut value = from;
        for _ in 0..times {
            value += 1;
        }
        value
    } [(250, 5), (250, 6)]

    fn power(base: i32, exponent: u32) -> i32 { base.pow(exponent) } [(2, 30), (2, 31), (-2, 31)]

    fn sum(values: [u8; 4]) -> u8 { values.iter().sum() } [([1, 2, 3, 4],), ([100, 100, 50, 6],)]

    fn absolute(a: i32) -> i32 { a.abs() } [(-5,), (i32::MIN,)]
}
