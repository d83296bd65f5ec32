//! Iterators that change others: every adapter, forwards and backwards, what is left of them, and what they know of their length.

use std::iter;

use meaning::{cases, traps};

/// Tells the order and the values of what comes out.
fn mix(values: impl IntoIterator<Item = u32>) -> u32 {
    values.into_iter().fold(17, |sum: u32, value| sum.wrapping_mul(31).wrapping_add(value))
}

cases! {
    fn map_and_rev(values: [u32; 5]) -> (u32, u32, usize) {
        let doubled = values.iter().map(|value| value.wrapping_mul(2));
        (mix(doubled.clone()), mix(doubled.clone().rev()), doubled.len())
    }

    fn filtered_backwards(values: [u32; 6]) -> (u32, u32, Option<usize>) {
        let odd = values.iter().copied().filter(|value| value % 2 == 1);
        (mix(odd.clone()), mix(odd.clone().rev()), odd.size_hint().1)
    }

    fn filter_mapped(values: [u32; 6]) -> (u32, u32, Option<u8>) {
        let small = values.iter().filter_map(|&value| u8::try_from(value).ok());
        (mix(small.clone().map(u32::from)), mix(small.clone().rev().map(u32::from)), small.clone().next_back())
    }

    fn three_zipped(a: [u32; 4], b: [u8; 5], c: [char; 3]) -> (u32, usize) {
        let all = a.iter().zip(&b).zip(&c);
        (mix(all.clone().map(|((&a, &b), &c)| a ^ b as u32 ^ c as u32)), all.len())
    }

    fn zipped_backwards(a: [u32; 4], b: [u32; 6]) -> (u32, Option<(u32, u32)>) {
        let all = a.into_iter().zip(b);
        (mix(iter::zip(a, b).map(|(a, b)| a.wrapping_sub(b))), all.last())
    }

    fn unzipped_into_arrays(values: [(u8, u32); 4]) -> ([u8; 4], [u32; 4]) {
        let (mut small, mut large) = ([0; 4], [0; 4]);
        for (((from_small, from_large), to_small), to_large) in values.into_iter().zip(&mut small).zip(&mut large) {
            (*to_small, *to_large) = (from_small, from_large);
        }
        (small, large)
    }

    fn enumerated_backwards(values: [u32; 5]) -> (u32, Option<(usize, u32)>) {
        let all = values.iter().copied().enumerate();
        (mix(all.clone().rev().map(|(i, value)| value ^ i as u32)), all.skip(2).nth(1))
    }

    fn skipped_and_taken(values: [u32; 8], skip: usize, take: usize) -> (u32, u32, usize) {
        let part = values.iter().copied().skip(skip % 10).take(take % 10);
        (mix(part.clone()), mix(part.clone().rev()), part.len())
    }

    fn skipped_while(values: [u32; 6], limit: u32) -> (u32, u32) {
        let parts = values.iter().copied();
        (mix(parts.clone().skip_while(|&value| value < limit)), mix(parts.take_while(|&value| value != limit)))
    }

    fn mapped_while(values: [u32; 6], by: u32) -> (u32, usize) {
        let some = values.iter().map_while(|value| value.checked_add(by));
        (mix(some.clone()), some.count())
    }

    fn scanned_to_an_end(values: [u32; 6]) -> u32 {
        mix(values.iter().scan(1u32, |product, &value| {
            *product = product.checked_mul(value % 1000)?;
            Some(*product)
        }))
    }

    fn stepped_slices(values: [u32; 8], step: usize) -> (u32, u32, usize) {
        let some = values.iter().copied().step_by(step % 9 + 1);
        (mix(some.clone()), mix(some.clone().rev()), some.len())
    }

    fn chained(a: [u32; 3], b: [u32; 2], skip: usize) -> (u32, u32, Option<u32>) {
        let both = a.into_iter().chain(b);
        (mix(both.clone().skip(skip % 6)), mix(both.clone().rev()), both.clone().nth(3).or(both.last()))
    }

    fn chained_with_others(a: [u32; 3], one: u32, take: bool) -> (u32, usize) {
        let all = a.into_iter().chain(iter::once(one)).chain(take.then_some(5)).chain(iter::repeat_n(one, 2));
        (mix(all.clone()), all.size_hint().0)
    }

    fn cycled(values: [u32; 3], start: usize, count: usize) -> u32 {
        mix(values.iter().copied().cycle().skip(start % 8).take(count % 12))
    }

    fn flat_mapped(values: [u8; 4]) -> (u32, u32) {
        let all = values.iter().flat_map(|&value| 0..value as u32 % 4);
        (mix(all.clone()), mix(all.rev()))
    }

    fn flattened_options(values: [u32; 5], by: u32) -> (u32, u32) {
        let all = values.map(|value| value.checked_sub(by));
        (mix(all.iter().flatten().copied()), mix(all.into_iter().rev().flatten()))
    }

    fn flattened_arrays(values: [[u32; 2]; 3], take: usize) -> (u32, u32) {
        (mix(values.into_iter().flatten().take(take % 7)), mix(values.iter().flatten().rev().copied()))
    }

    fn peekable_and_put_off(values: [u32; 6]) -> (u32, u32) {
        let (mut rest, mut sum) = (values.into_iter().peekable(), 0u32);
        while let Some(value) = rest.next() {
            if rest.peek().is_some_and(|next| *next < value) {
                sum = sum.wrapping_add(1);
            }
            if let Some(next) = rest.next_if(|next| next % 2 == 0) {
                sum = sum.wrapping_mul(3) ^ next;
            }
            if let Some(next) = rest.peek_mut() {
                *next ^= 1;
            }
        }
        (sum, mix(rest))
    }

    fn inspected(values: [u32; 5]) -> (u32, u32) {
        let mut seen = 0u32;
        let found = mix(values.iter().copied().inspect(|value| seen = seen.rotate_left(3) ^ value).filter(|value| value % 3 == 0));
        (found, seen)
    }

    fn fused(a: u32) -> (u32, Option<u32>) {
        struct Blinking(u32);
        impl Iterator for Blinking {
            type Item = u32;

            fn next(&mut self) -> Option<u32> {
                self.0 += 1;
                (self.0 % 4 != 0).then_some(self.0)
            }
        }
        let mut fused = Blinking(a % 4).fuse();
        let mut sum = 0;
        while let Some(value) = fused.next() {
            sum += value;
        }
        (sum, fused.next())
    }

    fn by_reference_twice(values: [u32; 6], first: usize) -> (u32, u32, usize) {
        let mut rest = values.iter().copied();
        let start = mix(rest.by_ref().take(first % 7));
        let middle = mix(rest.by_ref().skip(1).step_by(2).take(1));
        (start, middle, rest.len())
    }

    fn copied_and_cloned(values: [u32; 3], i: usize) -> (u32, Option<u32>) {
        let values = values.map(|value| value.checked_sub(5));
        (mix(values.iter().copied().flatten()), values.iter().cloned().nth(i % 4).flatten())
    }

    fn characters_backwards(i: usize) -> (u32, u32, usize) {
        let text = ["", "a", "größer", "😀x€"][i % 4];
        (mix(text.chars().rev().map(u32::from)), mix(text.char_indices().map(|(at, c)| at as u32 ^ c as u32)), text.bytes().rev().len())
    }

    fn windows_of_pairs(values: [u32; 6]) -> (u32, u32) {
        let rises = values.windows(2).filter(|pair| pair[0] < pair[1]).count() as u32;
        (rises, mix(values.array_windows().map(|[a, b, c]| a ^ b ^ c)))
    }

    fn successors(a: u32) -> (u32, usize) {
        let halves = iter::successors(Some(a), |&value| (value > 1).then_some(value / 2));
        (mix(halves.clone()), halves.count())
    }

    fn from_a_function(a: u32) -> (u32, u32) {
        let mut state = a;
        let random = iter::from_fn(move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state % 11 != 0).then_some(state)
        });
        (mix(random.take(5)), mix(iter::repeat_with(|| a ^ 1).take(2)))
    }

    fn repeated_and_once(a: u32, count: usize) -> (u32, u32, usize) {
        (mix(iter::repeat(a).take(count % 5)), mix(iter::once_with(|| a / 2)), iter::empty::<u32>().count())
    }

    fn own_adapter(values: [u32; 6]) -> (u32, u32) {
        struct Pairs<I>(I);
        impl<I: Iterator<Item = u32>> Iterator for Pairs<I> {
            type Item = (u32, u32);

            fn next(&mut self) -> Option<(u32, u32)> {
                Some((self.0.next()?, self.0.next()?))
            }
        }
        trait InPairs: Iterator<Item = u32> + Sized {
            fn in_pairs(self) -> Pairs<Self> {
                Pairs(self)
            }
        }
        impl<I: Iterator<Item = u32>> InPairs for I {}
        let pairs = values.into_iter().filter(|value| *value != 7).in_pairs();
        (mix(pairs.map(|(a, b)| a.wrapping_mul(3) ^ b)), values.into_iter().in_pairs().map(|(a, b)| a.max(b)).min().unwrap_or(1))
    }

    fn own_exact_and_double_ended(a: u8) -> (u32, u32, usize) {
        #[derive(Clone)]
        struct Countdown {
            from: u32,
            to: u32,
        }
        impl Iterator for Countdown {
            type Item = u32;

            fn next(&mut self) -> Option<u32> {
                (self.from > self.to).then(|| {
                    self.from -= 1;
                    self.from
                })
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                let length = (self.from - self.to) as usize;
                (length, Some(length))
            }
        }
        impl DoubleEndedIterator for Countdown {
            fn next_back(&mut self) -> Option<u32> {
                (self.from > self.to).then(|| {
                    self.to += 1;
                    self.to - 1
                })
            }
        }
        impl ExactSizeIterator for Countdown {}
        let all = Countdown { from: a as u32 % 9, to: 0 };
        (mix(all.clone()), mix(all.clone().rev().skip(1)), all.len())
    }

    fn long_chain(values: [u8; 8], by: u8) -> u32 {
        let found = values
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(i, _)| i % 3 != 0)
            .map(|(i, &value)| (i as u32, value.wrapping_mul(by)))
            .scan(0u32, |state, (i, value)| {
                *state = state.wrapping_add(value as u32 * i);
                Some(*state)
            })
            .step_by(2)
            .zip((0..).step_by(7))
            .flat_map(|(a, b)| [a, b]);
        mix(found)
    }
}


traps! {
    fn step_of_nothing(step: usize) -> u32 { mix([1, 2, 3].into_iter().step_by(step)) } [(1,), (0,)]

    fn windows_of_nothing(size: usize) -> usize { [1, 2, 3].windows(size).len() } [(1,), (0,)]

    fn exact_chunks_of_nothing(size: usize) -> usize { [1, 2, 3].chunks_exact(size).len() } [(2,), (0,)]

    fn chunks_from_the_end_of_nothing(size: usize) -> usize { [1, 2, 3].rchunks(size).len() } [(2,), (0,)]

    fn panics_in_a_closure(values: [u8; 3]) -> u8 { values.iter().map(|value| 100 / value).fold(0, |sum, value| sum ^ value) }
    [([1, 2, 3],), ([1, 0, 3],)]
}
