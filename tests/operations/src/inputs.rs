//! The inputs: for one operand many, for two all pairs of a table, for three a selection; the same ones in every run.

use crate::kinds::{Content, Kind};

/// How many numbers a kind's table has.
const TABLE: usize = 64;
const ALONE: usize = 4096;
const TRIPLES: usize = 8192;

/// The operands of all cases, one case after another.
pub fn of(operands: &[Kind]) -> Vec<u64> {
    let mut random = Random(operands.len() as u64);
    match operands {
        [a] => {
            let mut words = table(a);
            while words.len() < ALONE {
                words.push(random.of(a));
            }
            words
        }
        [a, b] => {
            let second = table(b);
            table(a).into_iter().flat_map(|a| second.iter().flat_map(move |&b| [a, b])).collect()
        }
        [a, b, c] => {
            let tables = [a, b, c].map(table);
            let selection: Vec<u64> = (0..TRIPLES).flat_map(|turn| triple([a, b, c], &tables, turn, &mut random)).collect();
            // Products alone, at the edge of what is too small.
            let [first, second, _] = &tables;
            let products = first.iter().flat_map(|&a| second.iter().flat_map(move |&b| [a, b, 0]));
            selection.into_iter().chain(products).collect()
        }
        _ => unreachable!("operations have up to three operands"),
    }
}

/// Numbers of the tables, numbers at random, or such whose sum almost vanishes, in turn.
fn triple(kinds: [&Kind; 3], tables: &[Vec<u64>; 3], turn: usize, random: &mut Random) -> [u64; 3] {
    match turn % 4 {
        0 | 1 => [0, 1, 2].map(|place| tables[place][random.next() as usize % TABLE]),
        2 => kinds.map(|kind| random.of(kind)),
        _ => {
            let [a, b, c] = kinds.map(|kind| random.of(kind));
            [a, b, opposite_product(kinds[0], a, b).unwrap_or(c)]
        }
    }
}

/// `-(a * b)`, rounded, where the host can say it.
fn opposite_product(kind: &Kind, a: u64, b: u64) -> Option<u64> {
    match (kind.content, kind.width) {
        (Content::Floats(..), 64) => Some(-(f64::from_bits(a) * f64::from_bits(b))).filter(|it| !it.is_nan()).map(f64::to_bits),
        (Content::Floats(8, 23), _) => {
            let product = f32::from_bits(a as u32) * f32::from_bits(b as u32);
            (!product.is_nan()).then(|| (-product).to_bits().into())
        }
        _ => None,
    }
}

/// A kind's numbers at the edges, filled up with others.
fn table(kind: &Kind) -> Vec<u64> {
    let mut random = Random(kind.width.into());
    let mut words = match kind.content {
        Content::Integer => vec![
            0,
            1,
            2,
            3,
            0x7f,
            0x80,
            0xff,
            0x100,
            0x7fff,
            0x8000,
            0xffff,
            0x1_0000,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0xffff_fffe,
            0x3210,
            0x7654,
            0xfedc_ba98,
            0x0123_4567,
            0x89ab_cdef,
            0x3322_1100,
            0x7f80_ff01,
            0x8080_8080,
            0x7f7f_7f7f,
            0x8000_8000,
        ],
        Content::Floats(exponent_bits, fraction_bits) => {
            let floats = floats(exponent_bits, fraction_bits);
            let width = exponent_bits + fraction_bits + 1;
            // The other half of a pair is from further on.
            let pair = |place: usize| if width < kind.width { floats[(place * 5 + 7) % floats.len()] << width } else { 0 };
            floats.iter().enumerate().map(|(place, &low)| low | pair(place)).collect()
        }
    };
    while words.len() < TABLE {
        words.push(random.of(kind));
    }
    words
}

/// A format's numbers at the edges: zero, subnormal numbers, numbers around one, the greatest, infinity and NaNs, with both signs.
fn floats(exponent_bits: u32, fraction_bits: u32) -> Vec<u64> {
    let normal = 1 << fraction_bits;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    let power = |exponent: i64| ((bias + exponent) as u64) << fraction_bits;
    let one = power(0);
    let positive = [
        0,
        1,
        2,
        normal / 2,
        normal - 1,
        normal,
        normal + 1,
        power(-i64::from(fraction_bits) - 1),
        power(-i64::from(fraction_bits)),
        power(-2) + normal / 3,
        power(-1),
        one - 1,
        one,
        one + 1,
        one + normal / 2,
        one + normal / 2 + 1,
        power(1),
        power(1) + normal / 2,
        power(3) + normal / 4,
        power(i64::from(fraction_bits)),
        power(i64::from(fraction_bits) + 1) + 1,
        infinity - normal,
        infinity - 1,
        infinity,
        infinity + 1,
        infinity + normal / 2,
        infinity + normal - 1,
    ];
    let sign = 1 << (exponent_bits + fraction_bits);
    positive.into_iter().chain(positive.map(|bits| bits | sign)).collect()
}

/// Numbers at random, the same in every run: a linear congruence (Knuth, The Art of Computer Programming, 3.3.4).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33 ^ self.0 << 20
    }

    /// Any number of a kind, half of the floats between 1/32 and 32.
    fn of(&mut self, kind: &Kind) -> u64 {
        let word = self.next() & (u64::MAX >> (64 - kind.width));
        match kind.content {
            Content::Floats(exponent_bits, fraction_bits) if self.next().is_multiple_of(2) => {
                let width = exponent_bits + fraction_bits + 1;
                let exponents = ((1 << exponent_bits) - 1) << fraction_bits;
                let bias = (1 << (exponent_bits - 1)) - 1;
                let moderate = |bits: u64| bits & !exponents | (bias - 5 + (bits & exponents) / (1 << fraction_bits) % 10) << fraction_bits;
                (0..kind.width / width)
                    .fold(0, |words, place| words | moderate(word >> (place * width) & (u64::MAX >> (64 - width))) << (place * width))
            }
            _ => word,
        }
    }
}
