//! Tags of every type with payloads, niches at odd places, variants that cannot be, and enums changed in place.

use std::{
    mem::{discriminant, size_of, transmute},
    num::NonZero,
};

use meaning::{cases, traps};

macro_rules! tags {
    ($($kind:ident $case:ident $low:literal $high:literal;)*) => {
        cases! {
            $(
                fn $case(which: u8, a: u64) -> ($kind, u64, [bool; 2], usize) {
                    #[derive(Clone, Copy, PartialEq)]
                    #[repr($kind)]
                    enum Tagged {
                        Low(u8) = $low,
                        Next(u64),
                        High { pair: (u16, u8) } = $high,
                        Bare,
                    }
                    #[inline(never)]
                    fn of(which: u8, a: u64) -> Tagged {
                        match which % 4 {
                            0 => Tagged::Low(a as u8),
                            1 => Tagged::Next(a),
                            2 => Tagged::High { pair: (a as u16, 1) },
                            _ => Tagged::Bare,
                        }
                    }
                    let mut value = of(which, a);
                    // SAFETY: the tag comes first.
                    let tag = unsafe { *(&raw const value).cast::<$kind>() };
                    if let Tagged::Next(number) = &mut value {
                        *number ^= 1;
                    }
                    let number = match value {
                        Tagged::Low(small @ 0..=9) => small as u64,
                        Tagged::Low(small) => small as u64 + 1000,
                        Tagged::Next(number) => number,
                        Tagged::High { pair: (number, _) } => number as u64,
                        Tagged::Bare => 3,
                    };
                    (tag, number, [value == of(which, 3), discriminant(&value) == discriminant(&of(1, 0))], size_of::<Tagged>())
                }
            )*

            fn implied_after_negative(which: u8) -> [i64; 3] {
                #[derive(Clone, Copy)]
                #[allow(dead_code)]
                enum Signed {
                    A = -2,
                    B,
                    C,
                    D,
                }
                let value = [Signed::A, Signed::B, Signed::C, Signed::D][which as usize % 4];
                [value as i64, value as u8 as i64, (value as i8 as i64) << 1]
            }

            fn huge_discriminants(which: u8) -> (u64, i64, usize) {
                #[derive(Clone, Copy)]
                #[repr(u64)]
                enum Unsigned {
                    Zero,
                    Top = 0xffff_ffff_ffff_fffe,
                    Last,
                }
                #[derive(Clone, Copy)]
                #[repr(i64)]
                enum Signed {
                    Bottom = i64::MIN,
                    Top = i64::MAX,
                }
                let unsigned = [Unsigned::Zero, Unsigned::Top, Unsigned::Last][which as usize % 3];
                let signed = if which & 1 == 0 { Signed::Bottom } else { Signed::Top };
                let found = match unsigned { Unsigned::Zero => 1, Unsigned::Top => 2, Unsigned::Last => 3 };
                (unsigned as u64, signed as i64, found)
            }

            fn tags_beyond_a_byte(which: u16) -> (u16, usize, bool) {
                #[derive(Clone, Copy, PartialEq)]
                enum Wide {
                    A = 255,
                    B,
                    C = 300,
                }
                let value = [Wide::A, Wide::B, Wide::C][which as usize % 3];
                (value as u16, size_of::<Option<Wide>>(), Some(value) == Some(Wide::B))
            }

            fn one_variant_of_many(a: u32) -> (u32, usize) {
                enum Never {}
                #[allow(dead_code)]
                enum Choice {
                    Never(Never),
                    Value(u32),
                    Also(Never, u64),
                }
                #[inline(never)]
                fn make(a: u32) -> Choice {
                    Choice::Value(a ^ 1)
                }
                match make(a) {
                    Choice::Value(value) => (value, size_of::<Choice>()),
                    Choice::Never(never) | Choice::Also(never, _) => match never {},
                }
            }

            fn two_variants_of_three(a: u32, which: bool) -> (u32, usize) {
                #[derive(Clone, Copy)]
                enum Never {}
                #[derive(Clone, Copy)]
                #[allow(dead_code)]
                enum Choice {
                    First(u32),
                    Gone(Never),
                    Last(u16),
                }
                let choice = if which { Choice::First(a) } else { Choice::Last(a as u16) };
                let found = match choice {
                    Choice::First(value) => value,
                    Choice::Last(value) => value as u32 + 1,
                };
                (found, size_of::<Choice>())
            }

            fn wide_payloads(which: u8, a: i128) -> (i128, [usize; 2], u8) {
                #[derive(Clone, Copy)]
                enum Wide {
                    Plain(i128),
                    Maybe(Option<i128>),
                }
                #[derive(Clone, Copy)]
                #[repr(C, u8)]
                enum Declared {
                    Fields { small: u16, bytes: [u8; 5] } = 4,
                    Whole(u128) = 250,
                    Nothing([u8; 0], (), Option<NonZero<u8>>) = 0,
                }
                let wide = match which % 3 { 0 => Wide::Plain(a), 1 => Wide::Maybe(Some(a ^ 1)), _ => Wide::Maybe(None) };
                let declared = match which % 5 {
                    0 | 1 => Declared::Fields { small: a as u16, bytes: [which; 5] },
                    2 | 3 => Declared::Whole(a as u128),
                    _ => Declared::Nothing([], (), NonZero::new(which)),
                };
                let first = match wide {
                    Wide::Plain(i128::MIN..=-1) => -1,
                    Wide::Plain(0..=9) => 1,
                    Wide::Plain(number) => number,
                    Wide::Maybe(Some(number @ ..0)) => number.wrapping_neg(),
                    Wide::Maybe(number) => number.unwrap_or(2),
                };
                let second = match declared {
                    Declared::Fields { small, bytes: [.., last] } => small as i128 + last as i128,
                    Declared::Whole(number) => number as i128,
                    Declared::Nothing([], (), number) => number.map_or(3, |number| number.get() as i128),
                };
                // SAFETY: the tag comes first.
                let tag = unsafe { *(&raw const declared).cast::<u8>() };
                (first ^ second, [size_of::<Wide>(), size_of::<Declared>()], tag)
            }

            fn infallible(a: u8) -> (u16, usize, u8) {
                let Ok(wide) = u16::try_from(a);
                let result: Result<u8, std::convert::Infallible> = Ok(a);
                (wide, size_of::<Result<u8, std::convert::Infallible>>(), result.unwrap_or(0))
            }

            fn result_of_nothing(a: bool) -> ([usize; 3], bool, u8) {
                #[inline(never)]
                fn check(a: bool) -> Result<(), ()> {
                    if a { Ok(()) } else { Err(()) }
                }
                let order = check(a).map_or_else(|()| 1, |()| 2);
                ([size_of::<Result<(), ()>>(), size_of::<Option<()>>(), size_of::<Option<Option<()>>>()], check(a).is_ok(), order)
            }

            fn niche_in_the_middle(a: u32, b: u64, which: u8) -> (u64, usize) {
                #[derive(Clone, Copy)]
                struct Inside {
                    before: u64,
                    flag: bool,
                    after: u32,
                }
                #[derive(Clone, Copy)]
                enum Choice {
                    Whole(Inside),
                    Small(u32),
                    None,
                }
                let choice = match which % 3 {
                    0 => Choice::Whole(Inside { before: b, flag: a > 5, after: a }),
                    1 => Choice::Small(a),
                    _ => Choice::None,
                };
                let found = match choice {
                    Choice::Whole(Inside { before, flag: true, .. }) => before,
                    Choice::Whole(inside) => inside.after as u64 + inside.flag as u64,
                    Choice::Small(small) => small as u64 + 7,
                    Choice::None => 2,
                };
                (found, size_of::<Choice>())
            }

            fn niche_in_an_array(a: u8, b: u8, take: bool) -> (Option<[bool; 2]>, usize, [u8; 2]) {
                let value = take.then_some([a > 5, b > 5]);
                // SAFETY: the option hides in the array.
                let bytes = match value { Some(_) => unsafe { transmute::<Option<[bool; 2]>, [u8; 2]>(value) }, None => [9; 2] };
                (value, size_of::<Option<[bool; 2]>>(), bytes)
            }

            fn niche_in_a_slice_of_a_struct(a: u8, take: bool) -> (usize, u32, usize) {
                struct View<'a> {
                    offset: u32,
                    bytes: &'a [u8],
                }
                let bytes = [a, 1, 2];
                let view = take.then_some(View { offset: 1, bytes: &bytes });
                let found = view.as_ref().map_or(9, |view| view.bytes[view.offset as usize] as u32);
                (view.map_or(0, |view| view.bytes.len()), found, size_of::<Option<View<'_>>>())
            }

            fn niche_of_wide_numbers(a: u128, b: i128) -> (Option<u128>, Option<i128>, [usize; 2]) {
                let (first, second) = (NonZero::new(a), NonZero::new(b));
                (
                    first.map(|value| value.get() / 3), second.map(|value| value.get().wrapping_neg()),
                    [size_of::<Option<NonZero<u128>>>(), size_of::<Option<Option<NonZero<i128>>>>()],
                )
            }

            fn niche_of_a_char_in_a_tuple(a: char, b: u8, which: u8) -> (u32, usize) {
                type Pair = (u8, char);
                enum Token {
                    Letter(Pair),
                    Digit(u8),
                    End,
                }
                let token = match which % 3 { 0 => Token::Letter((b, a)), 1 => Token::Digit(b), _ => Token::End };
                let found = match &token {
                    Token::Letter((number, 'a'..='z')) => *number as u32,
                    Token::Letter((_, letter)) => *letter as u32,
                    Token::Digit(digit) => *digit as u32,
                    Token::End => 1,
                };
                (found, size_of::<Token>())
            }

            fn deep_options(which: u8) -> ([u8; 1], u8, usize) {
                type Deep = Option<Option<Option<Option<bool>>>>;
                let value: Deep = match which % 6 {
                    0 => None,
                    1 => Some(None),
                    2 => Some(Some(None)),
                    3 => Some(Some(Some(None))),
                    4 => Some(Some(Some(Some(false)))),
                    _ => Some(Some(Some(Some(true)))),
                };
                let depth = match value {
                    None => 0,
                    Some(None) => 1,
                    Some(Some(None)) => 2,
                    Some(Some(Some(None))) => 3,
                    Some(Some(Some(Some(last)))) => 4 + last as u8,
                };
                // SAFETY: one byte.
                (unsafe { transmute::<Deep, [u8; 1]>(value) }, depth, size_of::<Deep>())
            }

            fn tag_set_in_place(a: u32, b: u32, which: u8) -> (u32, Option<u32>) {
                #[derive(Clone, Copy)]
                enum State {
                    Idle,
                    Busy { left: u32 },
                    Done(u32, u32),
                }
                impl State {
                    #[inline(never)]
                    fn step(&mut self, a: u32) {
                        *self = match *self {
                            State::Idle => State::Busy { left: a % 4 },
                            State::Busy { left: 0 } => State::Done(a, 1),
                            State::Busy { left } => State::Busy { left: left - 1 },
                            State::Done(x, y) => State::Done(x ^ a, y + 1),
                        };
                    }
                }
                let mut state = State::Idle;
                for _ in 0..which % 10 {
                    state.step(a ^ b);
                }
                match state { State::Idle => (0, None), State::Busy { left } => (1, Some(left)), State::Done(x, y) => (y, Some(x)) }
            }

            fn options_changed_in_place(a: u32, b: u32, which: u8) -> (Option<u32>, Option<u32>, u32) {
                let mut value = NonZero::new(a);
                let other = match which % 6 {
                    0 => value.take(),
                    1 => NonZero::new(b).and_then(|b| value.replace(b)),
                    2 => Some(*value.insert(NonZero::<u32>::MAX)),
                    3 => Some(*value.get_or_insert(NonZero::<u32>::MIN)),
                    4 => Some(*value.get_or_insert_with(|| NonZero::<u32>::MIN)),
                    _ => value.take_if(|value| value.get() > 5),
                };
                (value.map(NonZero::get), other.map(NonZero::get), value.map_or(0, |value| value.leading_zeros()))
            }

            fn discriminant_of_generics(a: u8, which: bool) -> (bool, bool, isize) {
                #[derive(Clone, Copy, Default)]
                #[repr(isize)]
                enum Sign {
                    Minus = -1,
                    #[default]
                    Zero,
                    Plus,
                }
                let sign = if which { Sign::default() } else if a > 50 { Sign::Plus } else { Sign::Minus };
                (discriminant(&Some(a)) == discriminant(&None), discriminant(&sign) == discriminant(&Sign::Zero), sign as isize)
            }
        }
    };
}

tags! {
    u8 tag_u8 0 200;
    u16 tag_u16 7 65_000;
    u64 tag_u64 5 0xffff_ffff_ffff_fff0;
    i8 tag_i8 -128 100;
    i32 tag_i32 -2_000_000_000 2_000_000_000;
    i64 tag_i64 -9_000_000_000_000_000_000 9_000_000_000_000_000_000;
}

traps! {
    fn arm_that_panics(which: u8) -> u8 {
        enum Choice {
            A(u8),
            B,
        }
        let choice = if which < 5 { Choice::A(which) } else { Choice::B };
        match choice {
            Choice::A(value) => value,
            Choice::B => todo!("later"),
        }
    } [(4,), (5,)]
}
