//! Ranges: what they contain, forwards, backwards and stepped, as arguments, at the bounds of their types.

use std::ops::{Bound, ControlFlow, Range, RangeBounds, RangeFrom, RangeInclusive};

use meaning::{cases, traps};

fn mix<T: Into<u64>>(values: impl IntoIterator<Item = T>) -> u64 {
    values.into_iter().fold(17, |sum: u64, value| sum.wrapping_mul(31).wrapping_add(value.into()))
}

cases! {
    fn contained(a: i32, b: i32, c: i32) -> [bool; 6] {
        [(a..b).contains(&c), (a..=b).contains(&c), (..b).contains(&c), (..=b).contains(&c), (a..).contains(&c), (..).contains(&c)]
    }

    fn empty_ranges(a: u8, b: u8) -> ([bool; 3], [usize; 2]) {
        ([(a..b).is_empty(), (a..=b).is_empty(), (b..a).is_empty()], [(a..b).len(), (a..=b).size_hint().0])
    }

    fn inclusive_to_the_end(a: u8) -> (u64, u64, usize) {
        let rest = a..=u8::MAX;
        (mix(rest.clone()), mix(rest.clone().rev()), rest.count())
    }

    fn inclusive_exhausted(a: u8, b: u8) -> (Option<u8>, Option<u8>, bool, [u8; 2]) {
        let mut range = a..=b.min(a.saturating_add(3));
        let first = range.next();
        let last = range.next_back();
        range.by_ref().for_each(drop);
        (first, last, range.is_empty(), [*range.start(), *range.end()])
    }

    fn signed_ranges(a: i8, b: i8) -> (i32, i32, usize) {
        ((a..b).map(i32::from).sum(), (a..=b).rev().map(i32::from).fold(0, |sum, value| sum.wrapping_mul(3) ^ value), (a..b).len())
    }

    fn wide_ranges_stepped(a: u64, step: usize) -> (u64, Option<u64>, u64) {
        let step = step % (1 << 20) + 1;
        let some = (a..=u64::MAX).step_by(step).take(5);
        let last = some.take_while(|&value| value < u64::MAX / 2).last();
        (mix((a / 2..a).step_by(step).take(4)), last, mix((0..a % 100).rev().step_by(step)))
    }

    fn widest_ranges(a: u128, b: i128) -> (u128, i128, bool) {
        (
            (a..=u128::MAX).take_while(|&value| value != u128::MAX).take(3).fold(0, |sum: u128, value| sum.rotate_left(5) ^ value),
            (b..b.saturating_add(4)).rev().fold(0, |sum: i128, value| sum.rotate_left(5) ^ value), (a..=a).contains(&(b as u128)),
        )
    }

    fn nth_of_ranges(a: u32, b: u32, n: usize) -> (Option<u32>, Option<u32>, Option<u32>, (u32, u32)) {
        let mut range = a..b;
        let nth = range.nth(n);
        (nth, (a..=b).nth(n), (a..b).nth_back(n), (range.start, range.end))
    }

    fn searches_in_ranges(a: u32, wanted: u32) -> (Option<u32>, Option<usize>, Option<u32>, u32) {
        let range = a % 50..a % 50 + 40;
        (
            range.clone().find(|value| value * value > wanted), range.clone().position(|value| value == wanted % 90),
            range.clone().min_by_key(|value| value.abs_diff(wanted)), range.sum(),
        )
    }

    fn ranges_of_letters(a: char) -> (usize, Option<char>, bool) {
        ((a..='\u{e001}').take(5).count(), ('\u{d7fe}'..=a).nth(3), ('a'..'z').contains(&a))
    }

    fn ranges_as_values(a: usize, b: usize) -> (usize, usize, bool, usize) {
        let Range { start, end } = a..b;
        let inclusive = RangeInclusive::new(a, b);
        let from: RangeFrom<usize> = start / 2..;
        let (low, high) = inclusive.clone().into_inner();
        (start ^ end, from.start, inclusive == (low..=high), (0..b % 5).end)
    }

    fn ranges_as_arguments(a: u32, b: u32) -> [u32; 4] {
        fn width(range: impl RangeBounds<u32>) -> u32 {
            let low = match range.start_bound() {
                Bound::Included(&low) => low,
                Bound::Excluded(&low) => low.wrapping_add(1),
                Bound::Unbounded => 0,
            };
            let high = match range.end_bound() {
                Bound::Included(&high) => high.wrapping_add(1),
                Bound::Excluded(&high) => high,
                Bound::Unbounded => 7,
            };
            high.wrapping_sub(low)
        }
        [width(a..b), width(a..=b), width(..), width((Bound::Excluded(a), Bound::Unbounded))]
    }

    fn loops_over_ranges(a: u8, b: u8) -> (u32, u32, u32) {
        let (mut first, mut second, mut third) = (0u32, 0u32, 0u32);
        for i in a..b {
            first = first.wrapping_mul(3) ^ i as u32;
        }
        for i in (a..=b).rev() {
            second = second.wrapping_mul(3) ^ i as u32;
        }
        for (i, j) in (a..b).zip((a..=b).rev()).step_by(2) {
            third = third.wrapping_mul(5) ^ (i as u32 * j as u32);
        }
        (first, second, third)
    }

    fn tried_over_ranges(a: u32, limit: u32) -> (Result<u32, u32>, Option<u32>) {
        let sum = (1..).try_fold(a, |sum: u32, value| match sum.checked_add(value * 1000) {
            Some(sum) if sum < limit => ControlFlow::Continue(sum),
            _ => ControlFlow::Break(value),
        });
        let sum = match sum { ControlFlow::Continue(sum) => Ok(sum), ControlFlow::Break(value) => Err(value) };
        (sum, (0..a % 40).try_fold(1u32, |product, value| product.checked_mul(value % 7 + 1)))
    }

    fn nested_ranges(a: u8) -> (u32, u32) {
        let size = a as u32 % 9;
        let triples = (1..size).flat_map(|i| (i..size).flat_map(move |j| (j..size).map(move |k| (i, j, k))));
        (triples.clone().filter(|(i, j, k)| i + j > *k).count() as u32, triples.map(|(i, j, k)| i * j ^ k).sum())
    }

    fn equal_ranges(a: u8, b: u8) -> [bool; 3] {
        [(a..b) == (b..a), (a..=b) == (a..=b), (a..b).eq(a..b)]
    }
}

traps! {
    fn range_beyond_the_type(a: u8) -> u32 { (a..).take(3).map(u32::from).sum() } [(250,), (252,)]

    fn stepped_by_nothing(step: usize) -> usize { (0..10u8).step_by(step).count() } [(4,), (0,)]

    fn clamped_out_of_order(low: i8, high: i8) -> i8 { 5i8.clamp(low, high) } [(1, 9), (9, 1)]
}
