//! Texts and characters: parts of them, their bytes and their letters, forwards and backwards, encoded, parsed and compared.

use std::str;

use meaning::{cases, traps};

const TEXTS: [&str; 8] = ["", "a", "abc", "größer", "€ 5", "😀x", "a,b,,c", "  to be  "];

fn text(which: u8) -> &'static str {
    TEXTS[which as usize % 8]
}

fn mix(values: impl IntoIterator<Item = u32>) -> u32 {
    values.into_iter().fold(17, |sum: u32, value| sum.wrapping_mul(31).wrapping_add(value))
}

fn sum(of: &str) -> u32 {
    mix(of.bytes().map(u32::from))
}

cases! {
    fn text_lengths(which: u8) -> ([usize; 2], bool, u32) {
        let text = text(which);
        ([text.len(), text.chars().fold(0, |count, _| count + 1)], text.is_empty(), sum(text))
    }

    fn text_letters(which: u8) -> (u32, u32, Option<char>, Option<char>) {
        let letters = text(which).chars();
        (mix(letters.clone().map(u32::from)), mix(letters.clone().rev().map(u32::from)), letters.clone().nth(2), letters.last())
    }

    fn text_positions(which: u8) -> (u32, Option<(usize, char)>, usize) {
        let letters = text(which).char_indices();
        let places = mix(letters.clone().map(|(i, _)| i as u32));
        (places, letters.clone().next_back(), letters.rev().filter(|(_, c)| c.is_ascii_alphabetic()).count())
    }

    fn text_parts(which: u8, from: usize, to: usize) -> (Option<u32>, Option<u32>, [bool; 2]) {
        let (text, from, to) = (text(which), from % 8, to % 8);
        (text.get(from..to).map(sum), text.get(..=to).map(sum), [text.is_char_boundary(from), text.is_char_boundary(to)])
    }

    fn text_split_at(which: u8, at: usize) -> Option<(u32, u32)> {
        text(which).split_at_checked(at % 8).map(|(left, right)| (sum(left), sum(right)))
    }

    fn text_comparisons(which: u8, other: u8) -> ([bool; 4], std::cmp::Ordering) {
        let (a, b) = (text(which), text(other));
        ([a == b, a < b, a.as_bytes() == b.as_bytes(), a.eq_ignore_ascii_case(b)], a.cmp(b))
    }

    fn text_prefixes(which: u8, letter: char) -> ([bool; 4], Option<u32>, Option<u32>) {
        let text = text(which);
        (
            [text.starts_with("a"), text.ends_with(' '), text.starts_with(letter), text.starts_with(|c: char| c.is_ascii_lowercase())],
            text.strip_prefix('a').map(sum),
            text.strip_suffix("er").map(sum),
        )
    }

    fn text_trimmed(which: u8) -> [u32; 4] {
        let text = text(which);
        [sum(text.trim_matches(' ')), sum(text.trim_start_matches('a')), sum(text.trim_ascii()), sum(text.trim())]
    }

    fn text_found(which: u8, wanted: u8) -> ([Option<usize>; 3], bool) {
        let text = text(which);
        (
            [
                text.find(|c: char| c.is_ascii_digit()), text.rfind(|c: char| c.is_ascii_alphanumeric()),
                text.bytes().position(|byte| byte == wanted),
            ],
            text.chars().any(|c| c as u32 == wanted as u32),
        )
    }

    fn text_fields(which: u8) -> (u32, usize, u32) {
        let text = text(which);
        let fields = text.split(|c: char| c == ',' || c == ' ');
        (fields.clone().fold(0, |all, field| all * 9 + field.len() as u32), fields.count(), mix(text.split_whitespace().map(sum)))
    }

    fn bytes_of_text(which: u8) -> (u32, u32, Option<u8>, bool) {
        let bytes = text(which).as_bytes();
        (mix(bytes.iter().rev().map(|&byte| byte as u32)), bytes.len() as u32, bytes.last().copied(), bytes.starts_with(b"a"))
    }

    fn text_from_bytes_unchecked(a: u8) -> (u32, usize) {
        let bytes = [a & 0x7f, b'x', 0xc3, 0x9f];
        // SAFETY: ASCII and one letter of two bytes.
        let text = unsafe { str::from_utf8_unchecked(&bytes) };
        (sum(&text[1..]), text.len())
    }

    fn text_changed(a: u8) -> ([u8; 5], u32) {
        let mut bytes = *b"abCde";
        bytes[a as usize % 5] = b'z';
        // SAFETY: ASCII.
        let text = unsafe { str::from_utf8_unchecked_mut(&mut bytes) };
        text.make_ascii_uppercase();
        let found = sum(text);
        (bytes, found)
    }

    fn texts_parsed(which: u8) -> (Option<u32>, Option<i8>, Option<bool>, Option<char>) {
        let text = ["12", "-5", "true", "x", "300", "", "falsee", "ß"][which as usize % 8];
        (text.parse().ok(), text.parse().ok(), text.parse().ok(), text.parse().ok())
    }

    fn letters_classified(a: char) -> [bool; 9] {
        [
            a.is_ascii_alphanumeric(), a.is_ascii_punctuation(), a.is_ascii_graphic(), a.is_ascii_control(), a.is_ascii_lowercase(),
            a.is_ascii_uppercase(), a.is_whitespace(), a.is_control(), a.eq_ignore_ascii_case(&'F'),
        ]
    }

    fn letters_in_other_cases(a: char) -> (char, char, [usize; 2]) {
        (a.to_ascii_lowercase(), a.to_ascii_uppercase(), [a.len_utf8(), a.len_utf16()])
    }

    fn letters_as_digits(a: char, radix: u32) -> (Option<u32>, Option<char>, bool) {
        let radix = radix % 35 + 2;
        (a.to_digit(radix), char::from_digit(a as u32 % 40, radix), a.is_digit(radix))
    }

    fn letters_encoded(a: char) -> ([u8; 4], [u16; 2], [usize; 2]) {
        let (mut bytes, mut words) = ([0; 4], [0; 2]);
        let lengths = [a.encode_utf8(&mut bytes).len(), a.encode_utf16(&mut words).len()];
        (bytes, words, lengths)
    }

    fn letters_from_numbers(a: u32, b: u8) -> (Option<char>, char, Option<u8>, Option<u16>) {
        let letter = char::from_u32(a);
        (letter, char::from(b), letter.and_then(|c| u8::try_from(c).ok()), letter.and_then(|c| u16::try_from(c).ok()))
    }

    fn letters_in_ranges(a: char) -> (usize, Option<char>, u32) {
        let after = a..=char::from_u32(a as u32 + 3).unwrap_or(a);
        (after.clone().count(), after.clone().next_back(), mix(('a'..'f').rev().chain(after).map(u32::from)))
    }

    fn bytes_classified(a: u8) -> ([bool; 8], [u8; 2], bool) {
        (
            [
                a.is_ascii(), a.is_ascii_alphabetic(), a.is_ascii_digit(), a.is_ascii_hexdigit(), a.is_ascii_punctuation(),
                a.is_ascii_graphic(), a.is_ascii_whitespace(), a.is_ascii_control(),
            ],
            [a.to_ascii_uppercase(), a.to_ascii_lowercase()],
            a.eq_ignore_ascii_case(&b'F'),
        )
    }

    fn numbers_written_by_hand(a: u32) -> ([u8; 10], usize) {
        let (mut digits, mut at, mut rest) = ([0; 10], 10, a);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        // SAFETY: digits.
        let text = unsafe { str::from_utf8_unchecked(&digits[at..]) };
        (digits, if text.parse() == Ok(a) { text.len() } else { 99 })
    }

    fn text_in_constants(which: u8) -> (u32, usize, u32) {
        const BYTES: &[u8; 3] = b"x\xff\0";
        const RAW: &str = r#"a"\n"#;
        const JOINED: &str = concat!("one", 2, '3', true);
        static C: &std::ffi::CStr = c"end";
        (sum(JOINED) ^ BYTES[which as usize % 3] as u32, RAW.len(), mix(C.to_bytes_with_nul().iter().map(|&byte| byte as u32)))
    }
}

traps! {
    fn text_cut_in_a_letter(at: usize) -> u32 { sum(&"größe"[at..]) } [(2,), (3,), (4,), (7,), (8,)]

    fn text_split_too_far(at: usize) -> u32 { sum("abc".split_at(at).1) } [(3,), (4,)]

    fn radix_of_a_digit(radix: u32) -> u32 { '7'.to_digit(radix).unwrap_or(99) } [(10,), (2,), (37,), (1,)]

    fn radix_for_a_digit(radix: u32) -> u32 { char::from_digit(3, radix).map_or(99, u32::from) } [(10,), (2,), (37,)]

    fn parse_no_number(which: usize) -> u32 { TEXTS[which].parse::<u32>().expect("a number") } [(0,), (2,)]

    fn encode_into_too_little(a: char) -> usize { a.encode_utf8(&mut [0; 2]).len() } [('a',), ('ß',), ('€',)]
}
