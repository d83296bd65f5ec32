//! `match`: ranges, guards, alternatives, nesting, wide numbers, characters.

use crate::case::{cases, traps};

cases! {
    fn byte_ranges(c: u8) -> u8 {
        match c {
            b'0'..=b'9' => 1,
            b'a'..=b'f' | b'A'..=b'F' => 2,
            x if x & 1 == 1 => 3,
            _ => 4,
        }
    }

    fn pair_of_options(a: u8, b: u8) -> u8 {
        let (a, b) = ((a > 2).then_some(a), (b < 100).then_some(b));
        match (a, b) {
            (Some(x), None) => x,
            (None, Some(y)) => y,
            (Some(x), Some(y)) if x < y => x,
            _ => 0,
        }
    }

    fn wide_ranges(v: i128) -> u8 {
        match v {
            i128::MIN..=-1 => 0,
            0 => 1,
            0x7f00_0000_0000_0000_0000_0000_0000_0000.. => 2,
            _ => 3,
        }
    }

    fn wide_values(v: u128) -> u8 {
        match v {
            0 => 1,
            18_446_744_073_709_551_616 => 2,
            u128::MAX => 3,
            170_141_183_460_469_231_731_687_303_715_884_105_728 => 4,
            127 | 100 => 5,
            _ => 6,
        }
    }

    fn signed(v: i8) -> u8 {
        match v {
            -128 => 1,
            -1 => 2,
            0 => 3,
            1..=63 => 4,
            126 | 127 => 5,
            _ => 6,
        }
    }

    fn match_characters(c: char) -> u32 {
        match c {
            'a'..='z' => c as u32 - 'a' as u32,
            'A'..='Z' => 100 + c as u32 - 'A' as u32,
            'ß' | '€' => 200,
            '\u{10000}'.. => 300,
            '\0' => 400,
            _ => 500,
        }
    }

    fn three_truths(a: bool, b: bool, c: bool) -> u8 {
        match (a, b, c) {
            (true, _, false) => 1,
            (false, true, _) => 2,
            (_, false, true) => 3,
            (true, true, true) => 4,
            (false, false, false) => 5,
        }
    }

    fn nested_patterns(a: u8, b: u32) -> u32 {
        enum Tree {
            Leaf(u32),
            Node(u8, Option<(u32, Result<u8, char>)>),
        }
        let tree = match a % 6 {
            0 => Tree::Leaf(b),
            1 => Tree::Node(a, None),
            2 => Tree::Node(a, Some((b, Ok(a)))),
            3 => Tree::Node(0, Some((b, Err('x')))),
            4 => Tree::Node(a, Some((7, Err('y')))),
            _ => Tree::Node(a, Some((3, Ok(9)))),
        };
        match tree {
            Tree::Leaf(0 | 1) => 1,
            Tree::Leaf(n @ 2..=50) => n,
            Tree::Leaf(_) => 2,
            Tree::Node(_, None) => 3,
            Tree::Node(n, Some((7, Ok(_) | Err('x' | 'y')))) => n as u32 + 1000,
            Tree::Node(0, Some((m, Err(letter)))) => m ^ letter as u32,
            Tree::Node(_, Some((m, Ok(k)))) if m < 100 => m * k as u32,
            Tree::Node(n, Some((_, _))) => n as u32,
        }
    }

    fn match_references(a: u8, b: u32) -> u32 {
        let a = (a % 2 == 0).then_some(a);
        match &a {
            Some(x) if *x > 10 => *x as u32,
            &Some(x) => x as u32 ^ b,
            None => b,
        }
    }

    fn bindings(a: u32) -> (u32, u32) {
        match a {
            small @ (0..=9 | 97) => (1, small),
            even if even % 2 == 0 => (2, even),
            other => (3, other),
        }
    }

    fn dense(a: u8) -> u16 {
        match a % 12 {
            0 => 9,
            1 => 18,
            2 => 4,
            3 => 77,
            4 => 1000,
            5 => 3,
            6 => 65_535,
            7 => 0,
            8 => 12,
            9 => 5,
            10 => 6,
            _ => 7,
        }
    }

    fn lets(a: u32, b: u32) -> u32 {
        let Some(difference) = a.checked_sub(b) else { return 1 };
        if let (1..=10, parity) = (difference, b % 2)
            && parity == 1
            && let Some(sum) = a.checked_add(b)
        {
            return sum;
        }
        let mut rest = difference;
        let mut steps = 0;
        while let Some(less) = rest.checked_sub(1 << 28) {
            rest = less;
            steps += 1;
        }
        steps + 100
    }

    fn match_strings(a: u8) -> u8 {
        match ["", "one", "two", "three"][a as usize % 4] {
            "one" => 1,
            "two" => 2,
            "" => 3,
            _ => 4,
        }
    }

    fn constants(a: u16) -> u8 {
        const LOW: u16 = 3;
        const PAIR: (u16, bool) = (7, true);
        match (a, a > 5) {
            (LOW, _) => 1,
            PAIR => 2,
            (u16::MAX, true) => 3,
            _ => 4,
        }
    }

    fn fall_through(a: u64) -> u64 {
        match a {
            0 => 0,
            1..=2 => 1,
            3..=126 => 2,
            127..=0xffff => 3,
            0x1_0000..=0xffff_ffff => 4,
            0x1_0000_0000..=0x7fff_ffff_ffff_fffe => 5,
            _ => 6,
        }
    }
}

traps! {
    fn no_arm(a: u8) -> u8 {
        match a {
            0 => 1,
            1..=9 => 2,
            _ => unreachable!(),
        }
    } [(0,), (9,), (10,)]
}
