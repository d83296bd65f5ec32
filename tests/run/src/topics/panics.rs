//! Every kind of panic, each with an input that does not panic.

use meaning::{cases, traps};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Id(u32);

cases! {}

traps! {
    fn assert_with_text(a: u32) -> u32 {
        assert!(a < 5, "{a} is not less than {}", 5);
        a
    } [(4,), (5,)]

    fn assert_equal_structs(a: u32, b: u32) -> u32 {
        assert_eq!(Id(a), Id(b), "ids of {a} and {b}");
        a
    } [(4, 4), (4, 5)]

    fn assert_unequal(a: u32, b: u32) -> u32 {
        assert_ne!(a, b);
        a ^ b
    } [(4, 5), (4, 4)]

    fn assert_matching(a: u32) -> u32 {
        assert!(matches!(a, 1..=5 | 97));
        a
    } [(5,), (97,), (6,)]

    fn assert_in_debug(a: u32) -> u32 {
        debug_assert!(a < 5, "too much");
        debug_assert_eq!(a % 2, 0);
        a
    } [(4,), (3,), (6,)]

    fn explicit_with_values(a: u32) -> u32 {
        if a > 5 {
            panic!("{:?} and {a:#x}", Id(a));
        }
        a
    } [(5,), (6,)]

    fn explicit_in_a_callee(a: u32) -> u32 {
        #[inline(never)]
        fn fail(a: u32) -> ! {
            panic!("no {a}")
        }
        if a > 5 { fail(a) } else { a }
    } [(5,), (6,)]

    fn not_done_yet(a: u32) -> u32 {
        match a {
            0 => 1,
            1 => todo!(),
            2 => unimplemented!("two"),
            3 => unreachable!("three is {a}"),
            _ => 2,
        }
    } [(0,), (1,), (2,), (3,), (4,)]

    fn divide_narrow(a: u8, b: u8) -> u8 { a / b } [(7, 2), (7, 0)]

    fn divide_short(a: i16, b: i16) -> i16 { a / b } [(7, -2), (i16::MIN, -1), (1, 0)]

    fn remainder_narrow(a: i8, b: i8) -> i8 { a % b } [(7, -2), (i8::MIN, -1), (1, 0)]

    fn remainder_of_sizes(a: usize, b: usize) -> usize { a % b } [(7, 2), (7, 0)]

    fn index_a_struct_array(i: usize) -> u32 { [Id(1), Id(2)][i].0 } [(1,), (2,)]

    fn index_a_tuple_array(i: usize, j: usize) -> u16 { [([1u16, 2], 3u8), ([4, 5], 6)][i].0[j] } [(1, 1), (2, 0), (1, 2)]

    fn index_mutably(i: usize) -> [u64; 3] {
        let mut values = [1, 2, 3];
        values[i] += 1;
        values
    } [(2,), (3,), (usize::MAX,)]

    fn index_through_references(i: usize) -> u8 {
        let values = &&[1, 2, 3];
        values[i]
    } [(2,), (3,)]

    fn index_two_ways(i: usize, j: usize) -> u8 {
        let mut grid = [[1u8; 3]; 2];
        grid[i][j] = grid[j][i].wrapping_add(1);
        grid[i][j]
    } [(1, 1), (1, 2), (2, 1)]

    fn slice_an_array_mutably(from: usize, to: usize) -> [u8; 4] {
        let mut values = [1, 2, 3, 4];
        values[from..to].fill(9);
        values
    } [(1, 3), (3, 1), (2, 5)]

    fn split_mutably_too_far(at: usize) -> u8 {
        let mut values = [1, 2, 3];
        let (left, _) = values.split_at_mut(at);
        left.iter().fold(0, |sum, value| sum ^ value)
    } [(3,), (4,)]

    fn copy_another_length(length: usize) -> [u16; 3] {
        let mut values = [0; 3];
        values.copy_from_slice(&[1, 2, 3, 4][..length]);
        values
    } [(3,), (2,), (4,)]

    fn unwrap_nested(a: u32) -> u32 { Some(a.checked_sub(5)).flatten().filter(|value| *value != 3).unwrap() } [(5,), (4,), (8,)]

    fn expect_with_format(a: i64) -> u8 {
        u8::try_from(a).unwrap_or_else(|error| panic!("{a}: {error}"))
    } [(255,), (256,), (-1,)]

    fn unwrap_a_result_of_structs(a: u32) -> u32 {
        let value: Result<Id, Id> = if a < 5 { Ok(Id(a)) } else { Err(Id(a)) };
        value.unwrap().0
    } [(4,), (5,)]

    fn overflow_narrow(a: u8, b: u8) -> u8 { a * b - 1 } [(15, 17), (16, 16), (0, 5)]

    fn overflow_widths(a: i8, b: i16) -> i32 { (a - 1) as i32 + (b + 1) as i32 } [(0, 0), (i8::MIN, 0), (0, i16::MAX)]

    fn overflow_assigning(a: u32) -> u32 {
        let mut value = a;
        value += 1;
        value *= 2;
        value -= 2;
        value
    } [(5,), (u32::MAX,), (u32::MAX / 2,)]

    fn overflow_of_shifts(a: u8, by: u32) -> (u8, i8) { (a << by, (a as i8) >> by) } [(3, 7), (3, 8), (3, 40)]

    fn overflow_of_wide_shifts(a: i128, by: u8) -> i128 { a << by >> by } [(3, 127), (3, 128)]

    fn overflow_of_negation(a: i8) -> i16 { -a as i16 } [(-127,), (-128,)]

    fn overflow_in_a_sum(values: [i8; 3]) -> i8 { values.iter().copied().sum() } [([1, 2, 3],), ([100, 27, 1],)]

    fn overflow_in_a_product(values: [u16; 3]) -> u16 { values.iter().product() } [([1, 2, 3],), ([256, 256, 1],)]

    fn overflow_of_distance(a: usize, b: usize) -> usize { [1, 2, 3][a - b] } [(5, 3), (3, 5)]

    fn panics_while_others_live(a: u32) -> u32 {
        struct Guard<'a>(&'a std::cell::Cell<u32>);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        let count = std::cell::Cell::new(a);
        {
            let _guard = Guard(&count);
            assert!(a != 5, "five");
        }
        count.get()
    } [(4,), (5,)]

    fn one_of_many_returns(a: i32) -> i32 {
        let value = if a < 0 { return -1 } else { a };
        let Some(root) = value.checked_isqrt() else { unreachable!() };
        match root {
            0 => 7,
            1..=3 => root,
            4 => panic!(),
            _ => 100 / (root - 5),
        }
    } [(-3,), (0,), (9,), (16,), (25,), (36,)]
}
