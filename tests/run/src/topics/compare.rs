//! Comparisons of every type that has them.

use std::cmp::{Ordering, Reverse};

use crate::case::{cases, traps};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u8,
    minor: i16,
    tag: Option<char>,
}

macro_rules! comparisons {
    ($($kind:ident: $name:ident;)*) => {
        cases! {
            $(
                fn $name(a: $kind, b: $kind) -> ([bool; 6], Ordering, [$kind; 3]) {
                    let (low, high) = if a < b { (a, b) } else { (b, a) };
                    ([a < b, a <= b, a == b, a != b, a > b, a >= b], a.cmp(&b), [a.min(b), a.max(b), b.clamp(low, high)])
                }
            )*

            fn tuple_order(a: (u8, i16), b: (u8, i16)) -> ([bool; 3], Ordering) {
                ([a < b, a == b, a >= b], a.cmp(&b))
            }

            fn derived(a: (u8, i16, char), b: (u8, i16, char)) -> ([bool; 2], Ordering, Option<Ordering>) {
                let make = |(major, minor, tag): (u8, i16, char)| Version { major, minor, tag: (tag != 'a').then_some(tag) };
                let (a, b) = (make(a), make(b));
                ([a == b, a <= b], a.cmp(&b), Reverse(a).partial_cmp(&Reverse(b)))
            }

            fn array_order(a: [i8; 5], b: [i8; 5]) -> ([bool; 3], Ordering) {
                ([a == b, a < b, a[..3] == b[..3]], a.cmp(&b))
            }

            fn byte_slices(a: [u8; 9], b: [u8; 9], cut: usize) -> (bool, Ordering, bool) {
                let cut = cut % 10;
                (a[cut..] == b[cut..], a[..cut].cmp(&b[cut..]), a.starts_with(&b[..cut]))
            }

            fn string_order(which: u8, other: u8) -> (bool, Ordering, usize) {
                const WORDS: [&str; 4] = ["", "oxide", "oxid", "rust"];
                let (a, b) = (WORDS[which as usize % 4], WORDS[other as usize % 4]);
                (a == b, a.cmp(b), a.len())
            }

            fn order_chains(a: i32, b: i32, c: u8) -> (Ordering, [bool; 3]) {
                let order = a.cmp(&b).then_with(|| c.cmp(&7)).reverse();
                (order, [order.is_lt(), order == Ordering::Equal, order > Ordering::Less])
            }
        }
    };
}

comparisons! {
    u8: compare_u8;
    u16: compare_u16;
    u32: compare_u32;
    u64: compare_u64;
    u128: compare_u128;
    usize: compare_usize;
    i8: compare_i8;
    i16: compare_i16;
    i32: compare_i32;
    i64: compare_i64;
    i128: compare_i128;
    isize: compare_isize;
    bool: compare_bool;
    char: compare_char;
}

traps! {
    fn clamp_integer_badly(a: i32, low: i32, high: i32) -> i32 { a.clamp(low, high) } [(1, 0, 2), (1, 2, 0)]
}
