//! Clocks, printing, breakpoints, assertions and profiler events.

include!("operations/debug.rs");

operations! {
    /// Ends the launch with an error.
    fn trap() -> !;
    #[doc(hidden)]
    fn vprintf(format: *const u8, arguments: *const u8) -> i32;
    #[doc(hidden)]
    fn assert_fail(message: *const u8, file: *const u8, line: u32, function: *const u8, letter: u64);
}

/// Counts event `N`, 0 to 15, for a profiler.
#[inline]
pub fn prof_trigger<const N: u32>() {
    const { crate::check(N < 16, "events are numbered 0 to 15") };
    pmevent(N);
}

/// Ends the launch for a `gpu_assert!` that failed; its texts end in 0.
#[doc(hidden)]
#[cold]
pub fn fail_assertion(message: &'static str, file: &'static str, line: u32, function: &'static str) -> ! {
    assert_fail(message.as_ptr(), file.as_ptr(), line, function.as_ptr(), 1);
    trap()
}

/// What `gpu_printf!` prints: numbers, truth values, letters and addresses, as C's functions with many arguments take them.
#[diagnostic::on_unimplemented(
    message = "`gpu_printf!` cannot print a `{Self}`",
    label = "not a number, `bool`, `char` or address",
    note = "print its parts, or its address: `&raw const value`"
)]
pub trait GpuPrintfArg: Copy {
    /// The length and the letter of C's conversion for `{}`.
    const CONVERSION: &'static str;
    /// What is passed: 4 or 8 bytes.
    #[doc(hidden)]
    type Passed: Copy;
    /// The value as it is passed.
    #[doc(hidden)]
    fn pass(self) -> Self::Passed;
    /// `Self`. What cannot be printed has none, so that it is complained about once.
    #[doc(hidden)]
    type Itself: GpuPrintfArg;
    #[doc(hidden)]
    fn itself(self) -> Self::Itself;
}

macro_rules! printed {
    ($($value:ty as $passed:ty: $conversion:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl GpuPrintfArg for $value {
            const CONVERSION: &'static str = $conversion;
            type Passed = $passed;

            #[inline]
            fn pass(self) -> $passed {
                self as $passed
            }

            type Itself = Self;

            #[inline(always)]
            fn itself(self) -> Self {
                self
            }
        }
    )*};
}

printed! {
    i8 as i32: "d"; i16 as i32: "d"; i32 as i32: "d"; i64 as i64: "lld"; isize as i64: "lld";
    u8 as u32: "u"; u16 as u32: "u"; u32 as u32: "u"; u64 as u64: "llu"; usize as u64: "llu";
    f32 as f64: "f"; f64 as f64: "f";
    bool as i32: "d";
    char as u32: "c";
}

macro_rules! printed_addresses {
    ($($address:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T> GpuPrintfArg for $address {
            const CONVERSION: &'static str = "p";
            type Passed = u64;

            #[inline]
            fn pass(self) -> u64 {
                self.expose_provenance() as u64
            }

            type Itself = Self;

            #[inline(always)]
            fn itself(self) -> Self {
                self
            }
        }
    )*};
}

printed_addresses! { *const T *mut T }

/// What placeholders ask for by their letter. `gpu_printf!` passes each argument through the function of its placeholder.
macro_rules! asked_for {
    ($($(#[$diagnostic:meta])* $check:ident $trait:ident: $($type:ty)*;)*) => {$(
        #[doc(hidden)]
        $(#[$diagnostic])*
        pub trait $trait {}
        $(impl $trait for $type {})*

        #[doc(hidden)]
        #[inline(always)]
        pub fn $check<T: $trait>(value: T) -> T {
            value
        }
    )*};
}

asked_for! {
    #[diagnostic::on_unimplemented(
        message = "a placeholder with the letter x, X, o, d, i or u prints integers, got `{Self}`",
        label = "no integer",
        note = "without a letter it prints what the argument is"
    )]
    integer PrintedInteger: i8 i16 i32 i64 isize u8 u16 u32 u64 usize bool char;
    #[diagnostic::on_unimplemented(
        message = "a placeholder with the letter e, E, f, g, G, a or A prints floats, got `{Self}`",
        label = "no float",
        note = "without a letter it prints what the argument is"
    )]
    float PrintedFloat: f32 f64;
    #[diagnostic::on_unimplemented(
        message = "a placeholder with the letter c prints letters and integers of up to 32 bits, got `{Self}`",
        label = "neither of them",
        note = "without a letter it prints what the argument is"
    )]
    letter PrintedLetter: i8 i16 i32 u8 u16 u32 bool char;
    #[diagnostic::on_unimplemented(
        message = "a `*` in a placeholder takes a width or precision of type `i32` or `u32`, got `{Self}`",
        label = "no such number"
    )]
    width PrintedWidth: i8 i16 i32 u8 u16 u32 bool;
}

/// What a placeholder without a letter prints.
#[doc(hidden)]
#[inline(always)]
pub fn any<T: GpuPrintfArg>(value: T) -> T::Itself {
    value.itself()
}

/// What `s` and `p` print.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a placeholder with the letter s or p takes an address, got `{Self}`",
    label = "no address",
    note = "`p` prints a raw pointer; `s` prints the text up to a 0 at one: `c\"text\".as_ptr()`"
)]
pub trait PrintedAddress {}
impl<T> PrintedAddress for *const T {}
impl<T> PrintedAddress for *mut T {}

#[doc(hidden)]
#[inline(always)]
pub fn address<T: PrintedAddress>(value: T) -> T {
    value
}

/// A part of the format of a `gpu_printf!`.
#[doc(hidden)]
pub enum Piece {
    /// Printed as it is.
    Text(&'static str),
    /// The next argument: C's flags, width and precision, then a letter of its own or that of the type.
    Value { modifiers: &'static str, letter: Option<u8> },
    /// The next argument is a width or a precision, which a later one takes by `*`.
    Star,
}

/// The format of one `gpu_printf!`.
#[doc(hidden)]
pub trait Format {
    const PIECES: &'static [Piece];
}

/// The arguments of one `gpu_printf!`.
#[doc(hidden)]
pub trait Arguments {
    const CONVERSIONS: &'static [&'static str];
    /// Writes the arguments one after another, each aligned to its size, to 8 bytes for each.
    fn write(self, buffer: *mut u8);
}

#[inline]
fn write_one<T: GpuPrintfArg>(value: T, buffer: *mut u8, at: usize) -> usize {
    let at = at.next_multiple_of(size_of::<T::Passed>());
    // SAFETY: the buffer has 8 bytes for each argument, and no argument takes more.
    unsafe { buffer.add(at).cast::<T::Passed>().write(value.pass()) };
    at + size_of::<T::Passed>()
}

macro_rules! arguments {
    ($($name:ident)*) => { arguments!(@from [] $($name)*); };
    (@from [$($name:ident)*]) => { arguments!(@one $($name)*); };
    (@from [$($name:ident)*] $next:ident $($rest:ident)*) => {
        arguments!(@one $($name)*);
        arguments!(@from [$($name)* $next] $($rest)*);
    };
    (@one $($name:ident)*) => {
        impl<$($name: GpuPrintfArg),*> Arguments for ($($name,)*) {
            const CONVERSIONS: &'static [&'static str] = &[$($name::CONVERSION),*];

            #[inline]
            #[allow(non_snake_case, unused_variables, unused_assignments, unused_mut)]
            fn write(self, buffer: *mut u8) {
                let ($($name,)*) = self;
                let mut at = 0;
                $(at = write_one($name, buffer, at);)*
            }
        }
    };
}

arguments! { A B C D E F G H I J K L M N O P Q R S T U V W X Y Z AA AB AC AD AE AF }

/// A format as C spells it: `BYTES` are enough for it and the 0 at its end.
struct Text<const BYTES: usize, F, A>(core::marker::PhantomData<(F, A)>);

impl<const BYTES: usize, F: Format, A: Arguments> Text<BYTES, F, A> {
    const TEXT: [u8; BYTES] = {
        let mut text = [0; BYTES];
        let (mut at, mut argument, mut number) = (0, 0, 0);
        while number < F::PIECES.len() {
            match &F::PIECES[number] {
                Piece::Text(plain) => at = append(&mut text, at, plain.as_bytes()),
                Piece::Star => {
                    assert!(is_width(A::CONVERSIONS[argument]), "a width or precision is an `i32` or a `u32`");
                    argument += 1;
                }
                Piece::Value { modifiers, letter } => {
                    let conversion = A::CONVERSIONS[argument].as_bytes();
                    at = append(&mut text, at, b"%");
                    at = append(&mut text, at, modifiers.as_bytes());
                    at = match letter {
                        None => append(&mut text, at, conversion),
                        Some(letter) => append_letter(&mut text, at, conversion, *letter),
                    };
                    argument += 1;
                }
            }
            number += 1;
        }
        assert!(argument == A::CONVERSIONS.len(), "as many placeholders as arguments");
        text
    };
}

const fn append<const BYTES: usize>(text: &mut [u8; BYTES], mut at: usize, part: &[u8]) -> usize {
    let mut number = 0;
    while number < part.len() {
        text[at] = part[number];
        at += 1;
        number += 1;
    }
    at
}

const fn is_width(conversion: &str) -> bool {
    matches!(conversion.as_bytes(), b"d" | b"u")
}

/// Appends a conversion by its letter, with the length that the type has.
const fn append_letter<const BYTES: usize>(text: &mut [u8; BYTES], mut at: usize, conversion: &[u8], letter: u8) -> usize {
    let kind = conversion[conversion.len() - 1];
    match letter {
        b'x' | b'X' | b'o' | b'd' | b'i' | b'u' => {
            assert!(matches!(kind, b'd' | b'u' | b'c'), "this placeholder is for integers");
            at = append(text, at, conversion.split_at(conversion.len() - 1).0);
        }
        b'e' | b'E' | b'f' | b'g' | b'G' | b'a' | b'A' => assert!(kind == b'f', "this placeholder is for floats"),
        b'c' => assert!(matches!(kind, b'd' | b'u' | b'c') && conversion.len() == 1, "`c` is for letters and small integers"),
        b's' | b'p' => assert!(kind == b'p', "this placeholder is for addresses"),
        _ => panic!("no such placeholder"),
    }
    append(text, at, &[letter])
}

/// Prints; the number of arguments, or less than 0 where the output is full.
#[doc(hidden)]
#[inline]
pub fn print<const BYTES: usize, F: Format, A: Arguments>(_format: F, arguments: A) -> i32 {
    let text: &'static [u8; BYTES] = &Text::<BYTES, F, A>::TEXT;
    let mut buffer = [0_u64; 32];
    let buffer = buffer.as_mut_ptr().cast::<u8>();
    arguments.write(buffer);
    vprintf(text.as_ptr(), buffer)
}
