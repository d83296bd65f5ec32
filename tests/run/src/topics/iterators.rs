//! Iterators of `core`.

use crate::case::{cases, traps};

cases! {
    fn sums(values: [u32; 8]) -> (u32, u64, u32, usize) {
        (
            values.iter().fold(0, |sum: u32, value| sum.wrapping_add(*value)),
            values.iter().map(|&value| value as u64).sum(),
            values.iter().map(|value| value % 7 + 1).product(),
            values.iter().filter(|&&value| value > 50).count(),
        )
    }

    fn zipped(a: [u32; 6], b: [u16; 4]) -> (u64, usize) {
        let dot = a.iter().zip(&b).map(|(&a, &b)| a as u64 * b as u64).fold(0, u64::wrapping_add);
        (dot, a.iter().zip(b).count())
    }

    fn enumerated(values: [i32; 6], wanted: i32) -> (Option<usize>, i64) {
        let weighted = values.iter().enumerate().map(|(i, &value)| i as i64 * value as i64).sum();
        (values.iter().enumerate().rev().find(|(_, value)| **value == wanted).map(|(i, _)| i), weighted)
    }

    fn reversed(values: [u8; 6]) -> ([u8; 6], u32) {
        let mut reversed = [0; 6];
        for (to, from) in reversed.iter_mut().zip(values.iter().rev()) {
            *to = *from;
        }
        (reversed, values.iter().rev().skip(1).step_by(2).map(|&value| value as u32).sum())
    }

    fn chunks(values: [u32; 7], size: usize) -> (u32, usize, u32) {
        let size = size % 4 + 1;
        let mut alternating = 0u32;
        for (i, chunk) in values.chunks(size).enumerate() {
            let sum = chunk.iter().fold(0, |sum: u32, value| sum.wrapping_add(*value));
            alternating = if i % 2 == 0 { alternating.wrapping_add(sum) } else { alternating.wrapping_sub(sum) };
        }
        (alternating, values.chunks_exact(size).count(), values.chunks_exact(3).remainder()[0])
    }

    fn chunks_mut(values: [u32; 8]) -> [u32; 8] {
        let mut values = values;
        for chunk in values.chunks_mut(3) {
            chunk.reverse();
        }
        for pair in values.chunks_exact_mut(2) {
            pair[0] ^= pair[1];
        }
        values
    }

    fn windows(values: [i32; 6], size: usize) -> (bool, i32, usize) {
        let size = size % 6 + 1;
        let rising = values.windows(2).all(|pair| pair[0] <= pair[1]);
        (rising, values.windows(size).map(|window| window[size - 1] ^ window[0]).fold(0, |all, one| all ^ one), values.windows(size).len())
    }

    fn range_sums(a: u8, b: u8) -> (u32, u32, u64, usize) {
        let (a, b) = (a as u32 % 20, b as u32 % 20);
        ((a..b).sum(), (a..=b).map(|i| i * i).sum(), (a as u64..).take(3).product(), (a..b).len())
    }

    fn stepped(a: i32, step: usize) -> ([i32; 4], i32) {
        let a = a % 100;
        let mut found = [0; 4];
        for (to, from) in found.iter_mut().zip((a..a + 50).step_by(step % 9 + 1)) {
            *to = from;
        }
        (found, (a..=a + 20).rev().step_by(7).fold(0, |sum, i| sum * 3 + i))
    }

    fn cut_short(values: [u32; 8], limit: u32) -> (u32, u32, usize, usize) {
        let small = |value: &&u32| **value < limit;
        (
            values.iter().take_while(small).fold(0, |sum, value| sum ^ value),
            values.iter().skip_while(small).fold(0, |sum, value| sum ^ value),
            values.iter().take(3).chain(values.iter().skip(6)).count(),
            values.iter().map_while(|value| value.checked_sub(limit)).count(),
        )
    }

    fn extremes(values: [i32; 6]) -> (Option<i32>, Option<i32>, Option<usize>, i32) {
        let furthest = values.iter().enumerate().max_by_key(|(_, value)| value.unsigned_abs()).map(|(i, _)| i);
        let last = values.iter().copied().reduce(|a, b| a.wrapping_mul(3) ^ b).unwrap_or(0);
        (values.iter().copied().min(), values.iter().max().copied(), furthest, last)
    }

    fn any_and_all(values: [u8; 5], wanted: u8) -> ([bool; 3], Option<u8>, Option<usize>) {
        let mut iterator = values.iter();
        (
            [values.iter().any(|&value| value == wanted), values.iter().all(|&value| value < 200), iterator.by_ref().take(2).eq(&[1, 2])],
            iterator.next().copied(),
            values.iter().rposition(|&value| value == wanted),
        )
    }

    fn flattened(values: [[u8; 3]; 2]) -> (u32, usize, u32) {
        (
            values.iter().flatten().map(|&value| value as u32).sum(),
            values.iter().flat_map(|row| row.iter().filter(|value| **value > 5)).count(),
            values.concat_sum(),
        )
    }

    fn scanned(values: [u32; 6]) -> ([u32; 6], Option<u32>) {
        let mut sums = [0; 6];
        let running = values.iter().scan(0u32, |state, value| {
            *state = state.wrapping_add(*value);
            Some(*state)
        });
        for (to, from) in sums.iter_mut().zip(running) {
            *to = from;
        }
        (sums, values.iter().copied().filter_map(|value| value.checked_mul(1 << 20)).last())
    }

    fn peeked(values: [u8; 6]) -> (u32, u32) {
        let mut groups = 0;
        let mut iterator = values.iter().peekable();
        while let Some(value) = iterator.next() {
            groups += 1;
            while iterator.next_if_eq(&value).is_some() {}
        }
        (groups, values.iter().cycle().skip(4).take(10).map(|&value| value as u32).sum())
    }

    fn own_iterator(a: u32) -> (u32, u32) {
        struct Collatz(u32);
        impl Iterator for Collatz {
            type Item = u32;

            fn next(&mut self) -> Option<u32> {
                if self.0 <= 1 {
                    return None;
                }
                self.0 = if self.0 % 2 == 0 { self.0 / 2 } else { self.0 * 3 + 1 };
                Some(self.0)
            }
        }
        (Collatz(a % 1000).count() as u32, Collatz(a % 1000).max().unwrap_or(0))
    }

    fn generated(a: u32) -> (u32, u32, Option<u32>) {
        (
            std::iter::repeat_n(a % 100, 5).sum(),
            std::iter::successors(Some(a | 1), |value| value.checked_mul(10)).count() as u32,
            std::iter::once(a).chain(std::iter::empty()).nth(0),
        )
    }

    fn array_into_iter(values: [u32; 5]) -> (u32, usize) {
        let mut iterator = values.into_iter();
        let first = iterator.next().unwrap_or(0);
        let last = iterator.next_back().unwrap_or(0);
        (first ^ last ^ iterator.as_slice()[1], iterator.len())
    }

    fn compared_in_turn(a: [u8; 4], b: [u8; 4]) -> (std::cmp::Ordering, bool, bool) {
        (a.iter().cmp(&b), a.iter().eq(b.iter().rev()), a.iter().lt(&b))
    }
}

trait ConcatSum {
    fn concat_sum(&self) -> u32;
}

impl<const N: usize, const M: usize> ConcatSum for [[u8; N]; M] {
    fn concat_sum(&self) -> u32 {
        self.as_flattened().iter().map(|&value| value as u32).sum()
    }
}

traps! {
    fn no_chunks(size: usize) -> usize { [1, 2, 3].chunks(size).count() } [(2,), (0,)]

    fn no_steps(step: usize) -> u32 { (0..10).step_by(step).sum() } [(3,), (0,)]
}
