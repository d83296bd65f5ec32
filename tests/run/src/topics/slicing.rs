//! More functions of slices: split, searched, moved about, sorted, compared, in chunks from either end.

use meaning::{cases, traps};

fn mix<'a>(values: impl IntoIterator<Item = &'a u32>) -> u32 {
    values.into_iter().fold(17, |sum: u32, value| sum.wrapping_mul(31).wrapping_add(*value))
}

cases! {
    fn split_first_and_last(values: [u32; 5], length: usize) -> (Option<u32>, Option<u32>, u32) {
        let slice = &values[..length % 6];
        let (first, rest) = slice.split_first().map_or((None, slice), |(first, rest)| (Some(*first), rest));
        let (last, rest) = rest.split_last().map_or((None, rest), |(last, rest)| (Some(*last), rest));
        (first, last, mix(rest))
    }

    fn split_ends_changed(values: [u32; 5], length: usize) -> [u32; 5] {
        let mut values = values;
        if let Some((first, rest)) = values[..length % 6].split_first_mut() {
            if let Some((last, rest)) = rest.split_last_mut() {
                std::mem::swap(first, last);
                rest.fill(1);
            }
        }
        values
    }

    fn split_checked(values: [u32; 5], at: usize) -> Option<(u32, u32)> {
        values.split_at_checked(at).map(|(left, right)| (mix(left), mix(right)))
    }

    fn split_unchecked(values: [u32; 5], at: usize) -> (u32, u32) {
        // SAFETY: not beyond the end.
        let (left, right) = unsafe { values.split_at_unchecked(at % 6) };
        (mix(left), mix(right))
    }

    fn first_chunks(values: [u32; 5], length: usize) -> (Option<[u32; 2]>, Option<[u32; 3]>, Option<u32>) {
        let slice = &values[..length % 6];
        let split = slice.split_first_chunk::<4>();
        (slice.first_chunk().copied(), slice.last_chunk().copied(), split.map(|(start, rest)| start[3] ^ mix(rest)))
    }

    fn arrays_from_slices(values: [u8; 6], length: usize) -> (Option<[u8; 4]>, bool, Option<u32>) {
        let slice = &values[..length % 7];
        let whole: Result<&[u8; 6], _> = slice.try_into();
        (<[u8; 4]>::try_from(slice).ok(), whole.is_ok(), slice.get(1..5).map(|part| u32::from_be_bytes(part.try_into().unwrap())))
    }

    fn taken_from_the_front(values: [u32; 6], count: usize) -> (u32, Option<u32>, usize) {
        let mut rest = &values[..];
        let start = rest.split_off(..count % 8).map_or(1, mix);
        let last = rest.split_off_last().copied();
        (start, last, rest.len())
    }

    fn chunks_from_the_end(values: [u32; 7], size: usize) -> (u32, usize, u32) {
        let size = size % 4 + 1;
        let exact = values.rchunks_exact(size);
        (values.rchunks(size).fold(0, |sum, chunk| sum.rotate_left(5) ^ mix(chunk)), exact.len(), mix(exact.remainder()))
    }

    fn chunks_backwards(values: [u32; 7], size: usize) -> (u32, u32) {
        let size = size % 4 + 1;
        (
            values.chunks(size).rev().fold(0, |sum, chunk| sum.rotate_left(5) ^ mix(chunk)),
            values.chunks_exact(size).rev().fold(0, |sum, chunk| sum.rotate_left(5) ^ mix(chunk)),
        )
    }

    fn chunks_changed_from_the_end(values: [u32; 7], size: usize) -> [u32; 7] {
        let mut values = values;
        for (i, chunk) in values.rchunks_mut(size % 4 + 1).enumerate() {
            chunk[0] ^= i as u32;
            chunk.reverse();
        }
        values
    }

    fn runs(values: [u32; 8]) -> (usize, u32, u32) {
        let rising = values.chunk_by(|a, b| a <= b);
        (rising.clone().count(), rising.fold(0, |sum, run| sum * 3 + run.len() as u32), values.chunk_by(|a, b| a == b).rev().count() as u32)
    }

    fn split_by_value(values: [u8; 8], at: u8) -> (u32, usize, usize) {
        let parts = values.split(|&value| value == at);
        let lengths = parts.clone().fold(0, |sum, part| sum * 9 + part.len() as u32);
        (lengths, parts.rev().last().map_or(0, <[u8]>::len), values.splitn(2, |&value| value > at).count())
    }

    fn split_inclusive(values: [u8; 8], at: u8) -> (u32, u32, usize) {
        (
            values.split_inclusive(|&value| value < at).fold(0, |sum, part| sum * 9 + part.len() as u32),
            values.rsplit(|&value| value < at).fold(0, |sum, part| sum * 9 + part.len() as u32),
            values.rsplitn(3, |&value| value == at).last().map_or(0, <[u8]>::len),
        )
    }

    fn searched_by_function(values: [i32; 6], wanted: i32) -> (Result<usize, usize>, Result<usize, usize>, usize) {
        let sorted = [(-7, 1u8), (0, 2), (1, 3), (10, 4), (97, 5)];
        (
            sorted.binary_search_by(|pair| pair.0.cmp(&wanted)),
            sorted.binary_search_by_key(&values[0], |pair| pair.0),
            sorted.partition_point(|pair| pair.0 < values[1]),
        )
    }

    fn starts_and_ends(values: [u32; 5], other: [u32; 2], at: usize) -> ([bool; 4], Option<usize>) {
        let slice = &values[at % 6..];
        let kinds = [slice.starts_with(&other), slice.ends_with(&other), slice.starts_with(&[]), slice.contains(&7)];
        (kinds, slice.strip_prefix(&[0]).map(<[u32]>::len))
    }

    fn rotated(values: [u32; 7], by: usize) -> ([u32; 7], [u32; 7]) {
        let (mut left, mut right) = (values, values);
        left.rotate_left(by % 8);
        right[1..].rotate_right(by % 7);
        (left, right)
    }

    fn rotated_structs(values: [(u8, u32); 5], by: usize) -> [(u8, u32); 5] {
        let mut values = values;
        values.rotate_right(by % 6);
        values
    }

    fn filled_with(values: [u32; 6], at: usize, a: u32) -> ([u32; 6], [u32; 6]) {
        let (mut first, mut second, mut next) = (values, values, a);
        first[at % 7..].fill_with(|| {
            next = next.wrapping_mul(3).wrapping_add(1);
            next
        });
        second[..at % 7].fill(a);
        (first, second)
    }

    fn swapped_slices(values: [u32; 6], at: usize) -> ([u32; 6], [u32; 3]) {
        let (mut values, mut other) = (values, [1, 2, 3]);
        let at = at % 4;
        values[at..at + 3].swap_with_slice(&mut other);
        values.swap(at, 5);
        (values, other)
    }

    fn copied_within(values: [u32; 6], from: usize, to: usize) -> [u32; 6] {
        let mut values = values;
        values.copy_within(from % 4..from % 4 + 2, to % 5);
        values[..3].copy_from_slice(&[7, 8, 9]);
        values
    }

    fn cloned_from_a_slice(values: [u32; 4], at: usize) -> [Option<u32>; 4] {
        let values = values.map(|value| value.checked_sub(5));
        let mut copy = [Some(1); 4];
        let at = at % 5;
        copy[at..].clone_from_slice(&values[..4 - at]);
        copy
    }

    fn sorted_by_key(values: [i32; 6]) -> ([i32; 6], [i32; 6], [i32; 6]) {
        let (mut by_size, mut down, mut plain) = (values, values, values);
        by_size.sort_unstable_by_key(|value| (value.unsigned_abs(), *value < 0));
        down.sort_unstable_by(|a, b| b.cmp(a));
        plain[1..5].sort_unstable();
        (by_size, down, plain)
    }

    fn sorted_floats(values: [f64; 5]) -> (u64, bool) {
        let mut values = values.map(|value| if value.is_nan() { 0.5 } else { value });
        values.sort_unstable_by(f64::total_cmp);
        (values.iter().fold(0, |sum, value| sum.rotate_left(7) ^ value.to_bits()), values.is_sorted())
    }

    fn sorted_longer(a: u32) -> (u32, bool) {
        let mut state = a;
        let mut values: [u32; 40] = std::array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 20
        });
        values.sort_unstable();
        (mix(&values), values.is_sorted())
    }

    fn selected(values: [u32; 7], at: usize) -> (u32, bool) {
        let mut values = values;
        let (left, middle, right) = values.select_nth_unstable(at % 7);
        (*middle, left.iter().all(|value| value <= middle) && right.iter().all(|value| value >= middle))
    }

    fn elements_unchecked(values: [u32; 6], i: usize) -> (u32, u32, [u32; 6]) {
        let mut values = values;
        let i = i % 5;
        // SAFETY: in bounds.
        unsafe {
            let (one, part) = (*values.get_unchecked(i), mix(values.get_unchecked(i..i + 1)));
            *values.get_unchecked_mut(i + 1) ^= 1;
            (one, part, values)
        }
    }

    fn several_at_once(values: [u32; 5], i: usize, j: usize) -> (Option<(u32, u32)>, [u32; 5]) {
        let mut values = values;
        let found = values.get_disjoint_mut([i, j]).ok().map(|[first, second]| {
            std::mem::swap(first, second);
            (*first, *second)
        });
        (found, values)
    }

    fn joined_and_split_arrays(values: [[u32; 2]; 3], at: usize) -> (u32, usize, u32) {
        let flat = values.as_flattened();
        let (pairs, rest) = flat[at % 3..].as_chunks::<2>();
        (mix(flat), pairs.len(), mix(rest))
    }

    fn iterators_as_slices(values: [u32; 5], taken: usize) -> (u32, u32) {
        let mut rest = values.iter();
        rest.by_ref().take(taken % 6).for_each(drop);
        let mut copy = values;
        let mut changing = copy.iter_mut();
        if let Some(first) = changing.next_back() {
            *first = 3;
        }
        changing.into_slice().reverse();
        (mix(rest.as_slice()), mix(&copy))
    }

    fn slice_of_itself(values: [u32; 6], i: usize) -> (bool, usize, Option<usize>) {
        let part = &values[i % 6..];
        let range = part.as_ptr_range();
        (std::ptr::eq(part, &values[i % 6..]), values.as_ptr_range().contains(&range.start) as usize, values.element_offset(&part[0]))
    }

    fn one_element_slices(a: u32) -> (usize, u32) {
        let mut value = a;
        std::slice::from_mut(&mut value)[0] ^= 1;
        let (slice, array) = (std::slice::from_ref(&value), std::array::from_ref(&value));
        (slice.len() + array.len(), slice[0] & array[0])
    }

    fn arrays_by_each(values: [u32; 3]) -> (u32, u32) {
        let mut copy = values;
        let [first, _, last] = copy.each_mut();
        std::mem::swap(first, last);
        (values.each_ref().into_iter().fold(0, |sum, value| sum.rotate_left(1) ^ value), mix(&copy))
    }

    fn ranges_of_every_kind(values: [u32; 6], i: usize, j: usize) -> [Option<u32>; 6] {
        use std::ops::Bound;
        let some = |part: Option<&[u32]>| part.map(mix);
        [
            some(values.get(i..j)), some(values.get(i..=j)), some(values.get(..j)), some(values.get(..=j)), some(values.get(i..)),
            some(values.get((Bound::Excluded(i % 7), Bound::Included(j)))),
        ]
    }

    fn aligned_parts(values: [u8; 16], from: usize) -> (bool, usize) {
        let slice = &values[from % 9..];
        // SAFETY: any bytes are a number.
        let (start, middle, end) = unsafe { slice.align_to::<u32>() };
        (middle.as_ptr().is_aligned(), start.len() + middle.len() * 4 + end.len())
    }

    fn escapes_not_text(values: [u8; 6]) -> (u32, bool, [u8; 6]) {
        let mut upper = values;
        upper.make_ascii_uppercase();
        (values.trim_ascii().len() as u32, values.eq_ignore_ascii_case(&upper), upper)
    }
}

traps! {
    fn slice_out_of_order(from: usize, to: usize) -> u32 { mix(&[1, 2, 3][from..to]) } [(1, 2), (2, 1), (3, 3), (4, 4)]

    fn slice_to_the_last(from: usize, to: usize) -> u32 { mix(&[1, 2, 3][from..=to]) } [(1, 2), (1, 3), (3, 2), (0, usize::MAX)]

    fn slice_from(from: usize) -> u32 { mix(&[1, 2, 3][from..]) } [(3,), (4,)]

    fn swap_out_of_bounds(i: usize) -> [u8; 3] {
        let mut values = [1, 2, 3];
        values.swap(i, 0);
        values
    } [(2,), (3,)]

    fn clone_from_another_length(length: usize) -> [u8; 3] {
        let mut values = [1, 2, 3];
        values.clone_from_slice(&[4, 5, 6, 7][..length]);
        values
    } [(3,), (4,)]

    fn rotate_too_far(by: usize) -> [u8; 3] {
        let mut values = [1, 2, 3];
        values.rotate_left(by);
        values
    } [(3,), (4,)]

    fn copy_within_too_far(to: usize) -> [u8; 4] {
        let mut values = [1, 2, 3, 4];
        values.copy_within(..2, to);
        values
    } [(2,), (3,)]

    fn array_of_another_length(length: usize) -> [u8; 2] { [1u8, 2, 3][..length].try_into().unwrap() } [(2,), (3,)]

    fn select_too_far(at: usize) -> u8 { *[3u8, 1, 2].select_nth_unstable(at).1 } [(2,), (3,)]

    fn swap_with_another_length(length: usize) -> [u8; 3] {
        let mut values = [1, 2, 3];
        values.swap_with_slice(&mut [4, 5, 6, 7][..length]);
        values
    } [(3,), (2,)]
}
