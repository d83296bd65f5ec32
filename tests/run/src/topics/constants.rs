//! Constants and statics: tables, texts, addresses of other statics and of functions.

use crate::case::{cases, traps};

const POWERS: [u64; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];
const MIXED: [(u64, u8, i16); 4] = [(1, 2, -3), (4, 5, 6), (u64::MAX, 255, i16::MIN), (0, 0, 0)];
const NOTHING: () = ();

static TABLE: [[u16; 3]; 4] = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [60_000, 0, 1]];
static TEXT: &str = "oxide ≤ 1";
static WORDS: [&str; 4] = ["", "a", "two", "größer"];
static RAGGED: &[&[i32]] = &[&[1, 2, 3], &[], &[-4]];
static FIRST: u32 = 5;
static CHAIN: [&u32; 3] = [&FIRST, &TAIL.1, &FIRST];
static TAIL: (u8, u32) = (1, 77);
static INSIDE: &u16 = &TABLE[3][0];
static FUNCTIONS: [fn(u32) -> u32; 3] = [double, half, |value| value ^ 1];
static OPTIONS: [Option<&'static str>; 2] = [None, Some("some")];
static NESTED: Tree = Tree { value: 1, left: Some(&Tree { value: 2, left: None, right: Some(&LEAF) }), right: Some(&LEAF) };
static LEAF: Tree = Tree { value: 9, left: None, right: None };
static ZEROS: [u8; 1000] = [0; 1000];
static mut MUTABLE: [u32; 4] = [1, 2, 3, 4];

struct Tree {
    value: u32,
    left: Option<&'static Tree>,
    right: Option<&'static Tree>,
}

fn double(value: u32) -> u32 {
    value.wrapping_mul(2)
}

fn half(value: u32) -> u32 {
    value / 2
}

trait Shape: Sync {
    fn corners(&self) -> u32;
    fn name(&self) -> &'static str;
}

struct Square(u8);
struct Circle;

impl Shape for Square {
    fn corners(&self) -> u32 {
        4 * self.0 as u32
    }

    fn name(&self) -> &'static str {
        "square"
    }
}

impl Shape for Circle {
    fn corners(&self) -> u32 {
        0
    }

    fn name(&self) -> &'static str {
        "circle"
    }
}

static SHAPES: [&dyn Shape; 3] = [&Square(1), &Circle, &Square(3)];

fn checksum(text: &str) -> u32 {
    text.bytes().fold(text.len() as u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte as u32))
}

cases! {
    fn tables(i: usize, j: usize) -> (u64, (u64, u8, i16), u16) {
        let () = NOTHING;
        (POWERS[i % 8], MIXED[j % 4], TABLE[j % 4][i % 3])
    }

    fn texts(i: usize) -> (u32, usize, u32, bool) {
        let word = WORDS[i % 4];
        (checksum(word), word.len(), checksum(TEXT), word.is_empty())
    }

    fn letters(i: usize) -> (Option<char>, usize, u32, Option<usize>) {
        let word = WORDS[i % 4];
        (word.chars().next_back(), word.bytes().rev().count(), word.chars().map(|letter| letter as u32).sum(), word.bytes().position(|byte| byte == b'w'))
    }

    fn slices_of_slices(i: usize, j: usize) -> (Option<i32>, usize) {
        let row = RAGGED[i % 3];
        (row.get(j).copied(), row.len())
    }

    fn static_addresses(i: usize) -> (u32, u16, bool) {
        (*CHAIN[i % 3], *INSIDE, std::ptr::eq(CHAIN[0], CHAIN[2]))
    }

    fn function_table(i: usize, a: u32) -> u32 {
        FUNCTIONS[i % 3](a)
    }

    fn objects(i: usize) -> (u32, u32) {
        let shape = SHAPES[i % 3];
        (shape.corners(), checksum(shape.name()))
    }

    fn optional_texts(i: usize) -> Option<u32> {
        OPTIONS[i % 2].map(checksum)
    }

    fn trees(go: [bool; 3]) -> Option<u32> {
        let mut here = &NESTED;
        for right in go {
            here = if right { here.right? } else { here.left? };
        }
        Some(here.value)
    }

    fn trees_sum(_a: bool) -> u32 {
        fn sum(tree: Option<&Tree>) -> u32 {
            tree.map_or(0, |tree| tree.value + sum(tree.left) + sum(tree.right))
        }
        sum(Some(&NESTED))
    }

    fn zeros(i: usize) -> u8 {
        ZEROS[i % 1000]
    }

    fn mutable(i: usize) -> [u32; 2] {
        let table = &raw mut MUTABLE;
        // SAFETY: in bounds, and every thread writes what is there already.
        unsafe {
            (*table)[3] = 4;
            [(*table)[i % 4], (*table).len() as u32]
        }
    }

    fn promoted(a: u32, which: bool) -> (u32, usize) {
        let chosen: &'static [u32; 2] = if which { &[1, 2] } else { &[3, 4] };
        let _: &'static u32 = &5;
        (chosen[a as usize % 2], chosen.len())
    }

    fn blocks(a: u32) -> [u32; 3] {
        const LIMIT: u32 = {
            let mut limit = 1;
            while limit < 1000 {
                limit *= 3;
            }
            limit
        };
        const SQUARES: [u32; 6] = {
            let mut squares = [0; 6];
            let mut i = 0;
            while i < 6 {
                squares[i] = (i * i) as u32;
                i += 1;
            }
            squares
        };
        [a.min(LIMIT), SQUARES[a as usize % 6], const { 7 * 6 }]
    }

    fn big_numbers(which: bool) -> (u128, i128, u64) {
        const WIDE: u128 = 0x0123_4567_89ab_cdef_0011_2233_4455_6677;
        if which { (WIDE, i128::MIN, u64::MAX) } else { (WIDE.swap_bytes(), -1, 1 << 63) }
    }
}

traps! {}
