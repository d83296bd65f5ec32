//! What `repr` says: packed, aligned, transparent and declared structs, unions, and types without bytes.

use std::{
    marker::PhantomData,
    mem::{align_of, offset_of, size_of, transmute},
    ptr,
};

use meaning::{cases, traps};

macro_rules! aligned {
    ($($name:ident $case:ident $align:literal;)*) => {
        $(
            #[derive(Clone, Copy)]
            #[repr(align($align))]
            struct $name(u8, u32);
        )*

        cases! {
            $(
                fn $case(a: u8, b: u32, at: usize) -> (u8, u32, usize, usize) {
                    #[inline(never)]
                    fn by_value(value: $name) -> ($name, usize) {
                        ($name(value.0 ^ 1, value.1), ptr::from_ref(&value).addr() % $align)
                    }
                    let values = [$name(a, b), $name(1, 2)];
                    let (made, misplaced) = by_value(values[at % 2]);
                    (made.0, made.1, misplaced + ptr::from_ref(&values[1]).addr() % $align, size_of::<[$name; 3]>())
                }
            )*

            fn packed_references(a: u8, b: u32, c: u64) -> (u32, u64, usize) {
                #[repr(C, packed)]
                struct Packed {
                    small: u8,
                    word: u32,
                    pair: (u64, u8),
                }
                let mut value = Packed { small: a, word: b, pair: (c, 7) };
                let word = &raw mut value.word;
                // SAFETY: the struct's field, wherever it lies.
                unsafe { word.write_unaligned(word.read_unaligned().wrapping_add(value.small as u32)) };
                let Packed { pair: (long, _), .. } = value;
                value.pair.1 ^= 1;
                ({ value.word }, long, offset_of!(Packed, pair))
            }

            fn packed_in_packed(a: u16, b: u32) -> ([u8; 9], usize) {
                #[derive(Clone, Copy)]
                #[repr(C, packed)]
                struct Inner {
                    a: u8,
                    b: u16,
                }
                #[derive(Clone, Copy)]
                #[repr(C, packed(2))]
                struct Outer {
                    first: Inner,
                    word: u32,
                }
                let outer = Outer { first: Inner { a: 1, b: a }, word: b };
                let mut bytes = [0; 9];
                // SAFETY: its eight bytes, of which the fourth is padding that is not copied.
                unsafe {
                    ptr::copy_nonoverlapping((&raw const outer).cast::<u8>(), bytes.as_mut_ptr(), 3);
                    ptr::copy_nonoverlapping((&raw const outer.word).cast::<u8>(), bytes.as_mut_ptr().add(4), 4);
                }
                (bytes, size_of::<Outer>())
            }

            fn packed_array_elements(values: [u32; 3], at: usize) -> (u32, u32, usize) {
                #[derive(Clone, Copy)]
                #[repr(packed)]
                struct Odd(u8, u32);
                let mut made = values.map(|value| Odd(1, value));
                made[at % 3].1 = 5;
                made[2].0 += 1;
                let sum = made.iter().fold(0u32, |sum, &Odd(small, large)| sum.wrapping_add(small as u32).wrapping_add(large));
                (sum, made[1].1, size_of::<[Odd; 3]>())
            }

            fn packed_enums(a: u8, b: u32) -> (u32, usize) {
                #[derive(Clone, Copy)]
                enum Choice {
                    Word(u32),
                    Pair(u8, u16),
                    Neither,
                }
                #[repr(C, packed)]
                struct Holder(u8, Choice);
                let mut holder = Holder(1, match a % 3 { 0 => Choice::Word(b), 1 => Choice::Pair(a, b as u16), _ => Choice::Neither });
                if b > 100 {
                    holder.1 = Choice::Pair(9, 9);
                }
                let found = match holder.1 {
                    Choice::Word(word) => word,
                    Choice::Pair(small, large) => small as u32 + large as u32,
                    Choice::Neither => 1,
                };
                (found, size_of::<Holder>())
            }

            fn declared_order(a: u8, b: u16, c: u32) -> ([usize; 4], [u8; 4]) {
                #[repr(C)]
                struct Declared {
                    a: u8,
                    c: u32,
                    b: u16,
                }
                let value = Declared { a, c, b };
                let bytes = (&raw const value.c).cast::<[u8; 4]>();
                // SAFETY: the field's own bytes.
                let bytes = unsafe { bytes.read() };
                let sum = value.a as usize + value.b as usize;
                ([offset_of!(Declared, c), offset_of!(Declared, b), size_of::<Declared>(), sum], bytes)
            }

            fn transparent_layers(a: u32) -> (u32, [usize; 2]) {
                #[derive(Clone, Copy)]
                #[repr(transparent)]
                struct Inner<T>(u32, PhantomData<T>);
                #[derive(Clone, Copy)]
                #[repr(transparent)]
                struct Outer {
                    unit: (),
                    inner: Inner<u64>,
                    none: [u8; 0],
                }
                #[inline(never)]
                fn pass(outer: Outer) -> Outer {
                    Outer { inner: Inner(outer.inner.0 ^ 5, PhantomData), ..outer }
                }
                let outer = pass(Outer { unit: (), inner: Inner(a, PhantomData), none: [] });
                let () = outer.unit;
                (outer.inner.0, [size_of::<Outer>(), align_of::<Outer>() + outer.none.len()])
            }

            fn transparent_enum(a: u8, b: u64) -> (u64, usize) {
                #[repr(transparent)]
                #[allow(dead_code)]
                enum Only {
                    One(u64, ()),
                }
                let Only::One(value, ()) = Only::One(b ^ a as u64, ());
                (value, size_of::<Only>())
            }

            fn union_of_structs(a: u32, b: u16) -> (u16, u16, u32, [u8; 4]) {
                #[derive(Clone, Copy)]
                #[repr(C)]
                struct Halves {
                    low: u16,
                    high: u16,
                }
                #[repr(C)]
                union Word {
                    whole: u32,
                    halves: Halves,
                    bytes: [u8; 4],
                    nothing: (),
                }
                let mut word = Word { whole: a };
                word.halves.high = b;
                // SAFETY: every field may hold any bits.
                unsafe {
                    let () = word.nothing;
                    let Halves { low, high } = word.halves;
                    word.bytes[3] ^= 0x80;
                    (low, high, word.whole, word.bytes)
                }
            }

            fn union_patterns(a: u8, float: bool) -> (u8, u32) {
                #[derive(Clone, Copy)]
                union Either {
                    number: u32,
                    float: f32,
                }
                struct Tagged {
                    float: bool,
                    value: Either,
                }
                let tagged = Tagged { float, value: if float { Either { float: a as f32 } } else { Either { number: a as u32 } } };
                // SAFETY: the tag tells which field was written.
                unsafe {
                    match tagged {
                        Tagged { float: true, value: Either { float } } => (1, (float * 2.0) as u32),
                        Tagged { float: false, value: Either { number: 7 } } => (2, 0),
                        Tagged { value: Either { number }, .. } => (3, number),
                    }
                }
            }

            fn union_with_drop_fields(a: u32) -> (u32, u32) {
                use std::mem::ManuallyDrop;
                struct Loud(u32);
                impl Drop for Loud {
                    fn drop(&mut self) {
                        self.0 = 0;
                    }
                }
                union Slot {
                    loud: ManuallyDrop<Loud>,
                    raw: u32,
                }
                let mut slot = Slot { loud: ManuallyDrop::new(Loud(a)) };
                // SAFETY: dropped once; the number stays readable.
                unsafe {
                    let before = slot.raw;
                    ManuallyDrop::drop(&mut slot.loud);
                    (before, slot.raw)
                }
            }

            fn big_union(a: u64, at: usize) -> ([u64; 3], usize) {
                #[repr(C, align(32))]
                union Big {
                    words: [u64; 3],
                    byte: u8,
                }
                let mut big = Big { words: [a; 3] };
                big.byte = 1;
                // SAFETY: all bits are numbers.
                unsafe {
                    big.words[at % 3] ^= 0xff;
                    (big.words, size_of::<Big>())
                }
            }

            fn zero_sized(a: u32) -> ([usize; 5], u32, bool) {
                #[derive(Clone, Copy, PartialEq)]
                struct Unit;
                #[derive(Clone, Copy, PartialEq)]
                #[repr(align(8))]
                struct Wide;
                #[derive(Clone, Copy, PartialEq)]
                struct Nested(Unit, (), [u32; 0], PhantomData<u64>);
                #[inline(never)]
                fn pass(_: Unit, a: u32, _: Nested, _: Wide) -> (Wide, u32, ()) {
                    (Wide, a ^ 1, ())
                }
                let nested = Nested(Unit, (), [], PhantomData);
                let (wide, a, ()) = pass(Unit, a, nested, Wide);
                (
                    [size_of::<Unit>(), size_of::<Wide>(), align_of::<Wide>(), size_of::<Nested>(), size_of::<[Unit; 100]>()],
                    a,
                    nested == nested && wide == Wide && ptr::from_ref(&wide).is_aligned(),
                )
            }

            fn zero_sized_elements(a: u8) -> (usize, usize, Option<()>) {
                let units = [(); 5];
                let part = &units[a as usize % 6..];
                let mut copy = units;
                copy.swap(0, 4);
                (part.len(), part.iter().zip(copy.iter().rev()).count(), part.first().copied())
            }

            fn wide_tuples(a: u8, b: u64, c: u16) -> ((u8, u64, u16, bool, char), u128) {
                #[inline(never)]
                fn turn((a, b, c, d, e): (u8, u64, u16, bool, char)) -> (char, bool, u16, u64, u8) {
                    (e, d, c.wrapping_add(a as u16), b ^ c as u64, a)
                }
                let (e, d, c, b, a) = turn((a, b, c, a > 5, 'q'));
                ((a, b, c, d, e), (b as u128) << 32 | c as u128)
            }

            fn pairs_by_value(a: u8, b: u128, c: bool) -> ((u128, u8), (bool, u8), (u8, u128)) {
                #[inline(never)]
                fn swap<A, B>((a, b): (A, B)) -> (B, A) {
                    (b, a)
                }
                (swap((a, b)), swap((a, c)), swap(swap((a, b))))
            }

            fn struct_bytes(a: u16, b: [u8; 2], c: u32) -> ([u8; 8], u32) {
                #[derive(Clone, Copy)]
                #[repr(C)]
                struct Plain {
                    a: u16,
                    b: [u8; 2],
                    c: u32,
                }
                // SAFETY: eight bytes without padding, all of them numbers.
                unsafe {
                    let bytes: [u8; 8] = transmute(Plain { a, b, c });
                    let back: Plain = transmute([bytes[4], bytes[5], bytes[6], bytes[7], bytes[0], bytes[1], bytes[2], bytes[3]]);
                    (bytes, back.c)
                }
            }
        }
    };
}

aligned! {
    By16 align_16 16;
    By32 align_32 32;
    By64 align_64 64;
    By128 align_128 128;
}

traps! {
    fn array_of_structs_out_of_bounds(i: usize) -> u32 {
        let values = [By16(1, 2), By16(3, 4)];
        values[i].1 + values[0].0 as u32
    } [(1,), (2,)]
}
