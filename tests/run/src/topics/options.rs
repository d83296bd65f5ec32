//! `Option` and `Result` with their combinators.

use crate::case::{cases, traps};

cases! {
    fn map_and_filter(a: u32, b: u32) -> [Option<u32>; 6] {
        let value = a.checked_sub(b);
        [
            value.map(|value| value ^ 1),
            value.filter(|value| value % 2 == 0),
            value.and_then(|value| value.checked_mul(b)),
            value.or(Some(7)),
            value.or_else(|| b.checked_sub(a).filter(|less| *less > 5)),
            value.xor(a.checked_add(b)),
        ]
    }

    fn unwrapping(a: u32, b: u32) -> [u32; 5] {
        let value = a.checked_sub(b);
        [
            value.unwrap_or(1),
            value.unwrap_or_default(),
            value.unwrap_or_else(|| a ^ b),
            value.map_or(2, |value| value / 2),
            value.map_or_else(|| 3, |value| value / 3),
        ]
    }

    fn pairs(a: u8, b: char) -> (Option<(u8, char)>, (Option<u8>, Option<char>), bool, bool) {
        let (a, b) = ((a > 5).then_some(a), b.is_ascii().then_some(b));
        let both = a.zip(b);
        (both, both.unzip(), a.is_some_and(|a| a > 50), b.is_none_or(|b| b == 'a'))
    }

    fn results(a: i32, b: i32) -> [Result<i32, u8>; 4] {
        let value: Result<i32, u8> = a.checked_div(b).ok_or(9);
        [
            value.map(|value| value ^ 1),
            value.map_err(|error| error + 1),
            value.and_then(|value| value.checked_add(b).ok_or(3)),
            value.or_else(|error| if a > 3 { Ok(error as i32) } else { Err(error * 2) }),
        ]
    }

    fn converting(a: i32, b: i32) -> (Option<i32>, Option<u8>, bool, i32, Result<Option<i32>, u8>) {
        let value: Result<i32, u8> = a.checked_div(b).ok_or(9);
        let turned: Result<Option<i32>, u8> = Some(value).transpose();
        (value.ok(), value.err(), value.is_ok_and(|value| value > 1), value.unwrap_or(5), turned)
    }

    fn option_in_place(a: u32, b: u32) -> (Option<u32>, Option<u32>, u32, Option<u32>) {
        let mut value = a.checked_sub(b);
        let before = value.take();
        let inserted = *value.get_or_insert(b);
        if let Some(value) = value.as_mut() {
            *value = value.wrapping_add(1);
        }
        let replaced = value.replace(3);
        (before, value, inserted, replaced)
    }

    fn option_references(values: [u16; 3], i: usize) -> (u16, Option<u16>, u16) {
        let found = values.get(i);
        (*found.unwrap_or(&9), found.copied().map(u16::reverse_bits), found.cloned().as_ref().map_or(0, |value| *value))
    }

    fn nested_options(a: u32) -> (Option<u32>, Option<Option<u32>>, Option<Result<u32, bool>>) {
        let inner = (a > 2).then(|| (a > 50).then_some(a));
        (inner.flatten(), inner, inner.map(|value| value.ok_or(a > 7)))
    }

    fn question_marks(a: u32, b: u32, c: u32) -> Option<u32> {
        fn inner(a: u32, b: u32, c: u32) -> Option<u32> {
            let first = a.checked_sub(b)?;
            let second = c.checked_div(first)?;
            Some(first ^ second)
        }
        inner(a, b, c)
    }

    fn collected(values: [u32; 4], limit: u32) -> (Option<u32>, Result<u32, u32>) {
        let sum: Option<u32> = values.iter().map(|&value| limit.checked_sub(value)).try_fold(0u32, |sum, value| sum.checked_add(value?));
        let product = values.iter().try_fold(1u32, |product, &value| product.checked_mul(value).ok_or(value));
        (sum, product)
    }

    fn of_large(words: [u64; 6], take: bool) -> (Option<[u64; 6]>, u64) {
        let value = take.then_some(words);
        (value, value.map_or(0, |words| words.iter().fold(0, |sum, word| sum ^ word)))
    }

    fn iterated(a: u8) -> (u32, usize) {
        let value = (a > 5).then_some(a as u32);
        (value.iter().chain(&Some(3)).sum(), value.into_iter().count())
    }
}

traps! {
    fn unwrap_error(a: i32, b: i32) -> i32 { a.checked_div(b).ok_or("no").unwrap() } [(6, 3), (6, 0)]

    fn expect_none(a: u32) -> u32 { a.checked_add(1).expect("room") } [(5,), (u32::MAX,)]

    fn unwrap_an_error(a: u32) -> u32 { let _ = u8::try_from(a).unwrap_err(); a } [(256,), (255,)]
}
