//! Results as the bits that mean something: padding is left out, and one NaN is as good as another.

use std::{cmp::Ordering, fmt::Write, mem::offset_of};

/// A type of results.
pub trait Outcome: Copy {
    /// Appends the bits at `at`.
    ///
    /// # Safety
    ///
    /// `at` is the address of a `Self`, whose bytes need not be valid.
    unsafe fn show(at: *const Self, text: &mut String);
}

macro_rules! by_bytes {
    ($($kind:ty)*) => {$(
        impl Outcome for $kind {
            unsafe fn show(at: *const Self, text: &mut String) {
                // SAFETY: passed on; these types have no padding.
                let bytes = unsafe { at.cast::<[u8; size_of::<Self>()]>().read_unaligned() };
                for byte in bytes.iter().rev() {
                    let _ = write!(text, "{byte:02x}");
                }
            }
        }
    )*};
}

by_bytes! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize bool char Ordering }

macro_rules! floats {
    ($($kind:ident)*) => {$(
        impl Outcome for $kind {
            unsafe fn show(at: *const Self, text: &mut String) {
                // SAFETY: passed on; every bit pattern is a float.
                let value = unsafe { at.read() };
                let _ = if value.is_nan() { write!(text, "NaN") } else { write!(text, "{value:e}") };
            }
        }
    )*};
}

floats! { f32 f64 }

impl Outcome for f16 {
    unsafe fn show(at: *const Self, text: &mut String) {
        // SAFETY: passed on; every f16 is an f64.
        unsafe { f64::show(&f64::from(at.read()), text) }
    }
}

/// Floats of which each may differ from what it should be by 2⁻ᴮᴵᵀˢ of the largest of them.
#[derive(Clone, Copy)]
pub struct Near<T, const BITS: i32>(pub T);

/// Stands before and behind what may differ a little.
const MARK: char = '~';

impl<T: Outcome, const BITS: i32> Outcome for Near<T, BITS> {
    unsafe fn show(at: *const Self, text: &mut String) {
        let _ = write!(text, "{MARK}{BITS} ");
        // SAFETY: passed on: it is the only field.
        unsafe { T::show(at.cast(), text) };
        text.push(MARK);
    }
}

/// Whether two outcomes of one type are the same, but for what may differ a little.
pub fn agree(first: &str, second: &str) -> bool {
    first == second
        || first.split(MARK).count() == second.split(MARK).count()
            && first.split(MARK).zip(second.split(MARK)).enumerate().all(|(number, (first, second))| {
                // Every other piece stands between two marks.
                first == second || number % 2 == 1 && are_near(first, second)
            })
}

fn are_near(first: &str, second: &str) -> bool {
    let words = |text: &str| -> Vec<String> { text.split([' ', '(', ')', '[', ']']).map(str::to_owned).collect() };
    let number = |word: &String| word.parse::<f64>().ok().filter(|number| number.is_finite());
    let (first, second) = (words(first), words(second));
    let bits = number(&first[0]).expect("how near comes first");
    let largest = first[1..].iter().filter_map(number).fold(0.0, |largest: f64, number| largest.max(number.abs()));
    first.len() == second.len()
        && first.iter().zip(&second).all(|(first, second)| match (number(first), number(second)) {
            (Some(first), Some(second)) => (first - second).abs() <= largest * (-bits).exp2(),
            _ => first == second,
        })
}

impl<T: Outcome, const N: usize> Outcome for [T; N] {
    unsafe fn show(at: *const Self, text: &mut String) {
        text.push('[');
        for index in 0..N {
            // SAFETY: in bounds.
            unsafe { T::show(at.cast::<T>().add(index), text) };
            text.push(' ');
        }
        text.push(']');
    }
}

impl<T: Outcome> Outcome for Option<T> {
    unsafe fn show(at: *const Self, text: &mut String) {
        // SAFETY: passed on.
        match unsafe { &*at } {
            // SAFETY: passed on.
            Some(value) => unsafe { T::show(value, text) },
            None => text.push_str("None"),
        }
    }
}

impl<T: Outcome, E: Outcome> Outcome for Result<T, E> {
    unsafe fn show(at: *const Self, text: &mut String) {
        // SAFETY: passed on.
        match unsafe { &*at } {
            Ok(value) => {
                text.push_str("Ok ");
                // SAFETY: passed on.
                unsafe { T::show(value, text) }
            }
            Err(value) => {
                text.push_str("Err ");
                // SAFETY: passed on.
                unsafe { E::show(value, text) }
            }
        }
    }
}

macro_rules! tuples {
    ($(($($kind:ident $index:tt)*))*) => {$(
        impl<$($kind: Outcome),*> Outcome for ($($kind,)*) {
            unsafe fn show(at: *const Self, text: &mut String) {
                let _ = at;
                text.push('(');
                $(
                    // SAFETY: the field's address.
                    unsafe { $kind::show(at.byte_add(offset_of!(Self, $index)).cast(), text) };
                    text.push(' ');
                )*
                text.push(')');
            }
        }
    )*};
}

tuples! {
    ()
    (A 0)
    (A 0 B 1)
    (A 0 B 1 C 2)
    (A 0 B 1 C 2 D 3)
    (A 0 B 1 C 2 D 3 E 4)
    (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11)
}
