//! What operations take and give: every value travels to the device and back as a word of 64 bits.

/// A kind of numbers, for the host.
pub struct Kind {
    pub name: &'static str,
    /// How many bits one has.
    pub width: u32,
    pub content: Content,
}

impl Kind {
    /// How many hexadecimal digits show one.
    pub const fn digits(&self) -> usize {
        self.width as usize / 4
    }
}

/// What the bits are.
#[derive(Clone, Copy)]
pub enum Content {
    Integer,
    /// Floats, as many as fit, with so many bits of exponent and of fraction.
    Floats(u32, u32),
}

/// A kind of numbers, for kernels.
pub trait Operand {
    /// What the operation's function takes.
    type Value;
    const KIND: Kind;

    fn value(word: u64) -> Self::Value;
    fn word(value: Self::Value) -> u64;
}

macro_rules! kinds {
    ($($kind:ident = $value:ty, $width:literal, $content:expr, $from:expr, $to:expr;)*) => {$(
        pub struct $kind;

        impl Operand for $kind {
            type Value = $value;
            const KIND: Kind = Kind { name: stringify!($kind), width: $width, content: $content };

            #[inline]
            fn value(word: u64) -> $value {
                $from(word)
            }

            #[inline]
            fn word(value: $value) -> u64 {
                $to(value)
            }
        }
    )*};
}

#[allow(non_camel_case_types)]
mod named {
    use super::{Content::*, Kind, Operand};

    kinds! {
        f16 = u16, 16, Floats(5, 10), |word| word as u16, u64::from;
        bf16 = u16, 16, Floats(8, 7), |word| word as u16, u64::from;
        f16x2 = u32, 32, Floats(5, 10), |word| word as u32, u64::from;
        bf16x2 = u32, 32, Floats(8, 7), |word| word as u32, u64::from;
        single = f32, 32, Floats(8, 23), |word| f32::from_bits(word as u32), |value: f32| value.to_bits().into();
        double = f64, 64, Floats(11, 52), f64::from_bits, f64::to_bits;
        unsigned = u32, 32, Integer, |word| word as u32, u64::from;
        signed = i32, 32, Integer, |word| word as i32, |value: i32| (value as u32).into();
    }
}

pub use named::*;
