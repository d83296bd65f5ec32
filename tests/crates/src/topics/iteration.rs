//! Iterators and sums of types: itertools and either.

use either::Either;
use itertools::{Itertools, MinMaxResult, Position, izip};
use meaning::case::{cases, traps};

fn numbers(up: bool, n: u32) -> impl Iterator<Item = u32> {
    if up { Either::Left(0..n) } else { Either::Right((0..n).rev().step_by(2)) }
}

fn digits(numbers: impl Iterator<Item = u32>) -> u64 {
    numbers.fold(7, |sum, number| sum.wrapping_mul(31).wrapping_add(number as u64))
}

cases! {
    fn interleaved(a: [u32; 3], b: [u32; 5]) -> (u64, u64, u64) {
        let both = || a.into_iter().interleave(b);
        (digits(both()), digits(a.into_iter().interleave_shortest(b)), digits(Itertools::intersperse(both(), 9)))
    }

    fn windows(a: [u32; 6]) -> (u32, u64, usize) {
        let rising = a.iter().tuple_windows().filter(|(a, b, c)| a < b && b < c).count();
        (a.iter().tuple_windows().map(|(a, b)| a.abs_diff(*b) % 100).sum(), digits(a.into_iter().tuples().map(|(a, b)| a ^ b)), rising)
    }

    fn extremes(a: [i32; 5]) -> (Option<(i32, i32)>, Option<usize>, bool) {
        let (low, high) = match a.iter().minmax() {
            MinMaxResult::NoElements => return (None, None, false),
            MinMaxResult::OneElement(&only) => (only, only),
            MinMaxResult::MinMax(&low, &high) => (low, high),
        };
        (Some((low, high)), a.iter().position_max(), a.iter().all_equal())
    }

    fn zipped(a: [u32; 4], b: [u32; 4], c: [u32; 3]) -> (u64, u64, usize) {
        let sums = a.iter().zip_eq(&b).map(|(a, b)| a.wrapping_add(*b));
        let three = izip!(&a, &b, &c).map(|(a, b, c)| a ^ b ^ c);
        (digits(sums), digits(three), a.iter().zip_longest(&c).filter(|pair| pair.has_right()).count())
    }

    fn merged(a: [u32; 4], b: [u32; 4]) -> (u64, u64) {
        let (mut a, mut b) = (a, b);
        a.sort_unstable();
        b.sort_unstable();
        let unique = a.into_iter().merge(b).dedup();
        (digits(unique), digits(a.iter().copied().merge_by(b, |a, b| a >= b)))
    }

    fn products(a: [u32; 3], n: u8) -> (u64, usize) {
        let pairs = a.into_iter().cartesian_product(0..n as u32 % 4).map(|(a, b)| a.wrapping_mul(b));
        (digits(pairs), a.iter().enumerate().filter(|(at, _)| at % 2 == 1).count())
    }

    fn batches(a: [u32; 7]) -> (u64, u64) {
        let pairs = a.iter().batching(|rest| Some(rest.next()?.wrapping_sub(*rest.next()?)));
        let grouped = a.iter().copied().coalesce(|a, b| if a % 2 == b % 2 { Ok(a.wrapping_add(b)) } else { Err((a, b)) });
        (digits(pairs), digits(grouped))
    }

    fn folded_early(a: [u8; 6]) -> (Result<u8, u32>, Option<u8>, bool) {
        let mut sum = a.iter().map(|&value| if value == 255 { Err(value as u32) } else { Ok(value) });
        let sum = sum.fold_ok(0u8, u8::wrapping_add);
        (sum, a.iter().copied().map(|value| value.checked_mul(2)).fold_options(0, u8::max), a.iter().tuple_windows().all(|(a, b)| a <= b))
    }

    fn positions(a: [u32; 5], limit: u32) -> (u64, Option<usize>, Option<u32>) {
        let marked = a.iter().with_position().map(|(position, value)| match position {
            Position { is_first: true, .. } => value ^ 1,
            Position { is_last: true, .. } => value ^ 2,
            _ => *value,
        });
        (digits(marked), a.iter().find_position(|value| **value > limit).map(|(at, _)| at), a.iter().copied().exactly_one().ok())
    }

    fn trees(a: [u32; 6], n: u8) -> (Option<u32>, Option<u64>, u64) {
        let floats = a.iter().map(|value| *value as u64).tree_reduce(|a, b| a * 3 + b);
        (a.into_iter().tree_reduce(u32::wrapping_add), floats, digits(itertools::iterate(n as u32, |n| n.wrapping_mul(5) ^ 3).take(4)))
    }

    fn either_way(up: bool, n: u8) -> (u64, u32) {
        let value: Either<u8, u32> = if up { Either::Left(n) } else { Either::Right(n as u32 * 3) };
        (digits(numbers(up, n as u32 % 9)), value.map_left(u32::from).either(|left| left + 1, |right| right * 2))
    }

    fn either_read(up: bool, bytes: [u8; 4]) -> (usize, u8) {
        let mut value: Either<[u8; 4], [u8; 2]> = if up { Either::Left(bytes) } else { Either::Right([bytes[3], 1]) };
        either::for_both!(value.as_mut(), bytes => bytes[0] ^= 3);
        (either::for_both!(&value, bytes => bytes.len()), either::for_both!(value, bytes => bytes[0]))
    }
}

traps! {
    fn unequal(n: u32) -> u32 { (0..n).zip_eq([1, 2, 3]).map(|(a, b)| a * b).sum() } [(3,), (4,)]
}
