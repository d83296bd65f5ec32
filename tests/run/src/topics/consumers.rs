//! What consumes an iterator: folds, searches, comparisons, extremes, sums of own types, collecting into own types.

use std::{
    cmp::Ordering,
    iter::{FromIterator, Product, Sum},
    ops::ControlFlow,
};

use meaning::{cases, traps};

#[derive(Clone, Copy)]
struct Money(u32);

impl Sum for Money {
    fn sum<I: Iterator<Item = Money>>(all: I) -> Money {
        all.fold(Money(0), |sum, one| Money(sum.0.wrapping_add(one.0)))
    }
}

impl<'a> Sum<&'a Money> for Money {
    fn sum<I: Iterator<Item = &'a Money>>(all: I) -> Money {
        all.copied().sum()
    }
}

impl Product<u32> for Money {
    fn product<I: Iterator<Item = u32>>(all: I) -> Money {
        Money(all.fold(1, u32::wrapping_mul))
    }
}

/// At most four values, kept in place.
struct Few {
    values: [u32; 4],
    length: usize,
}

impl FromIterator<u32> for Few {
    fn from_iter<I: IntoIterator<Item = u32>>(all: I) -> Self {
        let mut few = Few { values: [0; 4], length: 0 };
        few.extend(all);
        few
    }
}

impl Extend<u32> for Few {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, all: I) {
        for value in all {
            if let Some(slot) = self.values.get_mut(self.length) {
                *slot = value;
                self.length += 1;
            }
        }
    }
}

impl IntoIterator for Few {
    type Item = u32;
    type IntoIter = std::iter::Take<std::array::IntoIter<u32, 4>>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter().take(self.length)
    }
}

impl<'a> IntoIterator for &'a Few {
    type Item = &'a u32;
    type IntoIter = std::slice::Iter<'a, u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.values[..self.length].iter()
    }
}

impl Default for Few {
    fn default() -> Self {
        Few { values: [7; 4], length: 0 }
    }
}

cases! {
    fn folds(values: [u32; 5]) -> (u32, u32, Option<u32>, Option<u32>) {
        let all = values.iter().copied();
        (
            all.clone().fold(1, |sum, value| sum ^ value.rotate_left(sum % 32)),
            all.clone().rfold(1, |sum, value| sum ^ value.rotate_left(sum % 32)),
            all.clone().reduce(|a, b| a.wrapping_mul(3).wrapping_sub(b)),
            all.take(0).reduce(|a, b| a ^ b),
        )
    }

    fn tried_folds(values: [u32; 4]) -> (Option<u32>, Result<u32, u32>, Option<u32>) {
        (
            values.iter().try_fold(0u32, |sum, &value| sum.checked_add(value)),
            values.iter().try_fold(1, |sum, &value| if value == 7 { Err(sum) } else { Ok(sum ^ value) }),
            values.iter().rev().try_fold(u32::MAX, |rest, &value| rest.checked_sub(value)),
        )
    }

    fn control_flow(values: [u32; 5], limit: u32) -> (u32, bool, Option<u32>) {
        let found = values.iter().try_for_each(|&value| if value > limit { ControlFlow::Break(value) } else { ControlFlow::Continue(()) });
        let broken = found.is_break();
        match found {
            ControlFlow::Break(value) => (value, broken, found.break_value()),
            ControlFlow::Continue(()) => (1, broken, None),
        }
    }

    fn for_each(values: [u32; 5]) -> (u32, u32) {
        let (mut first, mut second) = (0u32, 0u32);
        values.iter().for_each(|value| first = first.wrapping_mul(3) ^ value);
        values.iter().rev().enumerate().for_each(|(i, value)| second ^= value.rotate_left(i as u32));
        (first, second)
    }

    fn searches(values: [i32; 6], wanted: i32) -> (Option<i32>, Option<usize>, Option<usize>, Option<i32>) {
        (
            values.iter().copied().find(|value| *value > wanted),
            values.iter().position(|value| *value == wanted),
            values.iter().rposition(|value| *value <= wanted),
            values.iter().find_map(|value| value.checked_sub(wanted).filter(|less| *less < 0)),
        )
    }

    fn searches_backwards(values: [i32; 6], wanted: i32) -> (Option<i32>, Option<i32>, Option<i32>) {
        (
            values.iter().copied().rfind(|value| *value < wanted),
            values.iter().rev().copied().nth(2),
            values.iter().copied().nth_back(5),
        )
    }

    fn any_all(values: [u8; 5], wanted: u8) -> [bool; 4] {
        [
            values.iter().any(|&value| value == wanted), values.iter().all(|&value| value <= wanted), values[..0].iter().any(|_| true),
            values[..0].iter().all(|_| false),
        ]
    }

    fn extremes_by(values: [i32; 6]) -> [Option<i32>; 6] {
        let all = values.iter().copied();
        [
            all.clone().max(), all.clone().min(), all.clone().max_by_key(|value| value.unsigned_abs()),
            all.clone().min_by_key(|value| value % 10), all.clone().max_by(|a, b| (a & 0xff).cmp(&(b & 0xff))), all.min_by(|a, b| b.cmp(a)),
        ]
    }

    fn extremes_of_floats(values: [f32; 5]) -> (f32, f32, Option<usize>) {
        let all = values.iter().copied();
        let place = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i);
        (all.clone().fold(f32::INFINITY, f32::min), all.fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a }), place)
    }

    fn first_and_last_of_equals(values: [u8; 6]) -> (Option<usize>, Option<usize>) {
        let all = || values.iter().enumerate();
        (all().max_by_key(|pair| pair.1).map(|pair| pair.0), all().min_by_key(|pair| pair.1).map(|pair| pair.0))
    }

    fn sums_of_many_types(values: [u8; 4]) -> (u16, i64, u128, f32) {
        (
            values.iter().map(|&value| value as u16).sum(), values.iter().map(|&value| -(value as i64)).sum(),
            values.iter().map(|&value| value as u128 + 1).product(), values.iter().map(|&value| value as f32 / 4.0).sum(),
        )
    }

    fn sums_of_options(values: [u32; 4], limit: u32) -> (Option<u64>, Result<u64, u32>, Option<u64>) {
        (
            values.iter().map(|&value| value.checked_sub(limit).map(u64::from)).sum(),
            values.iter().map(|&value| if value < limit { Err(value) } else { Ok(value as u64) }).sum(),
            values.iter().map(|&value| (value != 3).then_some(value as u64 % 1000)).product(),
        )
    }

    fn sums_of_own_types(values: [u32; 4]) -> (u32, u32, u32) {
        let money = values.map(Money);
        let (owned, borrowed): (Money, Money) = (money.into_iter().sum(), money.iter().sum());
        (owned.0, borrowed.0, values.into_iter().product::<Money>().0)
    }

    fn counted(values: [u32; 6], limit: u32) -> (usize, Option<u32>, usize) {
        let some = values.iter().filter(|value| **value > limit);
        (some.clone().count(), some.clone().last().copied(), some.map(|value| value % 3).filter(|rest| *rest == 0).count())
    }

    fn comparisons_of_sequences(a: [u8; 4], b: [u8; 4], cut: usize) -> (Ordering, Option<Ordering>, [bool; 6]) {
        let (a, b) = (a.iter(), b[..cut % 5].iter());
        (
            a.clone().cmp(b.clone()),
            a.clone().partial_cmp(b.clone()),
            [
                a.clone().eq(b.clone()), a.clone().ne(b.clone()), a.clone().lt(b.clone()), a.clone().le(b.clone()), a.clone().gt(b.clone()),
                a.ge(b),
            ],
        )
    }

    fn sequences_of_floats(a: [f64; 3], b: [f64; 3]) -> (Option<Ordering>, bool, bool) {
        (a.iter().partial_cmp(&b), a.iter().lt(&b), a.iter().eq(a.iter()))
    }

    fn sorted_or_not(values: [i32; 4]) -> [bool; 3] {
        [
            values.iter().is_sorted(), values.iter().is_sorted_by_key(|value| value.unsigned_abs()),
            values.iter().is_sorted_by(|a, b| a > b),
        ]
    }

    fn collected_in_place(values: [u32; 6], limit: u32) -> ([u32; 4], usize, u32) {
        let few: Few = values.into_iter().filter(|value| *value > limit).collect();
        (few.values, few.length, few.into_iter().fold(0, |sum, value| sum.rotate_left(1) ^ value))
    }

    fn collected_through_results(values: [u32; 4]) -> (Option<u32>, Result<usize, u32>) {
        let some: Option<Few> = values.iter().map(|value| value.checked_mul(2)).collect();
        let all: Result<Few, u32> = values.iter().map(|&value| if value % 7 == 6 { Err(value) } else { Ok(value) }).collect();
        (some.map(|few| few.into_iter().fold(1, |sum, value| sum ^ value)), all.map(|few| few.length))
    }

    fn partitioned(values: [u32; 5]) -> (usize, usize, u32) {
        let (even, odd): (Few, Few) = values.into_iter().partition(|value| value % 2 == 0);
        (even.length, odd.length, even.into_iter().chain(odd).fold(0, |sum, value| sum.wrapping_mul(5) ^ value))
    }

    fn unzipped(values: [(u32, u32); 3]) -> ([u32; 4], [u32; 4]) {
        let (mut left, mut right): (Few, Few) = values.into_iter().unzip();
        left.extend([9]);
        right.extend(&mut [1].into_iter());
        (left.values, right.values)
    }

    fn borrowed_loops(values: [u32; 4], length: usize) -> u32 {
        let few: Few = values.into_iter().take(length % 5).collect();
        let mut sum = 0u32;
        for value in &few {
            sum = sum.wrapping_add(*value);
        }
        for value in few {
            sum ^= value;
        }
        sum
    }

    fn advanced(values: [u32; 6], by: usize) -> (Option<u32>, usize, Option<u32>) {
        let mut rest = values.iter();
        let found = rest.nth(by % 8).copied();
        (found, rest.len(), rest.next_back().copied())
    }

    fn chunked_by_arrays(values: [u32; 7]) -> (u32, usize) {
        let (chunks, rest) = values.as_chunks::<3>();
        (chunks.iter().map(|[a, b, c]| a ^ b ^ c).fold(0, |sum, one| sum.rotate_left(3) ^ one), rest.len())
    }
}

traps! {
    fn sum_of_nothing(values: [u32; 3]) -> u32 { values.into_iter().filter(|value| *value > 5).reduce(|a, b| a ^ b).unwrap() }
    [([1, 2, 6],), ([1, 2, 3],)]
}
