//! Constants and statics of every shape: tables looked up at run time, addresses into others, padding, bits that are easily lost.

use std::{cell::Cell, mem::MaybeUninit, num::NonZero, ptr};

use meaning::{cases, traps};

struct Entry {
    code: u8,
    name: &'static str,
    range: (u16, u32),
    next: Option<&'static Entry>,
    run: fn(u32, &Entry) -> u32,
}

fn add(a: u32, entry: &Entry) -> u32 {
    a.wrapping_add(entry.range.1)
}

fn mask(a: u32, entry: &Entry) -> u32 {
    a & entry.range.0 as u32
}

static ENTRIES: [Entry; 4] = [
    Entry { code: 3, name: "add", range: (1, 100_000), next: Some(&LAST), run: add },
    Entry { code: 200, name: "", range: (0xff0f, 0), next: None, run: mask },
    Entry { code: 0, name: "größer", range: (7, 9), next: None, run: |a, entry| a.rotate_left(entry.code as u32 + 1) },
    Entry { code: 255, name: "x", range: (u16::MAX, u32::MAX), next: Some(&LAST), run: add },
];
static LAST: Entry = Entry {
    code: 9,
    name: "last",
    range: (2, 3),
    next: Some(&Entry { code: 4, name: "end", range: (0xf0f0, 5), next: None, run: add }),
    run: mask,
};

/// More entries than fit anywhere but in memory.
static SINES: [u16; 2048] = {
    let mut table = [0; 2048];
    let (mut i, mut state) = (0, 12345u32);
    while i < table.len() {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
        table[i] = (state >> 16) as u16;
        i += 1;
    }
    table
};

const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let (mut crc, mut bit) = (i as u32, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

static LISTS: &[&[&str]] = &[&["a", "bc"], &[], &["def", "", "ß"]];
static PAIRS: &[(char, Option<u64>, [i8; 3])] =
    &[('a', None, [1, -2, 3]), ('😀', Some(u64::MAX), [-128, 127, 0]), ('\0', Some(0), [5, 6, 7])];
static INNER: [[u32; 3]; 3] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]];
static INSIDE: [&u32; 3] = [&INNER[2][1], &INNER[0][0], &INNER[1][2]];
static PARTS: [&[u32]; 3] = [INNER[1].split_at(1).1, &INNER[2], INNER.as_flattened().split_at(4).1];
static mut COUNTERS: [(u8, u32); 3] = [(1, 10), (2, 20), (3, 30)];
static FLOATS: [f64; 8] =
    [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE / 3.0, -1.5e300, 0.1, f64::from_bits(0x7ff8_dead_beef_0001)];
static LOOSE: [MaybeUninit<u32>; 3] = [MaybeUninit::new(5), MaybeUninit::uninit(), MaybeUninit::new(7)];
static PADDED: [(u8, u64, u16); 3] = [(1, 2, 3), (255, u64::MAX, 65535), (0, 1 << 63, 9)];

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Dot,
    Line(u32),
    Box { low: (i8, i8), high: (i64, i64) },
    Text(&'static str),
}

static SHAPES: [Shape; 5] =
    [Shape::Line(7), Shape::Dot, Shape::Box { low: (-1, 2), high: (i64::MIN, 4) }, Shape::Text("text"), Shape::Line(u32::MAX)];

trait Rule: Sync {
    const WEIGHT: u32;
    const TABLE: &'static [u16];

    fn get(i: usize) -> u32 {
        Self::WEIGHT + Self::TABLE[i % Self::TABLE.len()] as u32
    }
}

struct First;
struct Second<const N: usize>;

impl Rule for First {
    const WEIGHT: u32 = 1000;
    const TABLE: &'static [u16] = &[1, 2, 3];
}

impl<const N: usize> Rule for Second<N> {
    const WEIGHT: u32 = N as u32 * 100;
    const TABLE: &'static [u16] = &[N as u16; N];
}

fn checksum(text: &str) -> u32 {
    text.bytes().fold(text.len() as u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte as u32))
}

cases! {
    fn entries(i: usize, a: u32) -> (u8, u32, (u16, u32), u32) {
        let entry = &ENTRIES[i % 4];
        (entry.code, checksum(entry.name), entry.range, (entry.run)(a, entry))
    }

    fn entries_linked(i: usize, a: u32) -> (u32, u8) {
        let (mut here, mut value, mut last) = (Some(&ENTRIES[i % 4]), a, 0);
        for _ in 0..6 {
            let Some(entry) = here else { break };
            value = (entry.run)(value, entry).wrapping_mul(3);
            (here, last) = (entry.next, entry.code);
        }
        (value, last)
    }

    fn entries_in_a_loop(a: u8) -> (Option<u32>, u32) {
        let found = ENTRIES.iter().find(|entry| entry.code == a).map(|entry| checksum(entry.name));
        (found, ENTRIES.iter().map(|entry| entry.range.0 as u32).sum())
    }

    fn large_table(i: usize, j: usize) -> (u16, u16, usize) {
        (SINES[i % 2048], SINES[j % 2048], SINES.iter().position(|&value| value == SINES[i % 2048]).unwrap_or(9999))
    }

    fn table_computed(bytes: [u8; 6], length: usize) -> u32 {
        !bytes[..length % 7].iter().fold(!0, |crc, &byte| crc >> 8 ^ CRC[(crc as u8 ^ byte) as usize])
    }

    fn lists_of_texts(i: usize, j: usize) -> (usize, Option<u32>) {
        let list = LISTS[i % 3];
        (list.len(), list.get(j).map(|text| checksum(text)))
    }

    fn pairs_of_many(i: usize, j: usize) -> (char, Option<u64>, i8) {
        let (letter, number, small) = &PAIRS[i % 3];
        (*letter, *number, small[j % 3])
    }

    fn addresses_inside(i: usize, j: usize) -> (u32, u32, bool, usize) {
        let part = PARTS[i % 3];
        (*INSIDE[i % 3], part[j % part.len()], ptr::eq(INSIDE[1], &INNER[0][0]), part.len())
    }

    fn padded_entries(i: usize) -> (u8, u64, u16) {
        PADDED[i % 3]
    }

    fn partly_uninitialised(i: usize) -> u32 {
        // SAFETY: the first and the last have a value.
        unsafe { LOOSE[i % 2 * 2].assume_init() }
    }

    fn enums_in_tables(i: usize, j: usize) -> (u64, bool) {
        let shape = SHAPES[i % 5];
        let size = match shape {
            Shape::Dot => 1,
            Shape::Line(length) => length as u64,
            Shape::Box { low: (x, _), high: (_, y) } => (x as i64 - y) as u64,
            Shape::Text(text) => checksum(text) as u64,
        };
        (size, shape == SHAPES[j % 5])
    }

    fn floats_in_tables(i: usize) -> (f64, u64) {
        let value = FLOATS[i % 8];
        (value, if value.is_nan() { 1 } else { value.to_bits() })
    }

    fn mutable_tables(i: usize) -> (u8, u32, usize) {
        let table = &raw const COUNTERS;
        // SAFETY: in bounds, and nothing is ever written.
        unsafe { ((*table)[i % 3].0, (&raw const (*table)[i % 3].1).read(), (*table).len()) }
    }

    fn constants_of_traits(i: usize) -> (u32, u32, u32, usize) {
        (First::get(i), Second::<4>::get(i), Second::<9>::WEIGHT, Second::<5>::TABLE.len() + First::TABLE.len())
    }

    fn constants_with_cells(a: u32) -> (u32, u32, usize) {
        #[allow(clippy::declare_interior_mutable_const)]
        const EMPTY: Cell<Option<NonZero<u32>>> = Cell::new(None);
        let cells = [EMPTY; 3];
        cells[1].set(NonZero::new(a));
        (cells[1].get().map_or(7, NonZero::get), cells[0].get().map_or(8, NonZero::get), cells.len())
    }

    fn promoted_values(a: u8, which: bool) -> (u32, usize, u8) {
        #[inline(never)]
        fn pick<'a>(which: bool, local: &'a [u8]) -> &'a [u8] {
            if which { &[1, 2, 3] } else { local }
        }
        let local = [a, 4];
        let found = pick(which, &local);
        let text: &'static (&str, [u16; 2]) = &("promoted", [5, 6]);
        (checksum(text.0) + text.1[a as usize % 2] as u32, found.len(), found[1])
    }

    fn constants_of_constants(i: usize) -> (u64, u8, bool) {
        const SIZE: usize = size_of::<(u8, u64)>() / 4;
        const NUMBERS: [u64; SIZE] = [1 << 40; SIZE];
        const NAMES: [&[u8]; 2] = [b"abc", NOTHING.as_bytes()];
        const NOTHING: &str = "";
        const LONGEST: usize = if NAMES[0].len() > NAMES[1].len() { 0 } else { 1 };
        (NUMBERS[i % SIZE], NAMES[LONGEST][i % 3], NAMES[1].is_empty())
    }

    fn functions_in_constants(i: usize, a: i32) -> i32 {
        const OPERATIONS: &[(&str, fn(i32, i32) -> i32)] =
            &[("add", i32::wrapping_add), ("minus", |a, b| b.wrapping_sub(a)), ("max", Ord::max), ("if", |a, b| if a > b { 1 } else { b })];
        OPERATIONS.iter().skip(i % 4).fold(a, |value, (name, operation)| operation(value, name.len() as i32))
    }

    fn statics_in_functions(i: usize) -> (u16, u16, bool) {
        fn first() -> &'static [u16; 3] {
            static TABLE: [u16; 3] = [1, 2, 3];
            &TABLE
        }
        fn second() -> &'static [u16; 3] {
            static TABLE: [u16; 3] = [4, 5, 6];
            &TABLE
        }
        (first()[i % 3], second()[i % 3], ptr::eq(first(), first()))
    }

    fn generic_constants(i: usize) -> (usize, u32) {
        struct Power<const BASE: u32, const COUNT: usize>;
        impl<const BASE: u32, const COUNT: usize> Power<BASE, COUNT> {
            const TABLE: [u32; COUNT] = {
                let (mut table, mut i) = ([1u32; COUNT], 1);
                while i < COUNT {
                    table[i] = table[i - 1].wrapping_mul(BASE);
                    i += 1;
                }
                table
            };
        }
        (Power::<3, 5>::TABLE.len(), Power::<3, 5>::TABLE[i % 5] ^ Power::<10, 12>::TABLE[i % 12])
    }

    fn wide_constants(i: usize) -> (u128, i128) {
        static WIDE: [(u8, u128); 3] = [(1, u128::MAX), (2, 1 << 100), (3, 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210)];
        const SIGNED: [i128; 3] = [i128::MIN, -(1 << 70), i128::MAX - 1];
        (WIDE[i % 3].1.rotate_left(WIDE[i % 3].0 as u32), SIGNED[i % 3])
    }

    fn null_and_dangling(i: usize) -> (bool, usize, bool) {
        struct Pointers([*const u8; 3]);
        // SAFETY: never read through.
        unsafe impl Sync for Pointers {}
        static POINTERS: Pointers = Pointers([ptr::null(), ptr::without_provenance(64), (&raw const INNER).cast()]);
        let pointer = POINTERS.0[i % 3];
        (pointer.is_null(), if i % 3 == 2 { 0 } else { pointer.addr() }, pointer == (&raw const INNER).cast())
    }
}

traps! {
    fn table_out_of_bounds(i: usize) -> u16 { SINES[i] } [(2047,), (2048,)]
}
