//! Enums whose tag hides in a payload's unused values: the bytes are rustc's.

use std::{
    mem::{size_of, transmute},
    num::{NonZeroI8, NonZeroI32, NonZeroI64, NonZeroU8, NonZeroU32, NonZeroU64, NonZeroU128},
    ptr::NonNull,
};

use crate::case::{cases, traps};

#[derive(Clone, Copy)]
enum Letter {
    Char(char),
    Space,
    End,
    Error,
}

#[derive(Clone, Copy)]
enum Nested {
    Inner(Option<Option<bool>>),
    Left,
    Right,
}

#[derive(Clone, Copy)]
enum Large {
    Two(u64, Option<NonZeroU8>),
    Nothing,
}

#[derive(Clone, Copy, PartialEq)]
enum Color {
    Red,
    Green,
    Blue,
}

#[inline(never)]
fn letter(of: char) -> Letter {
    match of {
        ' ' => Letter::Space,
        '\0' => Letter::End,
        '\u{d7ff}' => Letter::Error,
        other => Letter::Char(other),
    }
}

#[inline(never)]
fn nested(which: u8) -> Nested {
    match which % 6 {
        0 => Nested::Left,
        1 => Nested::Right,
        2 => Nested::Inner(None),
        3 => Nested::Inner(Some(None)),
        4 => Nested::Inner(Some(Some(false))),
        _ => Nested::Inner(Some(Some(true))),
    }
}

cases! {
    fn non_zero(a: u32, b: u64, c: u128) -> ([u8; 4], [u8; 8], [u8; 16], bool) {
        let (a, b, c) = (NonZeroU32::new(a), NonZeroU64::new(b), NonZeroU128::new(c));
        // SAFETY: options of non-zero numbers are numbers.
        unsafe { (transmute(a), transmute(b), transmute(c), a.is_some() && b.is_none()) }
    }

    fn non_zero_signed(a: i8, b: i32, c: i64) -> ([u8; 1], [u8; 4], [u8; 8], i32) {
        let (a, b, c) = (NonZeroI8::new(a), NonZeroI32::new(b), NonZeroI64::new(c));
        // SAFETY: options of non-zero numbers are numbers.
        unsafe { (transmute(a), transmute(b), transmute(c), b.map_or(3, |value| value.get().wrapping_abs())) }
    }

    fn non_zero_from_bytes(a: u32) -> (Option<u32>, u32, u32) {
        // SAFETY: every number is an option of a non-zero one.
        let value = unsafe { transmute::<u32, Option<NonZeroU32>>(a) };
        (value.map(NonZeroU32::get), value.map_or(7, NonZeroU32::trailing_zeros), value.map_or(0, |value| value.ilog2()))
    }

    fn truth(which: u8) -> ([u8; 1], [u8; 1], u8) {
        let value = match which % 3 { 0 => Some(false), 1 => Some(true), _ => None };
        let twice = if which > 2 { Some(value) } else { None };
        let number = match twice { Some(Some(true)) => 3, Some(Some(false)) => 2, Some(None) => 1, None => 0 };
        // SAFETY: one byte each.
        unsafe { (transmute::<Option<bool>, [u8; 1]>(value), transmute::<Option<Option<bool>>, [u8; 1]>(twice), number) }
    }

    fn character_niches(a: char) -> ([u8; 4], [u8; 4], u32) {
        let option = (a != 'a').then_some(a);
        let made = letter(a);
        let number = match made { Letter::Char(letter) => letter as u32, Letter::Space => 1, Letter::End => 2, Letter::Error => 3 };
        // SAFETY: four bytes each.
        unsafe { (transmute::<Option<char>, [u8; 4]>(option), transmute::<Letter, [u8; 4]>(made), number) }
    }

    fn several_levels(which: u8) -> ([u8; 1], u8) {
        let made = nested(which);
        let number = match made {
            Nested::Left => 10,
            Nested::Right => 11,
            Nested::Inner(None) => 12,
            Nested::Inner(Some(None)) => 13,
            Nested::Inner(Some(Some(truth))) => 14 + truth as u8,
        };
        // SAFETY: one byte.
        unsafe { (transmute::<Nested, [u8; 1]>(made), number) }
    }

    fn enums_in_options(which: u8) -> ([u8; 1], [u8; 1], bool) {
        let color = match which % 4 { 0 => Some(Color::Red), 1 => Some(Color::Green), 2 => Some(Color::Blue), _ => None };
        let outer: Result<Color, ()> = color.ok_or(());
        // SAFETY: one byte each.
        unsafe { (transmute::<Option<Color>, [u8; 1]>(color), transmute::<Result<Color, ()>, [u8; 1]>(outer), color == Some(Color::Blue)) }
    }

    fn optional_references(a: u32, take: bool) -> (u32, u32, bool, usize) {
        let option = if take { Some(&a) } else { None };
        // SAFETY: an option of a reference is an address.
        let address = unsafe { transmute::<Option<&u32>, usize>(option) };
        (*option.unwrap_or(&77), option.map_or(5, |value| value.wrapping_add(1)), address == 0, size_of::<Option<&u32>>())
    }

    fn optional_slices(values: [u8; 4], take: bool) -> (usize, u8, bool) {
        let option: Option<&[u8]> = take.then_some(&values[1..]);
        (option.map_or(0, <[u8]>::len), option.and_then(|rest| rest.last()).copied().unwrap_or(9), option.is_none())
    }

    fn non_null(a: u32, take: bool) -> (u32, bool) {
        let mut value = a;
        let pointer = if take { NonNull::new(&raw mut value) } else { NonNull::new(std::ptr::null_mut()) };
        if let Some(pointer) = pointer {
            // SAFETY: the local's address.
            unsafe { *pointer.as_ptr() ^= 5 };
        }
        (value, pointer.is_none())
    }

    fn optional_functions(which: u8, a: u32) -> (u32, bool) {
        fn double(a: u32) -> u32 {
            a.wrapping_mul(2)
        }
        let function: Option<fn(u32) -> u32> = if which & 1 == 0 { Some(double) } else { None };
        (function.map_or(1, |function| function(a)), function.is_some())
    }

    fn large_payload(which: u8, a: u64) -> (u64, u8, usize) {
        let value = match which % 3 {
            0 => Large::Two(a, None),
            1 => Large::Two(a, NonZeroU8::new(9)),
            _ => Large::Nothing,
        };
        match value {
            Large::Two(first, second) => (first, second.map_or(0, NonZeroU8::get), size_of::<Large>()),
            Large::Nothing => (1, 1, size_of::<Large>()),
        }
    }

    fn set_to_none(a: u32, clear: bool) -> (Option<u32>, [u8; 4]) {
        let mut value = NonZeroU32::new(a | 1);
        if clear {
            value = None;
        }
        let taken = value.take();
        // SAFETY: an option of a non-zero number is a number.
        (taken.map(NonZeroU32::get), unsafe { transmute::<Option<NonZeroU32>, [u8; 4]>(value) })
    }

    fn array_of_options(values: [u32; 4], i: usize) -> ([[u8; 4]; 4], Option<u32>, usize) {
        let options = values.map(NonZeroU32::new);
        let found = options[i % 4].map(NonZeroU32::get);
        // SAFETY: options of non-zero numbers are numbers.
        (unsafe { transmute::<[Option<NonZeroU32>; 4], [[u8; 4]; 4]>(options) }, found, options.iter().flatten().count())
    }

    fn optional_ordering(a: i32, b: i32, compare: bool) -> ([u8; 1], u8) {
        let order = compare.then(|| a.cmp(&b));
        let number = match order {
            Some(std::cmp::Ordering::Less) => 1,
            Some(std::cmp::Ordering::Equal) => 2,
            Some(std::cmp::Ordering::Greater) => 3,
            None => 4,
        };
        // SAFETY: one byte.
        (unsafe { transmute::<Option<std::cmp::Ordering>, [u8; 1]>(order) }, number)
    }
}

traps! {
    fn unwrap_none(a: u32) -> u32 { NonZeroU32::new(a).unwrap().get() } [(1,), (0,)]

    fn flagged(a: u32, flag: bool) -> u32 { if flag { Some(a) } else { None }.unwrap() } [(3, true), (3, false)]
}
