//! Operators of own types, the traits of `core` that user types implement, derived traits, hashing.

use std::{
    borrow::{Borrow, BorrowMut},
    cmp::Ordering,
    hash::{BuildHasher, BuildHasherDefault, Hash, Hasher},
    ops::{
        Add, AddAssign, BitAnd, BitOr, BitXor, Deref, DerefMut, Div, Index, IndexMut, Mul, MulAssign, Neg, Not, Range, Rem, Shl, ShrAssign,
        Sub, SubAssign,
    },
    pin::Pin,
    str::FromStr,
};

use meaning::{cases, traps};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Point {
    x: i32,
    y: i32,
}

impl Add for Point {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Point { x: self.x.wrapping_add(other.x), y: self.y.wrapping_add(other.y) }
    }
}

impl Sub<&Point> for &Point {
    type Output = Point;

    fn sub(self, other: &Point) -> Point {
        Point { x: self.x.wrapping_sub(other.x), y: self.y.wrapping_sub(other.y) }
    }
}

impl Mul<i32> for Point {
    type Output = Self;

    fn mul(self, by: i32) -> Self {
        Point { x: self.x.wrapping_mul(by), y: self.y.wrapping_mul(by) }
    }
}

impl Mul<Point> for i32 {
    type Output = Point;

    fn mul(self, point: Point) -> Point {
        point * self
    }
}

/// The dot product.
impl Mul for Point {
    type Output = i64;

    fn mul(self, other: Self) -> i64 {
        self.x as i64 * other.x as i64 / 2 + self.y as i64 * other.y as i64 / 2
    }
}

impl Neg for Point {
    type Output = Self;

    fn neg(self) -> Self {
        Point { x: self.x.wrapping_neg(), y: self.y.wrapping_neg() }
    }
}

impl Not for Point {
    type Output = bool;

    fn not(self) -> bool {
        self == Point::default()
    }
}

impl Div<u8> for Point {
    type Output = Option<Point>;

    fn div(self, by: u8) -> Option<Point> {
        Some(Point { x: self.x.checked_div(by as i32)?, y: self.y.checked_div(by as i32)? })
    }
}

impl Rem<i32> for Point {
    type Output = (i32, i32);

    fn rem(self, by: i32) -> (i32, i32) {
        (self.x.wrapping_rem(by | 1), self.y.wrapping_rem(by | 1))
    }
}

impl AddAssign for Point {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign<i32> for Point {
    fn sub_assign(&mut self, by: i32) {
        self.x = self.x.wrapping_sub(by);
    }
}

impl MulAssign<&i32> for Point {
    fn mul_assign(&mut self, by: &i32) {
        *self = *self * *by;
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
enum Kind {
    #[default]
    Nothing,
    Number(u16),
    Named {
        letter: char,
        flag: bool,
    },
    Pair(u8, Option<i8>),
}

fn kind(a: u8, b: u8) -> Kind {
    match a % 4 {
        0 => Kind::Nothing,
        1 => Kind::Number(b as u16 * 3),
        2 => Kind::Named { letter: b as char, flag: b > 9 },
        _ => Kind::Pair(b, (b > 50).then_some(b as i8)),
    }
}

#[derive(Default, Clone)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ *byte as u64).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    of.hash(&mut hasher);
    hasher.finish()
}

#[derive(Clone, Copy)]
struct Set(u64);

impl BitOr<u8> for Set {
    type Output = Self;

    fn bitor(self, bit: u8) -> Self {
        Set(self.0 | 1 << (bit % 64))
    }
}

impl BitAnd for Set {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Set(self.0 & other.0)
    }
}

impl BitXor<bool> for Set {
    type Output = u64;

    fn bitxor(self, flip: bool) -> u64 {
        if flip { !self.0 } else { self.0 }
    }
}

impl Shl<Point> for Set {
    type Output = Self;

    fn shl(self, by: Point) -> Self {
        Set(self.0 << (by.x as u32 % 64))
    }
}

impl ShrAssign<u8> for Set {
    fn shr_assign(&mut self, by: u8) {
        self.0 >>= by % 64;
    }
}

impl Index<u8> for Set {
    type Output = bool;

    fn index(&self, bit: u8) -> &bool {
        if self.0 >> (bit % 64) & 1 == 1 { &true } else { &false }
    }
}

struct Row([u16; 6]);

impl Index<Range<usize>> for Row {
    type Output = [u16];

    fn index(&self, range: Range<usize>) -> &[u16] {
        &self.0[range]
    }
}

impl Index<usize> for Row {
    type Output = u16;

    fn index(&self, at: usize) -> &u16 {
        &self.0[at % 6]
    }
}

impl IndexMut<usize> for Row {
    fn index_mut(&mut self, at: usize) -> &mut u16 {
        &mut self.0[at % 6]
    }
}

impl Deref for Row {
    type Target = [u16];

    fn deref(&self) -> &[u16] {
        &self.0
    }
}

impl DerefMut for Row {
    fn deref_mut(&mut self) -> &mut [u16] {
        &mut self.0
    }
}

impl AsRef<[u16]> for Row {
    fn as_ref(&self) -> &[u16] {
        &self.0[1..]
    }
}

impl AsMut<[u16]> for Row {
    fn as_mut(&mut self) -> &mut [u16] {
        &mut self.0[..2]
    }
}

impl FromStr for Point {
    type Err = u8;

    fn from_str(text: &str) -> Result<Self, u8> {
        let at = text.bytes().position(|byte| byte == b'|').ok_or(1)?;
        Ok(Point { x: text[..at].parse().map_err(|_| 2)?, y: text[at + 1..].parse().map_err(|_| 3)? })
    }
}

impl From<(i32, i32)> for Point {
    fn from((x, y): (i32, i32)) -> Self {
        Point { x, y }
    }
}

impl TryFrom<[i64; 2]> for Point {
    type Error = usize;

    fn try_from([x, y]: [i64; 2]) -> Result<Self, usize> {
        Ok(Point { x: x.try_into().map_err(|_| 0usize)?, y: y.try_into().map_err(|_| 1usize)? })
    }
}

cases! {
    fn arithmetic_of_points(x: i32, y: i32, by: i32) -> ((i32, i32), (i32, i32), i64, bool) {
        let (a, b) = (Point { x, y }, Point { x: y, y: 3 });
        let (c, d) = (a + -b * by, by * (&a - &b));
        ((c.x, c.y), (d.x, d.y), a * b, !c)
    }

    fn division_of_points(x: i32, y: i32, by: u8) -> (Option<(i32, i32)>, (i32, i32)) {
        let point = Point::from((x / 2, y));
        ((point / by).map(|point| (point.x, point.y)), point % by as i32)
    }

    fn assigning_operators(x: i32, y: i32, by: i32) -> (i32, i32) {
        let mut point: Point = (x, y).into();
        point += Point { x: 1, ..Default::default() };
        point *= &by;
        point -= 5;
        (point.x, point.y)
    }

    fn bits_of_sets(a: u64, b: u8, flip: bool) -> (u64, u64, bool, bool) {
        let mut set = Set(a) | b | 3;
        let other = set & Set(0xff) << Point { x: b as i32, y: 0 };
        set >>= b;
        (other.0, set ^ flip, set[b], Set(a)[0])
    }

    fn indexed_rows(values: [u16; 6], at: usize, to: u16) -> (u16, u16, u32) {
        let mut row = Row(values);
        row[at] ^= to;
        row[at.wrapping_add(1)] = row[0].rotate_left(1);
        (row[at], row[5], row[1..4].iter().map(|&value| value as u32).sum())
    }

    fn dereferenced_rows(values: [u16; 6], at: usize) -> (usize, u16, Option<u16>, [u16; 6]) {
        let mut row = Row(values);
        row.reverse();
        row.iter_mut().for_each(|value| *value ^= 1);
        row.swap(0, at % 6);
        (row.len(), *row.last().unwrap_or(&0), row.get(at).copied(), row.0)
    }

    fn borrowed_rows(values: [u16; 6]) -> (u32, usize, u16) {
        fn sum(of: impl AsRef<[u16]>) -> u32 {
            of.as_ref().iter().map(|&value| value as u32).sum()
        }
        fn longest<B: Borrow<[u16]>>(of: B) -> usize {
            of.borrow().len()
        }
        let (mut row, mut array) = (Row(values), values);
        row.as_mut()[1] = 7;
        let part: &mut [u16] = array.borrow_mut();
        part[0] = 1;
        (sum(&row) + sum(array), longest(array), row[1])
    }

    fn parsed_points(which: u8) -> Result<(i32, i32), u8> {
        let text = ["1|2", "-5|", "12", "x|1", "2147483647|-2147483648", "3|2147483648"][which as usize % 6];
        text.parse::<Point>().map(|point| (point.x, point.y))
    }

    fn tried_conversions(x: i64, y: i64) -> (Result<i32, usize>, bool) {
        let point = Point::try_from([x, y]);
        let back: Result<Point, usize> = [y, x].try_into();
        (point.map(|point| point.x ^ point.y), back == point)
    }

    fn derived_equality(a: u8, b: u8, c: u8) -> ([bool; 3], Ordering, Option<Ordering>) {
        let (left, right) = (kind(a, b), kind(c, 50));
        ([left == right, left != right, left < right], left.cmp(&right), left.partial_cmp(&right))
    }

    fn derived_order_of_structs(x: i32, y: i32, z: i32) -> (Ordering, bool, (i32, i32)) {
        let (left, right) = (Point { x, y }, Point { x: y, y: z });
        let larger = left.max(right);
        (left.cmp(&right), left >= right, (larger.x, larger.y))
    }

    fn derived_defaults(a: u8) -> (bool, i32, bool) {
        #[derive(Default, PartialEq, Clone)]
        struct All {
            kind: Kind,
            point: Point,
            flag: bool,
            numbers: [u16; 3],
            text: &'static str,
        }
        let all = All { numbers: [a as u16; 3], ..Default::default() };
        (all == All::default(), all.point.x + all.text.len() as i32, all.clone().kind == kind(a, 0) && !all.flag)
    }

    fn derived_hashes(a: u8, b: u8, x: i32) -> (u64, u64) {
        (hash(&kind(a, b)), hash(&(Point { x, y: 1 }, [a, b], kind(b, a))))
    }

    fn hashes_of_the_library(a: u32, b: u8, c: bool) -> [u64; 5] {
        [hash(&a), hash(&(b, c)), hash(&Some(a)), hash(["", "a", "größer"][b as usize % 3]), hash(&[a, 1][..])]
    }

    fn hashers_built(a: u64) -> (u64, bool) {
        let build = BuildHasherDefault::<Fnv>::default();
        (build.hash_one(a), build.hash_one((a, 1u8)) == BuildHasherDefault::<Fnv>::new().hash_one((a, 1u8)))
    }

    fn hash_table(keys: [u32; 6], wanted: u32) -> (Option<usize>, usize) {
        let mut table = [None; 8];
        let mut steps = 0;
        for (number, key) in keys.into_iter().enumerate() {
            let mut at = hash(&key) as usize % 8;
            while let Some((other, _)) = table[at]
                && other != key
            {
                at = (at + 1) % 8;
                steps += 1;
            }
            table[at] = Some((key, number));
        }
        let start = hash(&wanted) as usize % 8;
        let found = (0..8).map(|step| table[(start + step) % 8]).take_while(Option::is_some).flatten().find(|pair| pair.0 == wanted);
        (found.map(|pair| pair.1), steps)
    }

    fn pinned_values(a: u32) -> (u32, u32) {
        let mut value = a;
        let mut pinned = Pin::new(&mut value);
        pinned.set(a ^ 3);
        *pinned.as_mut().get_mut() += (a & 1) + 1 - 1;
        let found = *pinned;
        (found, *Pin::into_inner(pinned))
    }

    fn partial_orders(a: f32, b: f32) -> (Option<Ordering>, [bool; 4]) {
        #[derive(PartialEq, PartialOrd)]
        struct Measured {
            value: f32,
            weight: u8,
        }
        let (left, right) = (Measured { value: a, weight: 1 }, Measured { value: b, weight: 2 });
        (left.partial_cmp(&right), [left < right, left <= right, left > right, left == right])
    }

    fn compared_with_others(a: u32, b: u8) -> [bool; 4] {
        struct Id(u32);
        impl PartialEq<u32> for Id {
            fn eq(&self, other: &u32) -> bool {
                self.0 == *other
            }
        }
        impl PartialOrd<u32> for Id {
            fn partial_cmp(&self, other: &u32) -> Option<Ordering> {
                self.0.partial_cmp(other)
            }
        }
        let id = Id(a);
        [id == b as u32, id != 3, id < b as u32, id >= 100]
    }
}

traps! {
    fn index_of_own(values: [u16; 6], from: usize, to: usize) -> u16 { Row(values)[from..to].iter().fold(0, |sum, value| sum ^ value) }
    [([1, 2, 3, 4, 5, 6], 1, 6), ([1, 2, 3, 4, 5, 6], 1, 7), ([1, 2, 3, 4, 5, 6], 3, 2)]
}
