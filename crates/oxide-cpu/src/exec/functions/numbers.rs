//! The GPU's arithmetic that Rust has no operators for (`src/oxide/dialects/operations/numbers.py`): exact, and then rounded once.
//!
//! ```text
//! add_f32(thread, site, ROUND_UP | FLUSH, 1.0, f32::MIN_POSITIVE)    →    1.0000001
//! ```
//!
//! Meanings are those of the PTX ISA's instructions. Where it leaves the bits of a NaN open they are those of NVIDIA's GPUs; a
//! NaN of `f64` keeps its payload. Approximations are the nearest number, which is within every bound.

use super::call::{Address, functions};
use crate::exec::thread::Thread;

/// How an operation rounds, and its other modifiers: the sum of those in its name.
#[derive(Clone, Copy)]
struct Modifiers(u32);

/// Of the two lowest bits.
const ROUNDING: u32 = 3;
const ROUND_ZERO: u32 = 1;
const ROUND_DOWN: u32 = 2;
const ROUND_UP: u32 = 3;
/// Subnormal numbers are zeros of their sign (`.ftz`).
const FLUSH: u32 = 4;
/// What lies between 0 and 1, and 0 for NaN (`.sat`).
const SATURATE: u32 = 8;
/// 0 for negative numbers (`.relu`).
const RELU: u32 = 16;
/// NaN where one of two is NaN, instead of the other one (`.NaN`).
const NAN: u32 = 32;
/// Magnitudes are compared, and signs multiplied (`.xorsign.abs`).
const MAGNITUDE: u32 = 64;

impl Modifiers {
    fn has(self, modifier: u32) -> bool {
        self.0 & modifier != 0
    }

    fn rounds_down(self) -> bool {
        self.0 & ROUNDING == ROUND_DOWN
    }
}

/// A binary format of IEEE 754: a sign, an exponent and a fraction.
#[derive(Clone, Copy)]
struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
    /// The NaN that results from operands without one.
    nan: u64,
    /// Whether the NaN of an operand is the result, as a quiet one.
    keeps_nan: bool,
}

const F16: Format = Format { exponent_bits: 5, fraction_bits: 10, nan: 0x7fff, keeps_nan: false };
const BF16: Format = Format { exponent_bits: 8, fraction_bits: 7, nan: 0x7fff, keeps_nan: false };
const F32: Format = Format { exponent_bits: 8, fraction_bits: 23, nan: 0x7fff_ffff, keeps_nan: false };
const F64: Format = Format { exponent_bits: 11, fraction_bits: 52, nan: 0xfff8_0000_0000_0000, keeps_nan: true };

impl Format {
    /// The bits of the sign.
    const fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// The bits of infinity.
    const fn infinity(self) -> u64 {
        self.sign() - self.smallest_normal()
    }

    const fn smallest_normal(self) -> u64 {
        1 << self.fraction_bits
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    const fn one(self) -> u64 {
        (self.bias() as u64) << self.fraction_bits
    }

    const fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }

    const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    const fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    const fn with_sign(self, magnitude: u64, negative: bool) -> u64 {
        if negative { magnitude | self.sign() } else { magnitude }
    }

    /// The number with a subnormal value flushed, where the modifiers require it.
    fn flushed(self, bits: u64, modifiers: Modifiers) -> u64 {
        if modifiers.has(FLUSH) && self.magnitude(bits) < self.smallest_normal() { bits & self.sign() } else { bits }
    }

    fn decode(self, bits: u64, modifiers: Modifiers) -> Number {
        let bits = self.flushed(bits, modifiers);
        let (negative, magnitude) = (self.is_negative(bits), self.magnitude(bits));
        if magnitude >= self.infinity() {
            return if magnitude == self.infinity() { Number::Infinite(negative) } else { Number::Nan };
        }
        let (exponent, fraction) = (magnitude >> self.fraction_bits, magnitude % self.smallest_normal());
        let significand = if exponent == 0 { fraction } else { fraction + self.smallest_normal() };
        let exponent = exponent.max(1) as i32 - self.bias() - self.fraction_bits as i32;
        Number::Finite(Exact { negative, significand: significand.into(), exponent })
    }

    /// The result of an operation on `operands`.
    fn encode(self, number: Number, modifiers: Modifiers, operands: &[u64]) -> u64 {
        let bits = match number {
            Number::Nan if modifiers.has(SATURATE) => 0,
            Number::Nan => match operands.iter().find(|&&it| self.keeps_nan && self.is_nan(it)) {
                Some(operand) => operand | self.smallest_normal() >> 1,
                None => self.nan,
            },
            Number::Infinite(negative) => self.with_sign(self.infinity(), negative),
            Number::Finite(exact) => {
                // What is too small before it is rounded is flushed, even if it would be rounded up to the smallest normal number.
                let magnitude = if modifiers.has(FLUSH) && exact.top() < 1 - self.bias() { 0 } else { self.round(exact, modifiers) };
                self.with_sign(magnitude, exact.negative)
            }
        };
        if self.is_negative(bits) && !self.is_nan(bits) && modifiers.has(SATURATE | RELU) {
            0
        } else if modifiers.has(SATURATE) {
            bits.min(self.one())
        } else {
            bits
        }
    }

    /// The magnitude of an exact number, rounded.
    fn round(self, exact: Exact, modifiers: Modifiers) -> u64 {
        let Exact { negative, significand, exponent } = exact;
        if significand == 0 {
            return 0;
        }
        // Away from zero for all that is left over, only for more than half, or not at all.
        let (always, by_half) = match modifiers.0 & ROUNDING {
            ROUND_ZERO => (false, false),
            ROUND_DOWN => (negative, false),
            ROUND_UP => (!negative, false),
            _ => (false, true),
        };
        let top = exact.top();
        // The result's last place.
        let place = (top - self.fraction_bits as i32).max(1 - self.bias() - self.fraction_bits as i32);
        let shift = place - exponent;
        let (kept, left, half) = match shift {
            ..=0 => (significand << -shift, 0, 1),
            1..=127 => (significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1)),
            _ => (0, 1, 2),
        };
        let up = left > 0 && always || by_half && (left > half || left == half && kept % 2 == 1);
        let significand = kept as u64 + u64::from(up);
        // What is carried out of the fraction belongs to the exponent.
        let exponent = (place + self.fraction_bits as i32 + self.bias() - 1) as u64;
        let magnitude = if exponent >= 1 << self.exponent_bits { self.infinity() } else { (exponent << self.fraction_bits) + significand };
        if magnitude < self.infinity() {
            magnitude
        } else if always || by_half {
            self.infinity()
        } else {
            self.infinity() - 1
        }
    }
}

/// A number without a format.
#[derive(Clone, Copy)]
enum Number {
    Nan,
    /// Whether it is negative.
    Infinite(bool),
    Finite(Exact),
}

/// A finite number, `significand * 2^exponent`. Where something was lost the last bit is set, far below the last place of any format.
#[derive(Clone, Copy)]
struct Exact {
    negative: bool,
    significand: u128,
    exponent: i32,
}

impl Exact {
    /// The exponent of the highest bit; as small as can be for zero.
    fn top(self) -> i32 {
        self.significand.checked_ilog2().map_or(i32::MIN, |bit| bit as i32 + self.exponent)
    }
}

/// Where the first bit of a significand is put: two bits remain for a sum, and what is lost is below a result's last place.
const TOP: u32 = 125;

impl Exact {
    const ONE: Self = Self { negative: false, significand: 1, exponent: 0 };

    const fn zero(negative: bool) -> Self {
        Self { negative, significand: 0, exponent: 0 }
    }

    /// The same number with its first bit at `TOP`; it is not zero.
    fn raised(self) -> Self {
        let shift = TOP - self.significand.ilog2();
        Self { significand: self.significand << shift, exponent: self.exponent - shift as i32, ..self }
    }

    /// The sum; `down` is whether zero is negative where two opposite numbers are added.
    fn plus(self, other: Self, down: bool) -> Self {
        if self.significand == 0 && other.significand == 0 {
            return Self::zero(if self.negative == other.negative { self.negative } else { down });
        }
        if self.significand == 0 || other.significand == 0 {
            return if self.significand == 0 { other } else { self };
        }
        let (mut large, mut small) = (self.raised(), other.raised());
        if (large.exponent, large.significand) < (small.exponent, small.significand) {
            (large, small) = (small, large);
        }
        let small_significand = shifted(small.significand, large.exponent.abs_diff(small.exponent));
        if large.negative == small.negative {
            return Self { significand: large.significand + small_significand, ..large };
        }
        match large.significand - small_significand {
            0 => Self::zero(down),
            significand => Self { significand, ..large },
        }
    }

    fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The quotient of two that are not zero.
    fn divided_by(self, other: Self) -> Self {
        let dividend = self.raised();
        let rest = dividend.significand % other.significand;
        Self {
            negative: self.negative != other.negative,
            significand: (dividend.significand / other.significand) | u128::from(rest != 0),
            exponent: dividend.exponent - other.exponent,
        }
    }

    /// The square root of a positive number.
    fn root(self) -> Self {
        let raised = self.raised();
        let odd = raised.exponent.rem_euclid(2);
        let square = raised.significand >> odd;
        let root = square.isqrt();
        Self { negative: false, significand: root | u128::from(root * root != square), exponent: (raised.exponent + odd) / 2 }
    }
}

/// `significand / 2^shift`, with the last bit set where something was lost.
fn shifted(significand: u128, shift: u32) -> u128 {
    let kept = significand.checked_shr(shift).unwrap_or(0);
    kept | u128::from(kept.checked_shl(shift) != Some(significand))
}

fn total(a: Number, b: Number, down: bool) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite(a), Number::Infinite(b)) if a != b => Number::Nan,
        (Number::Infinite(negative), _) | (_, Number::Infinite(negative)) => Number::Infinite(negative),
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.plus(b, down)),
    }
}

fn product(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite(a), Number::Infinite(b)) => Number::Infinite(a != b),
        (Number::Infinite(negative), Number::Finite(finite)) | (Number::Finite(finite), Number::Infinite(negative)) => match finite {
            Exact { significand: 0, .. } => Number::Nan,
            _ => Number::Infinite(negative != finite.negative),
        },
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.times(b)),
    }
}

fn quotient(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) | (Number::Infinite(_), Number::Infinite(_)) => Number::Nan,
        (Number::Infinite(negative), Number::Finite(b)) => Number::Infinite(negative != b.negative),
        (Number::Finite(a), Number::Infinite(negative)) => Number::Finite(Exact::zero(negative != a.negative)),
        (Number::Finite(Exact { significand: 0, .. }), Number::Finite(Exact { significand: 0, .. })) => Number::Nan,
        (Number::Finite(a), Number::Finite(b @ Exact { significand: 0, .. })) => Number::Infinite(a.negative != b.negative),
        (Number::Finite(a @ Exact { significand: 0, .. }), Number::Finite(b)) => Number::Finite(Exact::zero(a.negative != b.negative)),
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.divided_by(b)),
    }
}

fn root(a: Number) -> Number {
    match a {
        Number::Finite(Exact { significand: 0, .. }) => a,
        Number::Finite(Exact { negative: true, .. }) | Number::Infinite(true) => Number::Nan,
        Number::Finite(exact) => Number::Finite(exact.root()),
        Number::Infinite(false) | Number::Nan => a,
    }
}

fn add(format: Format, modifiers: Modifiers, [a, b]: [u64; 2]) -> u64 {
    let sum = total(format.decode(a, modifiers), format.decode(b, modifiers), modifiers.rounds_down());
    format.encode(sum, modifiers, &[a, b])
}

fn subtract(format: Format, modifiers: Modifiers, [a, b]: [u64; 2]) -> u64 {
    add(format, modifiers, [a, b ^ format.sign()])
}

fn multiply(format: Format, modifiers: Modifiers, [a, b]: [u64; 2]) -> u64 {
    format.encode(product(format.decode(a, modifiers), format.decode(b, modifiers)), modifiers, &[a, b])
}

fn multiply_add(format: Format, modifiers: Modifiers, [a, b, c]: [u64; 3]) -> u64 {
    let product = product(format.decode(a, modifiers), format.decode(b, modifiers));
    format.encode(total(product, format.decode(c, modifiers), modifiers.rounds_down()), modifiers, &[a, b, c])
}

fn divide(format: Format, modifiers: Modifiers, [a, b]: [u64; 2]) -> u64 {
    format.encode(quotient(format.decode(a, modifiers), format.decode(b, modifiers)), modifiers, &[a, b])
}

fn reciprocal(format: Format, modifiers: Modifiers, [a]: [u64; 1]) -> u64 {
    format.encode(quotient(Number::Finite(Exact::ONE), format.decode(a, modifiers)), modifiers, &[a])
}

fn square_root(format: Format, modifiers: Modifiers, [a]: [u64; 1]) -> u64 {
    format.encode(root(format.decode(a, modifiers)), modifiers, &[a])
}

fn negate(format: Format, _: Modifiers, [a]: [u64; 1]) -> u64 {
    if format.is_nan(a) { format.nan } else { a ^ format.sign() }
}

fn absolute(format: Format, _: Modifiers, [a]: [u64; 1]) -> u64 {
    if format.is_nan(a) { format.nan } else { format.magnitude(a) }
}

fn lesser(format: Format, modifiers: Modifiers, operands: [u64; 2]) -> u64 {
    extreme(format, modifiers, operands, |a, b| a < b)
}

fn greater(format: Format, modifiers: Modifiers, operands: [u64; 2]) -> u64 {
    extreme(format, modifiers, operands, |a, b| a > b)
}

/// The one of two that `is_first` says comes first, given numbers in the order of what the operands stand for.
fn extreme(format: Format, modifiers: Modifiers, operands: [u64; 2], is_first: fn(i64, i64) -> bool) -> u64 {
    let [mut a, mut b] = operands.map(|bits| format.flushed(bits, modifiers));
    let negative = format.is_negative(a) != format.is_negative(b);
    if modifiers.has(MAGNITUDE) {
        (a, b) = (format.magnitude(a), format.magnitude(b));
    }
    let order = |bits| {
        let magnitude = format.magnitude(bits) as i64;
        if format.is_negative(bits) { -1 - magnitude } else { magnitude }
    };
    let found = match (format.is_nan(a), format.is_nan(b)) {
        (false, false) => {
            if is_first(order(a), order(b)) {
                a
            } else {
                b
            }
        }
        (true, true) => return format.nan,
        _ if modifiers.has(NAN) => return format.nan,
        (true, false) => b,
        (false, true) => a,
    };
    if modifiers.has(MAGNITUDE) { format.with_sign(found, negative) } else { found }
}

/// The nearest number to the value of a function.
fn approximation(modifiers: Modifiers, [a]: [u64; 1], function: fn(f64) -> f64) -> u64 {
    let value = function(f32::from_bits(F32.flushed(a, modifiers) as u32).into()) as f32;
    if value.is_nan() { F32.nan } else { F32.flushed(value.to_bits().into(), modifiers) }
}

fn sine(_: Format, modifiers: Modifiers, operands: [u64; 1]) -> u64 {
    approximation(modifiers, operands, f64::sin)
}

fn cosine(_: Format, modifiers: Modifiers, operands: [u64; 1]) -> u64 {
    approximation(modifiers, operands, f64::cos)
}

fn power_of_two(_: Format, modifiers: Modifiers, operands: [u64; 1]) -> u64 {
    approximation(modifiers, operands, f64::exp2)
}

fn logarithm(_: Format, modifiers: Modifiers, operands: [u64; 1]) -> u64 {
    approximation(modifiers, operands, f64::log2)
}

fn hyperbolic_tangent(_: Format, modifiers: Modifiers, operands: [u64; 1]) -> u64 {
    approximation(modifiers, operands, f64::tanh)
}

fn reciprocal_root(format: Format, modifiers: Modifiers, [a]: [u64; 1]) -> u64 {
    match root(format.decode(a, modifiers)) {
        // A division by the exact root would need more digits; this is far more exact than required.
        Number::Finite(exact) if exact.significand != 0 => {
            let places = exact.significand.ilog2().saturating_sub(62);
            let short = Exact { significand: exact.significand >> places, exponent: exact.exponent + places as i32, ..exact };
            format.encode(Number::Finite(Exact::ONE.divided_by(short)), modifiers, &[a])
        }
        other => format.encode(quotient(Number::Finite(Exact::ONE), other), modifiers, &[a]),
    }
}

/// What is worked out with the upper half of an `f64` alone.
fn upper_half(modifiers: Modifiers, [a]: [u64; 1], function: fn(Format, Modifiers, [u64; 1]) -> u64) -> u64 {
    const UPPER: Format = Format { exponent_bits: 11, fraction_bits: 20, nan: 0x7fff_ffff, keeps_nan: false };
    function(UPPER, modifiers, [a >> 32]) << 32
}

fn rough_reciprocal(_: Format, modifiers: Modifiers, operands: [u64; 1]) -> u64 {
    upper_half(modifiers, operands, reciprocal)
}

/// Numbers as they travel: one, or two in one word.
trait Numbers: Copy {
    const FORMAT: Format;

    /// What a function of one number each makes of these.
    fn each<const N: usize>(operands: [Self; N], function: impl Fn([u64; N]) -> u64) -> Self;
}

impl Numbers for f32 {
    const FORMAT: Format = F32;

    fn each<const N: usize>(operands: [Self; N], function: impl Fn([u64; N]) -> u64) -> Self {
        Self::from_bits(function(operands.map(|it| it.to_bits().into())) as u32)
    }
}

impl Numbers for f64 {
    const FORMAT: Format = F64;

    fn each<const N: usize>(operands: [Self; N], function: impl Fn([u64; N]) -> u64) -> Self {
        Self::from_bits(function(operands.map(Self::to_bits)))
    }
}

/// A half float of format `F16`, or of `BF16` where `BRAIN`.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Half<const BRAIN: bool>(u16);

impl<const BRAIN: bool> Numbers for Half<BRAIN> {
    const FORMAT: Format = if BRAIN { BF16 } else { F16 };

    fn each<const N: usize>(operands: [Self; N], function: impl Fn([u64; N]) -> u64) -> Self {
        Self(function(operands.map(|it| it.0.into())) as u16)
    }
}

/// Two half floats, the first one low.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Pair<const BRAIN: bool>(u32);

impl<const BRAIN: bool> Numbers for Pair<BRAIN> {
    const FORMAT: Format = if BRAIN { BF16 } else { F16 };

    fn each<const N: usize>(operands: [Self; N], function: impl Fn([u64; N]) -> u64) -> Self {
        let low = function(operands.map(|it| (it.0 & 0xffff).into()));
        let high = function(operands.map(|it| (it.0 >> 16).into()));
        Self((low | high << 16) as u32)
    }
}

type HalfFloat = Half<false>;
type BrainFloat = Half<true>;
type HalfFloats = Pair<false>;
type BrainFloats = Pair<true>;

/// The sums of two pairs of half floats, each rounded to nearest.
pub fn add_pairs<const BRAIN: bool>(one: u32, two: u32) -> u32 {
    let format = if BRAIN { BF16 } else { F16 };
    Pair::<BRAIN>::each([Pair(one), Pair(two)], |operands| add(format, Modifiers(0), operands)).0
}

macro_rules! numbers {
    ($($name:ident: $type:ty = $function:ident($($operand:ident),+);)+) => {
        $(extern "C" fn $name(_: *mut Thread, _: u32, modifiers: u32, $($operand: $type),+) -> $type {
            <$type>::each([$($operand),+], |operands| $function(<$type>::FORMAT, Modifiers(modifiers), operands))
        })+

        /// The functions by name.
        pub static FUNCTIONS: &[(&str, Address)] =
            functions![permute, permute_one, dp4a_s32, dp4a_u32, dp2a_s32, dp2a_u32, $($name),+];
    };
}

numbers! {
    min_f16: HalfFloat = lesser(a, b);
    max_f16: HalfFloat = greater(a, b);

    min_bf16: BrainFloat = lesser(a, b);
    max_bf16: BrainFloat = greater(a, b);

    add_f16x2: HalfFloats = add(a, b);
    sub_f16x2: HalfFloats = subtract(a, b);
    mul_f16x2: HalfFloats = multiply(a, b);
    fma_f16x2: HalfFloats = multiply_add(a, b, c);
    neg_f16x2: HalfFloats = negate(a);
    abs_f16x2: HalfFloats = absolute(a);
    min_f16x2: HalfFloats = lesser(a, b);
    max_f16x2: HalfFloats = greater(a, b);

    add_bf16x2: BrainFloats = add(a, b);
    sub_bf16x2: BrainFloats = subtract(a, b);
    mul_bf16x2: BrainFloats = multiply(a, b);
    fma_bf16x2: BrainFloats = multiply_add(a, b, c);
    neg_bf16x2: BrainFloats = negate(a);
    abs_bf16x2: BrainFloats = absolute(a);
    min_bf16x2: BrainFloats = lesser(a, b);
    max_bf16x2: BrainFloats = greater(a, b);

    add_f32: f32 = add(a, b);
    mul_f32: f32 = multiply(a, b);
    fma_f32: f32 = multiply_add(a, b, c);
    div_f32: f32 = divide(a, b);
    rcp_f32: f32 = reciprocal(a);
    sqrt_f32: f32 = square_root(a);
    min_f32: f32 = lesser(a, b);
    max_f32: f32 = greater(a, b);

    add_f64: f64 = add(a, b);
    mul_f64: f64 = multiply(a, b);
    fma_f64: f64 = multiply_add(a, b, c);
    div_f64: f64 = divide(a, b);
    rcp_f64: f64 = reciprocal(a);
    sqrt_f64: f64 = square_root(a);

    sin_approx_f32: f32 = sine(a);
    cos_approx_f32: f32 = cosine(a);
    ex2_approx_f32: f32 = power_of_two(a);
    lg2_approx_f32: f32 = logarithm(a);
    rsqrt_approx_f32: f32 = reciprocal_root(a);
    sqrt_approx_f32: f32 = square_root(a);
    rcp_approx_f32: f32 = reciprocal(a);
    tanh_approx_f32: f32 = hyperbolic_tangent(a);
    rsqrt_approx_f64: f64 = reciprocal_root(a);
    rcp_approx_f64: f64 = rough_reciprocal(a);
}

/// For each mode of a permutation, the bytes that a selector from 0 to 3 takes, as the digits of the general form's selector.
const CHOICES: [[u32; 4]; 6] = [
    [0x3210, 0x4321, 0x5432, 0x6543],
    [0x5670, 0x6701, 0x7012, 0x0123],
    [0x0000, 0x1111, 0x2222, 0x3333],
    [0x3210, 0x3211, 0x3222, 0x3333],
    [0x0000, 0x1110, 0x2210, 0x3210],
    [0x1010, 0x3232, 0x1010, 0x3232],
];

/// Picks bytes of `b` and `a`: by the selector's digits in mode 0, else as `CHOICES` has it for the mode.
extern "C" fn permute(_: *mut Thread, _: u32, mode: u32, a: u32, b: u32, selector: u32) -> u32 {
    let digits = if mode == 0 { selector } else { CHOICES[mode as usize - 1][selector as usize % 4] };
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let pick = |place: u32| {
        let digit = digits >> (4 * place) & 0xf;
        let byte = bytes[digit as usize % 8];
        if digit < 8 { byte } else { (byte as i8 >> 7) as u8 }
    };
    u32::from_le_bytes([0, 1, 2, 3].map(pick))
}

/// The modes of one word.
extern "C" fn permute_one(thread: *mut Thread, site: u32, mode: u32, a: u32, selector: u32) -> u32 {
    permute(thread, site, mode, a, 0, selector)
}

extern "C" fn dp4a_s32(_: *mut Thread, _: u32, a: u32, b: u32, c: u32) -> u32 {
    let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| i32::from(a as i8) * i32::from(b as i8));
    c.wrapping_add(products.sum::<i32>() as u32)
}

extern "C" fn dp4a_u32(_: *mut Thread, _: u32, a: u32, b: u32, c: u32) -> u32 {
    let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| u32::from(a) * u32::from(b));
    c.wrapping_add(products.sum())
}

extern "C" fn dp2a_s32(_: *mut Thread, _: u32, a: u32, b: u32, c: u32) -> u32 {
    let products = [a as i16, (a >> 16) as i16].into_iter().zip(b.to_le_bytes()).map(|(a, b)| i32::from(a) * i32::from(b as i8));
    c.wrapping_add(products.sum::<i32>() as u32)
}

extern "C" fn dp2a_u32(_: *mut Thread, _: u32, a: u32, b: u32, c: u32) -> u32 {
    let products = [a as u16, (a >> 16) as u16].into_iter().zip(b.to_le_bytes()).map(|(a, b)| u32::from(a) * u32::from(b));
    c.wrapping_add(products.sum())
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    const NEAREST: u32 = 0;
    const ROUNDINGS: [u32; 4] = [NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP];

    /// The value of a function of `f32`, as bits.
    fn f32s<const N: usize>(function: fn(Format, Modifiers, [u64; N]) -> u64, modifiers: u32, operands: [f32; N]) -> u32 {
        function(F32, Modifiers(modifiers), operands.map(|it| it.to_bits().into())) as u32
    }

    fn halves<const N: usize>(function: fn(Format, Modifiers, [u64; N]) -> u64, modifiers: u32, operands: [u64; N]) -> u64 {
        function(F16, Modifiers(modifiers), operands)
    }

    fn roundings<const N: usize>(function: fn(Format, Modifiers, [u64; N]) -> u64, operands: [f32; N]) -> [u32; 4] {
        ROUNDINGS.map(|rounding| f32s(function, rounding, operands))
    }

    #[test]
    fn each_rounding_goes_its_way() {
        let tiny = f32::from_bits(1);
        assert_eq!(roundings(add, [1.0, tiny]), [0x3f80_0000, 0x3f80_0000, 0x3f80_0000, 0x3f80_0001]);
        assert_eq!(roundings(add, [-1.0, tiny]), [0xbf80_0000, 0xbf7f_ffff, 0xbf80_0000, 0xbf7f_ffff]);
        assert_eq!(roundings(divide, [1.0, 3.0]), [0x3eaa_aaab, 0x3eaa_aaaa, 0x3eaa_aaaa, 0x3eaa_aaab]);
        assert_eq!(roundings(square_root, [2.0]), [0x3fb5_04f3, 0x3fb5_04f3, 0x3fb5_04f3, 0x3fb5_04f4]);
        assert_eq!(roundings(multiply, [tiny, -0.5]), [0x8000_0000, 0x8000_0000, 0x8000_0001, 0x8000_0000]);
    }

    #[test]
    fn too_large_numbers_are_infinite_or_the_largest() {
        assert_eq!(roundings(add, [f32::MAX, f32::MAX]), [0x7f80_0000, 0x7f7f_ffff, 0x7f7f_ffff, 0x7f80_0000]);
        assert_eq!(roundings(multiply, [f32::MIN, f32::MAX]), [0xff80_0000, 0xff7f_ffff, 0xff80_0000, 0xff7f_ffff]);
        assert_eq!(halves(add, NEAREST, [0x7bff, 0x4bff]), 0x7bff);
        assert_eq!(halves(add, NEAREST, [0x7bff, 0x4c00]), 0x7c00);
    }

    #[test]
    fn zeros_have_signs() {
        assert_eq!(roundings(add, [1.0, -1.0]), [0, 0, 0x8000_0000, 0]);
        assert_eq!(roundings(add, [-0.0, -0.0]), [0x8000_0000; 4]);
        assert_eq!(roundings(add, [0.0, -0.0]), [0, 0, 0x8000_0000, 0]);
        assert_eq!(f32s(square_root, NEAREST, [-0.0]), 0x8000_0000);
        assert_eq!(f32s(reciprocal, NEAREST, [-0.0]), 0xff80_0000);
        assert_eq!(f32s(reciprocal, NEAREST, [f32::NEG_INFINITY]), 0x8000_0000);
    }

    #[test]
    fn nothing_is_lost_before_the_sum() {
        // (1 + e)² - (1 + 2e) = e²
        let e = f32::EPSILON;
        assert_eq!(f32s(multiply_add, NEAREST, [1.0 + e, 1.0 + e, -1.0 - 2.0 * e]), (e * e).to_bits());
        let e = f64::EPSILON;
        assert_eq!(fma_f64(ptr::null_mut(), 0, 0, 1.0 + e, 1.0 + e, -1.0 - 2.0 * e), e * e);
        assert_eq!(halves(multiply_add, NEAREST, [0x3c01, 0x3c01, 0xbc02]), 0x0010);
        assert_eq!(halves(multiply_add, FLUSH, [0x3c01, 0x3c01, 0xbc02]), 0);
        // 1 + 2^-8 lies in the middle of two.
        assert_eq!(add(BF16, Modifiers(NEAREST), [0x3f80, 0x3b80]), 0x3f80);
        assert_eq!(add(BF16, Modifiers(NEAREST), [0x3f81, 0x3b80]), 0x3f82);
        assert_eq!(multiply_add(BF16, Modifiers(NEAREST), [0x3f80, 0x3b80, 0x0001]), 0x3b80);
        assert_eq!(multiply_add(BF16, Modifiers(NEAREST), [0x3b80, 0x3f80, 0x3f80]), 0x3f80);
    }

    #[test]
    fn subnormal_numbers_are_flushed_on_both_ways() {
        let subnormal = f32::from_bits(0x007f_ffff);
        assert_eq!(f32s(add, NEAREST, [subnormal, subnormal]), 0x00ff_fffe);
        assert_eq!(f32s(add, FLUSH, [subnormal, subnormal]), 0);
        assert_eq!(f32s(multiply, FLUSH, [f32::MIN_POSITIVE, -0.5]), 0x8000_0000);
        assert_eq!(f32s(multiply, FLUSH, [f32::MIN_POSITIVE, 1.0_f32.next_down()]), 0);
        assert_eq!(f32s(multiply, FLUSH, [f32::MIN_POSITIVE, 1.0]), 0x0080_0000);
        assert_eq!(f32s(reciprocal, FLUSH, [-subnormal]), 0xff80_0000);
        assert_eq!(f32s(square_root, FLUSH, [-subnormal]), 0x8000_0000);
        assert_eq!(f32s(add, FLUSH | ROUND_UP, [1.0, subnormal]), 0x3f80_0000);
        assert_eq!(halves(lesser, FLUSH, [0x83ff, 0x0001]), 0x8000);
        assert_eq!(halves(greater, NEAREST, [0x83ff, 0x0001]), 0x0001);
    }

    #[test]
    fn results_are_held_between_bounds() {
        assert_eq!(f32s(add, SATURATE, [1.5, 0.0]), 0x3f80_0000);
        assert_eq!(f32s(add, SATURATE, [0.25, 0.25]), 0x3f00_0000);
        assert_eq!(f32s(add, SATURATE, [-1.0, 0.5]), 0);
        assert_eq!(f32s(add, SATURATE, [f32::NAN, 0.5]), 0);
        assert_eq!(f32s(add, SATURATE, [f32::INFINITY, 0.5]), 0x3f80_0000);
        assert_eq!(halves(multiply_add, RELU, [0x3c00, 0xc000, 0x3c00]), 0);
        assert_eq!(halves(multiply_add, RELU, [0x3c00, 0x4000, 0x3c00]), 0x4200);
        assert_eq!(halves(multiply_add, RELU, [0xfe00, 0x4000, 0x3c00]), 0x7fff);
    }

    #[test]
    fn operations_without_a_result_give_one_nan() {
        assert_eq!(f32s(add, NEAREST, [f32::INFINITY, f32::NEG_INFINITY]), 0x7fff_ffff);
        assert_eq!(f32s(multiply, NEAREST, [f32::INFINITY, 0.0]), 0x7fff_ffff);
        assert_eq!(f32s(divide, NEAREST, [0.0, 0.0]), 0x7fff_ffff);
        assert_eq!(f32s(square_root, NEAREST, [-1.0]), 0x7fff_ffff);
        assert_eq!(f32s(add, NEAREST, [f32::from_bits(0xffc0_1234), 1.0]), 0x7fff_ffff);
        assert_eq!(halves(negate, NEAREST, [0x7e00]), 0x7fff);
        assert_eq!(halves(absolute, NEAREST, [0xbc00]), 0x3c00);
        assert_eq!(div_f64(ptr::null_mut(), 0, 0, 0.0, 0.0).to_bits(), 0xfff8_0000_0000_0000);
        let signalling = f64::from_bits(0x7ff0_0000_0000_1234);
        assert_eq!(mul_f64(ptr::null_mut(), 0, 0, 2.0, signalling).to_bits(), 0x7ff8_0000_0000_1234);
    }

    #[test]
    fn extremes_know_zeros_and_nans() {
        assert_eq!(halves(lesser, NEAREST, [0x0000, 0x8000]), 0x8000);
        assert_eq!(halves(greater, NEAREST, [0x8000, 0x0000]), 0x0000);
        assert_eq!(halves(lesser, NEAREST, [0xbc00, 0xc000]), 0xc000);
        assert_eq!(halves(lesser, NEAREST, [0x7e00, 0x3c00]), 0x3c00);
        assert_eq!(halves(lesser, NEAREST, [0x7e00, 0xfe00]), 0x7fff);
        assert_eq!(halves(lesser, NAN, [0x3c00, 0xfe00]), 0x7fff);
        assert_eq!(halves(lesser, MAGNITUDE, [0xbc00, 0x4000]), 0xbc00);
        assert_eq!(halves(greater, MAGNITUDE, [0xbc00, 0xc000]), 0x4000);
        assert_eq!(halves(greater, MAGNITUDE, [0xfe00, 0x3c00]), 0xbc00);
        assert_eq!(halves(greater, MAGNITUDE | NAN, [0xfe00, 0x3c00]), 0x7fff);
    }

    #[test]
    fn pairs_are_two_numbers() {
        let null = ptr::null_mut();
        assert_eq!(add_f16x2(null, 0, 0, Pair(0x3c00_4000), Pair(0x4000_c000)).0, 0x4200_0000);
        assert_eq!(sub_bf16x2(null, 0, 0, Pair(0x3f80_4000), Pair(0x4000_3f80)).0, 0xbf80_3f80);
        assert_eq!(neg_bf16x2(null, 0, 0, Pair(0x3f80_8000)).0, 0xbf80_0000);
    }

    #[test]
    fn approximations_are_the_nearest() {
        let null = ptr::null_mut();
        assert_eq!(rsqrt_approx_f32(null, 0, 0, 4.0), 0.5);
        assert_eq!(rsqrt_approx_f32(null, 0, 0, 2.0).to_bits(), 0x3f35_04f3);
        assert_eq!(rsqrt_approx_f32(null, 0, FLUSH, -f32::from_bits(1)), f32::NEG_INFINITY);
        assert_eq!(rsqrt_approx_f64(null, 0, 0, 0.25), 2.0);
        assert_eq!(lg2_approx_f32(null, 0, 0, 8.0), 3.0);
        assert_eq!(lg2_approx_f32(null, 0, FLUSH, f32::from_bits(1)), f32::NEG_INFINITY);
        assert_eq!(ex2_approx_f32(null, 0, 0, -149.0).to_bits(), 1);
        assert_eq!(ex2_approx_f32(null, 0, FLUSH, -149.0).to_bits(), 0);
        assert_eq!(cos_approx_f32(null, 0, 0, f32::INFINITY).to_bits(), 0x7fff_ffff);
        assert_eq!(rcp_approx_f64(null, 0, FLUSH, 3.0).to_bits(), 0x3fd5_5555_0000_0000);
        assert_eq!(rcp_approx_f64(null, 0, FLUSH, f64::NAN).to_bits(), 0x7fff_ffff_0000_0000);
        assert_eq!(rcp_approx_f64(null, 0, FLUSH, f64::MAX).to_bits(), 0);
    }

    #[test]
    fn bytes_are_picked() {
        let (null, a, b) = (ptr::null_mut(), 0x3322_1100, 0x7766_5584);
        assert_eq!(permute(null, 0, 0, a, b, 0x7531), 0x7755_3311);
        assert_eq!(permute(null, 0, 0, a, b, 0x98c4), 0x0000_ff84);
        assert_eq!(permute(null, 0, 1, a, b, 5), 0x8433_2211);
        assert_eq!(permute(null, 0, 2, a, b, 1), 0x6677_0011);
        assert_eq!([3, 4, 5, 6].map(|mode| permute_one(null, 0, mode, a, 1)), [0x1111_1111, 0x3322_1111, 0x1111_1100, 0x3322_3322]);
    }

    #[test]
    fn products_are_summed() {
        let null = ptr::null_mut();
        assert_eq!(dp4a_s32(null, 0, 0x01ff_02fe, 0x0403_0201, 10), 13);
        assert_eq!(dp4a_u32(null, 0, 0x01ff_02fe, 0x0403_0201, u32::MAX), 1026);
        assert_eq!(dp2a_s32(null, 0, 0x0002_ffff, 0x9999_0503, 0), 7);
        assert_eq!(dp2a_u32(null, 0, 0x0002_ffff, 0x9999_0503, 0), 196_615);
        assert_eq!(dp2a_s32(null, 0, 0x0000_0001, 0x0000_00ff, 0), u32::MAX);
    }

    /// Bits at random: a linear congruence (Knuth, The Art of Computer Programming, 3.3.4), and close exponents every other time.
    fn at_random() -> impl Iterator<Item = [u64; 3]> {
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 32
        };
        (0..20_000).map(move |turn| {
            let bits = [next(), next(), next()];
            if turn % 2 == 0 { bits } else { bits.map(|it| it & 0x801f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000) }
        })
    }

    /// Whether two numbers are the same, where a NaN is any NaN.
    fn same(format: Format, a: u64, b: u64) -> bool {
        a == b || format.is_nan(a) && format.is_nan(b)
    }

    #[test]
    fn the_nearest_is_what_the_host_has() {
        for bits in at_random() {
            let [a, b, c] = bits.map(f64::from_bits);
            let host = [a + b, a * b, a / b, a.mul_add(b, c), a.sqrt(), 1.0 / a].map(f64::to_bits);
            let own = [
                add(F64, Modifiers(NEAREST), [bits[0], bits[1]]),
                multiply(F64, Modifiers(NEAREST), [bits[0], bits[1]]),
                divide(F64, Modifiers(NEAREST), [bits[0], bits[1]]),
                multiply_add(F64, Modifiers(NEAREST), bits),
                square_root(F64, Modifiers(NEAREST), [bits[0]]),
                reciprocal(F64, Modifiers(NEAREST), [bits[0]]),
            ];
            assert!(own.iter().zip(host).all(|(&own, host)| same(F64, own, host)), "{bits:x?} gives {own:x?}, on the host {host:x?}");

            let [a, b, c] = bits.map(|it| f32::from_bits((it >> 32) as u32));
            let host = [a + b, a * b, a / b, a.mul_add(b, c), a.sqrt(), 1.0 / a].map(|it| it.to_bits().into());
            let own = [
                f32s(add, NEAREST, [a, b]),
                f32s(multiply, NEAREST, [a, b]),
                f32s(divide, NEAREST, [a, b]),
                f32s(multiply_add, NEAREST, [a, b, c]),
                f32s(square_root, NEAREST, [a]),
                f32s(reciprocal, NEAREST, [a]),
            ]
            .map(u64::from);
            assert!(own.iter().zip(host).all(|(&own, host)| same(F32, own, host)), "{bits:x?} gives {own:x?}, on the host {host:x?}");
        }
    }

    #[test]
    fn the_other_roundings_lie_around_the_nearest() {
        for bits in at_random() {
            let results = ROUNDINGS.map(|rounding| multiply_add(F64, Modifiers(rounding), bits));
            let [nearest, zero, down, up] = results;
            if F64.is_nan(nearest) {
                continue;
            }
            let order = |bits: u64| if F64.is_negative(bits) { -(F64.magnitude(bits) as i64) } else { bits as i64 };
            assert!(nearest == down || nearest == up, "{bits:x?} gives {results:x?}");
            assert!(order(up) - order(down) <= 1, "{bits:x?} gives {results:x?}");
            assert_eq!(zero, if F64.is_negative(nearest) { up } else { down }, "{bits:x?}");
        }
    }
}
