//! Enums with a tag of their own: every width and sign, payloads, bytes.

use std::mem::{discriminant, size_of};

use crate::case::{cases, traps};

macro_rules! tagged {
    ($($name:ident $repr:ident $first:literal $second:literal;)*) => {
        $(
            #[derive(Clone, Copy, PartialEq)]
            #[repr($repr)]
            #[allow(dead_code)]
            enum $name {
                First = $first,
                Second = $second,
                Third,
            }

            impl $name {
                #[inline(never)]
                fn of(number: u8) -> Self {
                    match number % 3 {
                        0 => Self::First,
                        1 => Self::Second,
                        _ => Self::Third,
                    }
                }
            }
        )*
    };
}

tagged! {
    U8 u8 0 254;
    U16 u16 7 60_000;
    U32 u32 0 4_000_000_000;
    U64 u64 1 0x1234_5678_9abc_def0;
    Usize usize 0 99;
    I8 i8 -5 100;
    I16 i16 -32768 3;
    I32 i32 -1 2_000_000_000;
    I64 i64 -9_000_000_000_000_000_000 0;
    Isize isize -3 5;
}

#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
enum Sparse {
    Low = 0,
    High = 1_000_000,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Empty,
    Square(u32),
    Rectangle { width: u16, height: u64 },
    Points([(i8, i32); 2]),
    Named(char, bool),
}

#[derive(Clone, Copy)]
#[repr(u8)]
enum Tagged {
    Byte(u8) = 3,
    Word(u64) = 200,
    Nothing = 9,
}

#[derive(Clone, Copy)]
#[repr(C, u16)]
enum Declared {
    Pair(u8, u32),
    Float(f64),
}

#[derive(Clone, Copy)]
enum Only {
    One(u32),
}

#[inline(never)]
fn shape(which: u8, a: u32, b: u64) -> Shape {
    match which % 5 {
        0 => Shape::Empty,
        1 => Shape::Square(a),
        2 => Shape::Rectangle { width: a as u16, height: b },
        3 => Shape::Points([(a as i8, b as i32), (-1, a as i32)]),
        _ => Shape::Named(if a > 9 { 'ß' } else { 'x' }, b > 9),
    }
}

#[inline(never)]
fn measure(shape: &Shape) -> u64 {
    match *shape {
        Shape::Empty => 1,
        Shape::Square(side) if side < 4 => 2,
        Shape::Square(side) => side as u64 * side as u64,
        Shape::Rectangle { width, height: 0 | 1 } => width as u64,
        Shape::Rectangle { width, height } => height.wrapping_mul(width as u64),
        Shape::Points([(x, y), (_, z)]) => (x as i64 + y as i64 - z as i64) as u64,
        Shape::Named(letter, true) => letter as u64,
        Shape::Named(_, false) => 0,
    }
}

cases! {
    fn tags(which: u8) -> (u8, u16, u32, u64, usize, i8, i16, i32, i64, isize) {
        (
            U8::of(which) as u8, U16::of(which) as u16, U32::of(which) as u32, U64::of(which) as u64, Usize::of(which) as usize,
            I8::of(which) as i8, I16::of(which) as i16, I32::of(which) as i32, I64::of(which) as i64, Isize::of(which) as isize,
        )
    }

    fn sign_extended(which: u8) -> (i64, i128, u64, i32) {
        (I8::of(which) as i64, I16::of(which) as i128, I32::of(which) as u64, I64::of(which) as i32)
    }

    fn matched(which: u8) -> [u8; 4] {
        [
            match I8::of(which) { I8::First => 1, I8::Second => 2, I8::Third => 3 },
            match U64::of(which) { U64::Second => 2, _ => 9 },
            match I64::of(which) { I64::First | I64::Third => 4, I64::Second => 5 },
            matches!(I16::of(which), I16::First) as u8,
        ]
    }

    fn tag_bytes(which: u8) -> ([u8; 1], [u8; 2], [u8; 4], [u8; 8], [u8; 4]) {
        let sparse = if which & 1 == 0 { Sparse::Low } else { Sparse::High };
        // SAFETY: enums without payload are their tags.
        unsafe {
            (
                std::mem::transmute::<I8, [u8; 1]>(I8::of(which)),
                std::mem::transmute::<U16, [u8; 2]>(U16::of(which)),
                std::mem::transmute::<I32, [u8; 4]>(I32::of(which)),
                std::mem::transmute::<U64, [u8; 8]>(U64::of(which)),
                std::mem::transmute::<Sparse, [u8; 4]>(sparse),
            )
        }
    }

    fn array_of_enums(which: [u8; 4], i: usize) -> (u32, usize) {
        let sparse = which.map(|one| if one & 1 == 0 { Sparse::Low } else { Sparse::High });
        (sparse[i % 4] as u32, size_of::<[Sparse; 4]>())
    }

    fn payloads(which: u8, a: u32, b: u64) -> (u64, bool, bool) {
        let first = shape(which, a, b);
        (measure(&first), first == shape(which, a, 3), discriminant(&first) == discriminant(&Shape::Square(1)))
    }

    fn changed_in_place(which: u8, a: u32, b: u64) -> (u64, u64) {
        let mut value = shape(which, a, b);
        if let Shape::Square(side) = &mut value {
            *side ^= 1;
        }
        if let Shape::Rectangle { height, .. } = &mut value {
            *height = 77;
        }
        let before = measure(&value);
        value = Shape::Rectangle { width: 5, height: b };
        (before, measure(&value))
    }

    fn tagged_layout(which: u8, a: u64) -> (u8, u64) {
        let value = match which % 3 {
            0 => Tagged::Byte(a as u8),
            1 => Tagged::Word(a),
            _ => Tagged::Nothing,
        };
        // SAFETY: the tag is the first byte.
        let tag = unsafe { *(&raw const value).cast::<u8>() };
        let payload = match value {
            Tagged::Byte(byte) => byte as u64,
            Tagged::Word(word) => word,
            Tagged::Nothing => 1,
        };
        (tag, payload)
    }

    fn declared_layout(which: bool, a: u32, b: f64) -> (u16, u32, f64) {
        let value = if which { Declared::Pair(a as u8, a) } else { Declared::Float(b) };
        // SAFETY: the tag is the first two bytes.
        let tag = unsafe { *(&raw const value).cast::<u16>() };
        match value {
            Declared::Pair(first, second) => (tag, first as u32 ^ second, 0.0),
            Declared::Float(float) => (tag, 0, float),
        }
    }

    fn single_variant(a: u32) -> (u32, usize) {
        let Only::One(value) = Only::One(a);
        (value, size_of::<Only>())
    }

    fn uninhabited(a: u32) -> (u32, usize) {
        enum Never {}
        let result: Result<u32, Never> = Ok(a);
        let Ok(value) = result;
        (value, size_of::<Result<u32, Never>>())
    }

    fn many_variants(a: u8, b: u8) -> (u8, i32) {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
        enum Day {
            Monday = 1,
            Tuesday,
            Wednesday,
            Thursday,
            Friday = 20,
            Saturday,
            Sunday,
        }
        const DAYS: [Day; 7] =
            [Day::Monday, Day::Tuesday, Day::Wednesday, Day::Thursday, Day::Friday, Day::Saturday, Day::Sunday];
        let (first, second) = (DAYS[a as usize % 7], DAYS[b as usize % 7]);
        let kind = match first {
            Day::Saturday | Day::Sunday => 1,
            Day::Friday => 2,
            day if day == second => 3,
            _ => 4,
        };
        (kind, first as i32 * 100 + (first < second) as i32)
    }
}

traps! {
    fn unwrap(a: u32) -> u32 { a.checked_sub(5).unwrap() } [(5,), (4,)]

    fn expect(a: u32) -> u8 { u8::try_from(a).expect("small") } [(255,), (256,)]

    fn unreachable(a: u32) -> u32 { if a < 5 { a } else { unreachable!("{a} is too much") } } [(4,), (5,)]

    fn panic(a: u32) -> u32 {
        if a == 3 {
            panic!("three");
        }
        a
    } [(2,), (3,)]

    fn assert(a: u32, b: u32) -> u32 {
        assert!(a < 10, "a is {a}");
        assert_eq!(a, b);
        a
    } [(3, 3), (3, 4), (10, 10)]
}
