//! Arguments that find mistakes: bounds and their neighbours, sign changes, widths, halves, NaN.

/// A type of arguments.
pub trait Edges: Copy {
    /// How many values are tried.
    const COUNT: usize;

    /// Value `index`, less than the count.
    fn edge(index: usize) -> Self;
}

macro_rules! from_table {
    ($($kind:ident $table:expr;)*) => {$(
        impl Edges for $kind {
            const COUNT: usize = $table.len();

            fn edge(index: usize) -> Self {
                $table[index]
            }
        }
    )*};
}

macro_rules! integers {
    ($($kind:ident)*) => {
        from_table! {$(
            $kind [
                0, 1, 2, 3, 7, 10, 48, 97, 100, 127, $kind::BITS as $kind - 1, $kind::BITS as $kind, $kind::MAX, $kind::MAX - 1, $kind::MIN,
                $kind::MIN + 1, $kind::MAX / 2, $kind::MAX / 2 + 1, $kind::MAX / 3, !0, !4,
            ];
        )*}
    };
}

macro_rules! floats {
    ($($kind:ident $bits:ident)*) => {
        from_table! {$(
            $kind [
                0.0, 0.25, 0.5, 1.0, 1.5, 2.5, 3.0, 0.1, 7.3, 1e10, 1e-10, $kind::EPSILON, $kind::MIN_POSITIVE, $kind::MAX, $kind::INFINITY,
                $kind::NAN, $kind::from_bits(1), (0.5 as $kind).next_down(), 4503599627370497.5, -0.0, -0.25, -0.5, -1.0, -1.5, -2.5, -3.0,
                -7.3, -1e10, -1e-10, -$kind::MIN_POSITIVE, -$kind::MAX, -$kind::INFINITY, -$kind::NAN,
                // Around the bounds of the integer types.
                127.0, 128.0, 255.0, 256.0, -128.0, -129.0, 32767.5, -32768.5, 65535.5,
                I31.next_down() as $kind, I31 as $kind, I31.next_up() as $kind, U32.next_down() as $kind, U32 as $kind, U32.next_up() as $kind,
                -I31.next_up() as $kind, -I31 as $kind, (I63 as $kind).next_down(), I63 as $kind, (I63 as $kind).next_up(),
                (U64 as $kind).next_down(), U64 as $kind, (U64 as $kind).next_up(), -(I63 as $kind).next_up(), -I63 as $kind,
            ];
        )*}
    };
}

const I31: f64 = (1u32 << 31) as f64;
const U32: f64 = (1u64 << 32) as f64;
const I63: f64 = (1u64 << 63) as f64;
const U64: f64 = (1u128 << 64) as f64;

integers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
floats! { f32 u32 f64 u64 }
from_table! {
    f16 [
        0.0, 0.25, 0.5, 1.0, 1.5, 2.5, 3.0, 0.1, 7.3, 1000.5, 2047.0, 2049.0, f16::EPSILON, f16::MIN_POSITIVE, f16::MAX, f16::INFINITY, f16::NAN,
        f16::from_bits(1), f16::from_bits(0x3ff), -0.0, -0.25, -0.5, -1.0, -1.5, -2.5, -7.3, -1000.5, -f16::MIN_POSITIVE, -f16::MAX,
        -f16::INFINITY, -f16::NAN, 127.0, 128.0, 255.0, 256.0, -128.0, -129.0, 32752.0, 32768.0, -32768.0, -32800.0,
    ];
    bool [false, true];
    char ['\0', '\n', ' ', '0', '9', 'A', 'F', 'Z', 'a', 'f', 'z', '\x7f', 'ß', '€', '\u{d7ff}', '\u{e000}', '😀', char::MAX];
}

/// Some arrays: of equal elements, and of elements without a pattern.
impl<T: Edges, const N: usize> Edges for [T; N] {
    const COUNT: usize = 19;

    fn edge(index: usize) -> Self {
        let mut state = 0x2545_f491u32.wrapping_mul(index as u32 + 1);
        std::array::from_fn(|_| {
            if index < 4 {
                return T::edge(index % T::COUNT);
            }
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            T::edge(state as usize % T::COUNT)
        })
    }
}

/// All combinations.
macro_rules! tuples {
    ($(($($kind:ident)*))*) => {$(
        impl<$($kind: Edges),*> Edges for ($($kind,)*) {
            const COUNT: usize = 1 $(* $kind::COUNT)*;

            #[allow(unused_assignments)]
            fn edge(mut index: usize) -> Self {
                ($({
                    let value = $kind::edge(index % $kind::COUNT);
                    index /= $kind::COUNT;
                    value
                },)*)
            }
        }
    )*};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) }
