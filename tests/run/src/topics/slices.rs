//! Slices: bounds, parts, changes in place, the functions of `core`.

use crate::case::{cases, traps};

#[inline(never)]
fn sum(values: &[u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..values.len() {
        sum = sum.wrapping_add(values[i]);
    }
    sum
}

#[inline(never)]
fn rotate(values: &mut [u32]) {
    if let Some((last, rest)) = values.split_last_mut() {
        for value in rest {
            std::mem::swap(value, last);
        }
    }
}

cases! {
    fn parts(values: [u32; 8], from: usize, to: usize) -> [u32; 6] {
        let (from, to) = (from % 9, to % 9);
        let (low, high) = (from.min(to), from.max(to));
        [
            sum(&values[low..high]), sum(&values[low..]), sum(&values[..high]), sum(&values[..]), sum(&values[1..7][1..]),
            values.get(low..=high).map_or(99, |part| part.len() as u32),
        ]
    }

    fn get(values: [u32; 8], i: usize) -> (Option<u32>, Option<u32>, usize, bool) {
        let slice = &values[..5];
        (slice.get(i).copied(), slice.get(i..).and_then(|rest| rest.last()).copied(), slice.len(), slice[5..].is_empty())
    }

    fn get_mut(values: [u32; 8], i: usize) -> [u32; 8] {
        let mut values = values;
        if let Some(value) = values.get_mut(i) {
            *value ^= 1;
        }
        values[3..][..2][1] = 5;
        rotate(&mut values[2..6]);
        values
    }

    fn ends(values: [u16; 4], length: usize) -> (Option<u16>, Option<u16>, Option<u16>, usize) {
        let slice = &values[..length % 5];
        let after_first = slice.split_first().map(|(first, rest)| first.wrapping_add(rest.len() as u16));
        (slice.first().copied(), slice.last().copied(), after_first, slice.iter().count())
    }

    fn split(values: [u32; 8], at: usize) -> ([u32; 8], u32) {
        let mut values = values;
        let (left, right) = values.split_at_mut(at % 9);
        for (a, b) in left.iter_mut().zip(right.iter_mut()) {
            std::mem::swap(a, b);
        }
        let right = right.len() as u32;
        (values, right)
    }

    fn fill_and_copy(values: [u32; 8], value: u32, at: usize) -> ([u32; 8], [u32; 8]) {
        let (mut filled, mut copied) = (values, [0; 8]);
        filled[at % 9..].fill(value);
        copied[..3].copy_from_slice(&values[5..]);
        copied.copy_within(0..4, at % 5);
        (filled, copied)
    }

    fn reverse(values: [u8; 7], at: usize) -> ([u8; 7], [u8; 7]) {
        let (mut reversed, mut rotated) = (values, values);
        reversed[at % 8..].reverse();
        rotated.rotate_left(at % 8);
        (reversed, rotated)
    }

    fn search(values: [i32; 8], wanted: i32) -> (Option<usize>, Result<usize, usize>, bool, usize) {
        let sorted = [-100, -5, 0, 1, 2, 7, 10, 100];
        (
            values.iter().position(|&value| value == wanted),
            sorted.binary_search(&wanted),
            values.contains(&wanted),
            sorted.partition_point(|&value| value < wanted),
        )
    }

    fn sorted(values: [i32; 8]) -> ([i32; 8], [i32; 8], bool) {
        let (mut bubbled, mut sorted) = (values, values);
        for end in (1..bubbled.len()).rev() {
            for i in 0..end {
                if bubbled[i] > bubbled[i + 1] {
                    bubbled.swap(i, i + 1);
                }
            }
        }
        sorted.sort_unstable();
        (bubbled, sorted, sorted.is_sorted())
    }

    fn bytes(values: [u8; 8]) -> (u32, u64, usize, bool) {
        let (low, high) = values.split_at(4);
        let number = u32::from_le_bytes(low.try_into().unwrap());
        let end = values.iter().take_while(|byte| byte.is_ascii()).count();
        (number, u64::from_be_bytes(values), end, high.iter().all(u8::is_ascii))
    }

    fn of_slices(values: [u32; 6], i: usize) -> (u32, usize) {
        let rows: [&[u32]; 3] = [&values[..1], &values[1..3], &values[3..]];
        let row = rows[i % 3];
        (sum(row), rows.iter().map(|row| row.len()).max().unwrap_or(0))
    }

    fn of_pairs(values: [(u8, u32); 3], i: usize) -> (u8, u32, u32) {
        let slice = &values[i % 3..];
        let mut total = 0u32;
        for &(small, large) in slice {
            total = total.wrapping_add(large).wrapping_add(small as u32);
        }
        (slice[0].0, slice[0].1, total)
    }

    fn raw_parts(values: [u32; 8], i: usize) -> (u32, u32) {
        let i = i % 7;
        // SAFETY: in bounds, and two numbers are a pair of them.
        let (rest, pairs) = unsafe {
            (
                std::slice::from_raw_parts(values.as_ptr().add(i), 8 - i),
                std::slice::from_raw_parts(values.as_ptr().cast::<[u32; 2]>(), 4),
            )
        };
        (sum(rest), pairs[i % 4][1])
    }

    fn of_nothing(length: usize) -> (usize, bool) {
        let units = [(); 9];
        let slice = &units[..length % 10];
        (slice.iter().count(), slice.get(4).is_some())
    }
}

traps! {
    fn index(values: [u32; 4], length: usize, i: usize) -> u32 { values[..length][i] }
    [([1, 2, 3, 4], 3, 2), ([1, 2, 3, 4], 3, 3), ([1, 2, 3, 4], 5, 0), ([1, 2, 3, 4], 0, 0)]

    fn range(values: [u32; 4], from: usize, to: usize) -> u32 { values[from..to].iter().sum() }
    [([1, 2, 3, 4], 1, 3), ([1, 2, 3, 4], 4, 4), ([1, 2, 3, 4], 3, 2), ([1, 2, 3, 4], 2, 5), ([1, 2, 3, 4], usize::MAX, usize::MAX)]

    fn copy_of_another_length(length: usize) -> [u8; 4] {
        let mut values = [1, 2, 3, 4];
        values[..length].copy_from_slice(&[7, 8]);
        values
    } [(2,), (3,)]

    fn split_too_far(at: usize) -> usize { [1, 2, 3].split_at(at).1.len() } [(3,), (4,)]
}
