//! The rest of `Option` and `Result`: every combinator with its both ways, and conversions between them.

use std::ops::ControlFlow;

use meaning::{cases, traps};

fn option(a: u32, b: u32) -> Option<u32> {
    a.checked_sub(b)
}

fn result(a: u32, b: u32) -> Result<u32, u8> {
    a.checked_sub(b).ok_or(b as u8)
}

cases! {
    fn option_boolean(a: u32, b: u32) -> [Option<u32>; 5] {
        let (left, right) = (option(a, b), option(b, 7));
        [left.and(right), left.or(right), left.xor(right), left.and_then(|value| value.checked_mul(3)), left.or_else(|| Some(b))]
    }

    fn option_tests(a: u32, b: u32) -> [bool; 6] {
        let value = option(a, b);
        [
            value.is_some(), value.is_none(), value.is_some_and(|value| value > 5), value.is_none_or(|value| value > 5),
            value == Some(1), value < Some(3),
        ]
    }

    fn option_defaults(a: u32, b: u32) -> [u32; 5] {
        let value = option(a, b);
        [
            value.unwrap_or(1), value.unwrap_or_default(), value.unwrap_or_else(|| a / 2), value.map_or(3, |value| value ^ 1),
            value.map_or_else(|| b, |value| value / 3),
        ]
    }

    fn option_borrowed(a: u32, b: u32) -> (Option<u32>, u32, usize) {
        let mut value = option(a, b);
        if let Some(inner) = value.as_mut() {
            *inner ^= 1;
        }
        let length = value.as_slice().len() + value.as_ref().map_or(0, |inner| *inner as usize % 5);
        (value.as_ref().copied(), **value.as_mut().get_or_insert(&mut 9), length)
    }

    fn option_inspected(a: u32, b: u32) -> (Option<u32>, u32) {
        let mut seen = 1;
        let value = option(a, b).inspect(|value| seen = value / 2).filter(|value| value % 2 == 0);
        (value, seen)
    }

    fn option_in_place_of_others(a: u32, b: u32) -> (Option<u32>, Option<u32>, Option<u32>, u32) {
        let mut value = option(a, b);
        let taken = value.take_if(|value| *value > 50);
        let old = value.replace(3);
        let inserted = *value.insert(b);
        (taken, old, value.take(), inserted)
    }

    fn option_filled(a: u32, b: u32) -> (u32, u32, u32) {
        let (mut first, mut second, mut third) = (option(a, b), option(a, b), option(a, b));
        *first.get_or_insert_with(|| 8) ^= 1;
        *second.get_or_insert_default() ^= 2;
        let before = *third.get_or_insert(5);
        (first.unwrap_or(0), second.unwrap_or(0), before)
    }

    fn option_of_pairs(a: u32, b: u32) -> (Option<(u32, u32)>, (Option<u32>, Option<u32>), Option<u32>) {
        let both = option(a, b).zip(option(b, 3));
        (both, both.unzip(), both.map(|(first, second)| first ^ second))
    }

    fn option_of_options(a: u32, b: u32) -> (Option<u32>, Option<Option<u32>>, bool) {
        let nested = option(a, b).map(|value| value.checked_sub(5));
        (nested.flatten(), nested, nested == Some(None))
    }

    fn option_of_references(a: u32, b: u32) -> (Option<u32>, Option<u32>, u32) {
        let (value, other) = (option(a, b), 6);
        let reference = value.as_ref();
        (reference.copied(), reference.cloned().or(Some(1)), **reference.as_ref().unwrap_or(&&other))
    }

    fn option_to_result(a: u32, b: u32) -> (Result<u32, u8>, Result<u32, u32>, Result<Option<u32>, u8>, Option<Result<u32, u8>>) {
        let value = option(a, b);
        let turned = value.map(|value| if value > 9 { Err(value as u8) } else { Ok(value) });
        (value.ok_or(7), value.ok_or_else(|| a ^ b), turned.transpose(), turned.transpose().transpose())
    }

    fn option_iterated(a: u32, b: u32) -> (u32, usize, Option<u32>) {
        let mut value = option(a, b);
        value.iter_mut().for_each(|inner| *inner /= 2);
        let mut rest = value.into_iter();
        let sum = rest.next().unwrap_or(1) + rest.next().unwrap_or(2) % 3;
        (sum, value.iter().len(), value.into_iter().chain(Some(3)).next_back())
    }

    fn option_ordered(a: u32, b: u32) -> (std::cmp::Ordering, Option<u32>, Option<u32>) {
        let (left, right) = (option(a, b), option(b, a));
        (left.cmp(&right), left.max(right), left.min(right))
    }

    fn option_of_closures(a: u32, which: bool) -> (u32, Option<u32>) {
        let function = which.then_some(|value: u32| value ^ 5);
        (function.map_or(a, |function| function(a)), function.as_ref().map(|function| function(1)))
    }

    fn result_boolean(a: u32, b: u32) -> [Result<u32, u8>; 4] {
        let (left, right) = (result(a, b), result(b, 7));
        let other = left.or_else(|error| if error > 9 { Ok(1) } else { Err(error) });
        [left.and(right), left.or(right), left.and_then(|value| result(value, 3)), other]
    }

    fn result_tests(a: u32, b: u32) -> [bool; 5] {
        let value = result(a, b);
        [value.is_ok(), value.is_err(), value.is_ok_and(|value| value > 5), value.is_err_and(|error| error < 9), value == Err(3)]
    }

    fn result_defaults(a: u32, b: u32) -> [u32; 5] {
        let value = result(a, b);
        [
            value.unwrap_or(1), value.unwrap_or_default(), value.unwrap_or_else(u32::from), value.map_or(3, |value| value ^ 1),
            value.map_or_else(|error| error as u32 + 1, |value| value / 3),
        ]
    }

    fn result_sides(a: u32, b: u32) -> (Option<u32>, Option<u8>, Result<u32, u32>, u32) {
        let value = result(a, b);
        let mut seen = 0;
        let side = value.inspect(|_| seen += 1).inspect_err(|error| seen += *error as u32).map_err(|error| error as u32 ^ 1);
        (value.ok(), value.err(), side, seen)
    }

    fn result_borrowed(a: u32, b: u32) -> (Result<u32, u8>, u32, usize) {
        let mut value = result(a, b);
        match value.as_mut() {
            Ok(inner) => *inner ^= 1,
            Err(error) => *error = error.wrapping_mul(3),
        }
        (value, value.as_ref().copied().unwrap_or(2), value.iter().count())
    }

    fn result_transposed(a: u32, b: u32) -> (Option<Result<u32, u8>>, Result<Option<u32>, u8>, Result<u32, u8>) {
        let value = result(a, b).map(|value| value.checked_sub(5));
        (value.transpose(), value, value.map(|inner| inner.ok_or(1)).unwrap_or_else(Err))
    }

    fn result_of_large(words: [u64; 3], fails: bool) -> (Result<[u64; 3], (u8, u64)>, u64) {
        let value = if fails { Err((3, words[0])) } else { Ok(words) };
        (value, value.map_or_else(|(small, large)| large ^ small as u64, |words| words[2]))
    }

    fn conversions_between(a: i64, b: u32) -> (Result<u8, ()>, Result<i16, ()>, Option<char>, u8) {
        let error = u8::try_from(a).map_err(|_| ());
        (error, a.try_into().map_err(|_| ()), char::try_from(b).ok(), b.try_into().unwrap_or(u8::MAX))
    }

    fn flow(a: u32, b: u32) -> (u32, Option<u32>, bool) {
        let flow = match option(a, b) {
            Some(value) if value > 9 => ControlFlow::Break(value),
            Some(value) => ControlFlow::Continue(value),
            None => ControlFlow::Break(0),
        };
        let run = || {
            let value = flow?;
            if value == 3 { ControlFlow::Break(33) } else { ControlFlow::Continue(value + 1) }
        };
        let (ControlFlow::Break(end) | ControlFlow::Continue(end)) = run();
        (end, flow.continue_value(), flow.is_break())
    }

    fn truth_to_options(a: bool, b: u32) -> (Option<u32>, Option<u32>, u32) {
        (a.then_some(b), a.then(|| b / 3), std::hint::select_unpredictable(a, b, 7))
    }
}

traps! {
    fn unwrap_of_none(a: u32) -> u32 { option(a, 5).unwrap() } [(5,), (4,)]

    fn expect_with_a_number(a: u32) -> u32 { option(a, 5).unwrap_or_else(|| panic!("{a} is less than {}", 5)) } [(5,), (4,)]

    fn expect_an_error(a: u32) -> u8 { result(a, 5).expect_err("an error") } [(4,), (5,)]

    fn unwrap_into_nothing(a: u32) -> u32 {
        let value: Result<u32, std::fmt::Error> = if a > 5 { Ok(a) } else { Err(std::fmt::Error) };
        value.unwrap()
    } [(6,), (5,)]
}
