//! Patterns: slices and rests, bindings, ranges, references, constants, texts, bytes, wide numbers, chains of `let`.

use meaning::{cases, traps};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Point {
    x: i32,
    y: i32,
}

const ORIGIN: Point = Point { x: 0, y: 0 };
const LIMITS: (u8, u8) = (10, 100);
const MAGIC: &[u8] = b"ELF";

cases! {
    fn slices_by_shape(values: [u8; 6], length: usize) -> u32 {
        match &values[..length % 7] {
            [] => 1,
            [0] => 2,
            [one] => *one as u32,
            [first, second] if first > second => 3,
            [1, rest @ ..] => rest.len() as u32 + 100,
            [.., 1] => 4,
            [_, middle @ .., 7 | 10] => middle.iter().map(|&value| value as u32).sum::<u32>() + 1000,
            [first, .., last] => *first as u32 * 256 + *last as u32,
        }
    }

    fn slice_ends(values: [u16; 5], length: usize) -> (Option<u16>, Option<u16>, usize) {
        let slice = &values[..length % 6];
        let (first, rest) = match slice { [first, rest @ ..] => (Some(*first), rest), [] => (None, slice) };
        let last = if let [.., before, _] = slice { Some(*before) } else { None };
        (first, last, rest.len())
    }

    fn slices_recursively(values: [u8; 6], length: usize) -> u32 {
        fn alternating(values: &[u8]) -> u32 {
            match values {
                [] => 1,
                [one] => *one as u32,
                [first, second, rest @ ..] => (*first as u32).wrapping_sub(*second as u32).wrapping_add(alternating(rest).wrapping_mul(3)),
            }
        }
        alternating(&values[..length % 7])
    }

    fn slices_peeled(values: [u8; 7]) -> (u32, bool) {
        let mut rest = &values[..];
        let mut sum = 0;
        while let [first, middle @ .., last] = rest {
            sum = sum * 2 + (first ^ last) as u32;
            rest = middle;
        }
        (sum, matches!(rest, [] | [_]))
    }

    fn slices_changed(values: [u16; 5], length: usize, by: u16) -> [u16; 5] {
        let mut values = values;
        match &mut values[..length % 6] {
            [first, .., last] if *first == *last => *first = by,
            [first, middle @ .., last] => {
                std::mem::swap(first, last);
                middle.iter_mut().for_each(|value| *value ^= by);
            }
            [only] => *only = 1,
            [] => {}
        }
        values
    }

    fn arrays_taken_apart(values: [[u8; 3]; 3]) -> (u8, u8, [u8; 3], u8) {
        let [[a, ..], [_, b, _], last @ [.., c]] = values;
        (a, b, last, c)
    }

    fn at_bindings(a: u8) -> (u8, u32) {
        match a {
            0 => (0, 0),
            small @ 1..=5 => (1, small as u32),
            odd @ (7 | 9 | 11 | 127) => (2, odd as u32),
            high @ 200.. => (3, high as u32),
            other => (4, other as u32),
        }
    }

    fn bindings_inside(a: u32, b: u8) -> (u32, u32) {
        let value = (a > 3).then_some((a, b));
        match value {
            whole @ Some((1..=100, _)) => (1, whole.map_or(0, |pair| pair.0)),
            Some(pair @ (large, 0..=9)) => (2, large ^ pair.1 as u32),
            Some((large, small)) => (3, large.wrapping_add(small as u32)),
            None => (4, b as u32),
        }
    }

    fn by_reference_and_move(a: u32, b: u8) -> (u32, u8) {
        let mut pair = (a, [b, 1]);
        let (ref mut first, [ref second, _]) = pair;
        *first = first.wrapping_add(*second as u32);
        let &(shared, [.., last]) = &pair;
        (shared, last)
    }

    fn references_in_patterns(a: u8, b: u8) -> u8 {
        let values = [Some(a), None, Some(b)];
        let mut found = 0u8;
        for value in &values {
            found = found.wrapping_mul(2).wrapping_add(match value {
                &Some(3) => 1,
                Some(number @ 4..) => *number,
                &None => 7,
                Some(_) => 2,
            });
        }
        found
    }

    fn constants_in_patterns(x: i32, y: i32, a: u8, b: u8) -> (u8, u8) {
        let place = match (Point { x, y }) {
            ORIGIN => 1,
            Point { x: 0, .. } => 2,
            Point { y: i32::MIN..=-1, .. } => 3,
            Point { x, y } if x == y => 4,
            _ => 5,
        };
        (place, match (a, b) { LIMITS => 1, (a, _) if a == LIMITS.0 => 2, (0..=9, u8::MAX) => 3, _ => 4 })
    }

    fn bytes_in_patterns(a: u8, b: u8) -> u8 {
        let text = [b'E', a, b];
        match &text[..] {
            MAGIC => 1,
            b"E\0\0" => 2,
            [b'E', b'A'..=b'Z', ..] => 3,
            [_, b'0' | b'9', digit] => *digit,
            _ => 4,
        }
    }

    fn texts_in_patterns(a: u8, b: u8) -> (u8, u8) {
        let word = ["", "a", "ab", "abc", "größe", "A"][a as usize % 6];
        let found = match word { "" => 0, "a" | "A" => 1, "abc" if b > 5 => 2, "größe" => 3, other => other.len() as u8 + 10 };
        let pair = match (word, b) { ("ab", 0..=99) => 1, ("a", 100) => 2, (_, 127) => 3, ("", _) => 4, _ => 5 };
        (found, pair)
    }

    fn wide_signed(a: i128) -> u8 {
        match a {
            i128::MIN => 1,
            -0x8000_0000_0000_0000_0000 => 2,
            -1 => 3,
            0..=0xffff_ffff_ffff_ffff => 4,
            0x1_0000_0000_0000_0000..=0x1_ffff_ffff_ffff_ffff => 5,
            i128::MAX => 6,
            _ => 7,
        }
    }

    fn wide_switch(a: u128) -> u8 {
        match a ^ 0x1_0000_0000_0000_0000 {
            0 => 1,
            0x1_0000_0000_0000_0000 => 2,
            0x1_0000_0000_0000_0001 => 3,
            0x1_0000_0000_0000_0007 => 4,
            0xfffe_ffff_ffff_ffff_ffff => 5,
            0xffff_ffff_ffff_fffe_ffff_ffff_ffff_ffff => 6,
            _ => 7,
        }
    }

    fn floats_in_ranges(a: f64) -> u8 {
        match a {
            f64::NEG_INFINITY..0.0 => 1,
            0.0 => 2,
            0.0..1.0 => 3,
            1.0..=2.5 => 4,
            f64::INFINITY => 5,
            _ => 6,
        }
    }

    fn characters_in_ranges(a: char) -> (u8, Option<u32>) {
        let kind = match a { '0'..='9' => 1, 'a'..='f' | 'A'..='F' => 2, '\u{80}'..='\u{7ff}' => 3, '\u{e000}'.. => 4, ..' ' => 5, _ => 6 };
        (kind, if let 'a'..='z' | 'A'..='Z' = a { Some(a as u32 | 0x20) } else { None })
    }

    fn nested_alternatives(a: u8, b: u8) -> u8 {
        let value: Result<Option<u8>, (u8, bool)> = if a < 50 { Ok((b > 3).then_some(b)) } else { Err((b, a & 1 == 1)) };
        match value {
            Ok(Some(1 | 3 | 7 | 10)) | Err((0, _)) => 1,
            Ok(Some(number)) | Err((number, true)) if number > 99 => 2,
            Ok(None) | Err((_, false)) => 3,
            Ok(Some(number)) | Err((number, _)) => number,
        }
    }

    fn guards_in_order(a: i32, b: i32) -> u8 {
        match (a, b) {
            (a, b) if a == b => 1,
            (a, _) if a < 0 => 2,
            (_, b) if b < 0 => 3,
            (0, _) | (_, 0) => 4,
            (a, b) if a.checked_mul(b).is_none() => 5,
            _ => 6,
        }
    }

    fn let_else(a: u32, b: u32) -> Result<u32, u8> {
        let Some(quotient) = a.checked_div(b) else { return Err(1) };
        let (1.., rest) = (quotient, a % b) else { return Err(2) };
        let [_, second, ..] = quotient.to_le_bytes();
        let Ok(small) = u8::try_from(rest) else {
            return if second > 0 { Err(3) } else { Err(4) };
        };
        Ok(quotient.wrapping_mul(small as u32))
    }

    fn let_chains(a: u32, b: u32) -> u32 {
        if let Some(first) = a.checked_sub(3)
            && first > 5
            && let Some(second) = b.checked_add(first)
            && let 0..=1000 | 0x8000_0000.. = second
        {
            second
        } else if a < 10 && let Some(rest) = b.checked_rem(a) {
            rest + 1
        } else {
            2
        }
    }

    fn while_let_chains(a: u32, limit: u8) -> (u32, u8) {
        let (mut rest, mut steps) = (a, 0);
        while steps < limit && let Some(next) = rest.checked_sub(1 << 29) && next != 3 {
            rest = next;
            steps += 1;
        }
        (rest, steps)
    }

    fn structs_with_rest(x: i32, y: i32, a: u8) -> i32 {
        struct Line {
            from: Point,
            to: Point,
            width: u8,
        }
        let line = Line { from: Point { x, y }, to: ORIGIN, width: a };
        let Line { from: Point { x: left, .. }, width, .. } = line;
        match line {
            Line { width: 0, .. } => 1,
            Line { from, to, .. } if from == to => 2,
            Line { from: Point { y: 0, x: far }, .. } => far,
            _ => left ^ width as i32,
        }
    }

    fn tuples_with_rest(a: (u8, u16, u8), b: bool) -> u16 {
        match (a, b) {
            ((1, .., 1), _) => 1,
            ((.., 0 | 255), true) => 2,
            ((first, ..), false) => first as u16,
            ((_, second, _), ..) => second,
        }
    }
}

traps! {
    fn else_panics(a: u32) -> u32 {
        let Some(rest) = a.checked_sub(5) else { panic!("{a} is too little") };
        rest
    } [(5,), (4,)]
}
