//! Structs and tuples in every representation, built, passed, changed field by field, returned.

use std::mem::{align_of, offset_of, size_of};

use crate::case::{cases, traps};

#[derive(Clone, Copy)]
struct Reordered {
    a: u8,
    b: u64,
    c: u16,
    d: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Declared {
    a: u8,
    b: u64,
    c: u16,
}

#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Packed {
    a: u8,
    b: u64,
    c: u16,
}

#[derive(Clone, Copy)]
#[repr(packed(2))]
struct PackedBy2 {
    a: u8,
    b: u32,
    c: u64,
}

#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Aligned {
    a: u8,
    b: [u16; 3],
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Index(u32);

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Float {
    value: f64,
}

#[derive(Clone, Copy)]
struct Unit;

#[derive(Clone, Copy)]
struct Nested {
    unit: Unit,
    inner: Reordered,
    pair: (u8, Declared),
    index: Index,
}

#[derive(Clone, Copy)]
struct Big {
    words: [u64; 9],
    tail: u8,
}

#[inline(never)]
fn swap_fields(from: Reordered) -> Reordered {
    Reordered { a: from.c as u8, b: from.d as u64, c: from.a as u16, d: from.b as u32 }
}

#[inline(never)]
fn change(mut big: Big, at: usize, to: u64) -> Big {
    big.words[at] = to;
    big.tail = big.tail.wrapping_add(1);
    big
}

#[inline(never)]
fn change_through(declared: &mut Declared, by: u16) {
    declared.c = declared.c.wrapping_add(by);
    declared.a = !declared.a;
}

#[inline(never)]
fn add(left: Index, right: Index) -> Index {
    Index(left.0.wrapping_add(right.0))
}

cases! {
    fn reordered(a: u8, b: u64, c: u16) -> (u8, u64, u16, u32) {
        let Reordered { a, b, c, d } = swap_fields(Reordered { a, b, c, d: 7 });
        (a, b, c, d)
    }

    fn field_updates(a: u8, b: u64, c: u16) -> (u8, u64, u16, u32) {
        let mut value = Reordered { a: 1, b: 2, c: 3, d: 4 };
        value.c = c;
        value.b = b;
        if a & 1 == 1 {
            value = Reordered { a, ..value };
        }
        value.d += value.c as u32;
        (value.a, value.b, value.c, value.d)
    }

    fn declared(a: u8, b: u64, c: u16) -> (u8, u64, u16) {
        let mut value = Declared { a, b, c };
        change_through(&mut value, 5);
        (value.a, value.b, value.c)
    }

    fn declared_bytes(a: u8, b: u64, c: u16) -> (u8, [u8; 8], [u8; 2]) {
        let value = Declared { a, b, c };
        let bytes = (&raw const value).cast::<u8>();
        // SAFETY: inside the struct, at its fields.
        unsafe { (*bytes, bytes.add(offset_of!(Declared, b)).cast::<[u8; 8]>().read(), bytes.add(16).cast::<[u8; 2]>().read()) }
    }

    fn packed(a: u8, b: u64, c: u16) -> ([u8; 11], u64) {
        let mut value = Packed { a, b, c };
        value.b = value.b.rotate_left(8);
        // SAFETY: eleven bytes without padding.
        (unsafe { std::mem::transmute::<Packed, [u8; 11]>(value) }, { value.b })
    }

    fn packed_array(values: [u64; 3]) -> ([u8; 33], u16) {
        let made = values.map(|value| Packed { a: value as u8, b: value, c: !value as u16 });
        // SAFETY: packed structs without padding.
        (unsafe { std::mem::transmute::<[Packed; 3], [u8; 33]>(made) }, made[(values[0] % 3) as usize].c)
    }

    fn packed_by_2(a: u8, b: u32, c: u64) -> (u8, u32, u64, usize) {
        let value = PackedBy2 { a, b, c };
        let PackedBy2 { a, b, c } = value;
        (a, b, c, size_of::<PackedBy2>() * 10 + align_of::<PackedBy2>())
    }

    fn aligned(a: u8, b: [u16; 3]) -> ([u16; 3], u8, usize) {
        let values = [Aligned { a, b }, Aligned { a: 1, b: [2, 3, 4] }];
        let chosen = &values[(a & 1) as usize];
        (chosen.b, chosen.a, (&raw const *chosen).addr() % 16)
    }

    fn transparent(a: u32, b: f64) -> (u32, f64) {
        (add(Index(a), Index(3)).0, Float { value: b }.value)
    }

    fn nested_structs(a: u8, b: u64, c: u16) -> ((u8, u64), (u16, u8, u64), u32) {
        let mut value = Nested {
            unit: Unit,
            inner: Reordered { a, b, c, d: 1 },
            pair: (2, Declared { a: 3, b: 4, c: 5 }),
            index: Index(6),
        };
        let Unit = value.unit;
        value.pair.1.b = b;
        value.pair.0 = a;
        value.inner = swap_fields(value.inner);
        value.index.0 += c as u32;
        ((value.inner.a, value.inner.b), (value.pair.1.c, value.pair.0, value.pair.1.b), value.index.0)
    }

    fn struct_by_value(words: [u64; 9], at: usize) -> ([u64; 9], u8) {
        let before = Big { words, tail: 255 };
        let after = change(before, at % 9, 42);
        (after.words, after.tail.wrapping_sub(before.tail))
    }

    fn tuple_fields(a: u8, b: i64) -> ((u8, i64), (i64, u8, bool), ((u8,), ())) {
        let mut pair = (a, b);
        pair.1 = pair.1.wrapping_sub(1);
        let nested = ((pair.1, pair.0), a > 5);
        (pair, (nested.0.0, nested.0.1, nested.1), ((a,), ()))
    }

    fn swap(a: u32, b: u32) -> [u32; 2] {
        let (mut a, mut b) = (a, b);
        std::mem::swap(&mut a, &mut b);
        (a, b) = (b.wrapping_add(1), a);
        [std::mem::replace(&mut a, 5), std::mem::take(&mut b)]
    }

    fn swap_large(words: [u64; 9]) -> ([u64; 9], [u64; 9]) {
        let (mut left, mut right) = (Big { words, tail: 0 }, Big { words: [1; 9], tail: 1 });
        std::mem::swap(&mut left, &mut right);
        (left.words, right.words)
    }

    fn unions(a: u32) -> ([u8; 4], f32, u8) {
        #[derive(Clone, Copy)]
        union Bits {
            number: u32,
            float: f32,
            bytes: [u8; 4],
        }
        let mut bits = Bits { number: a };
        // SAFETY: every field may hold any bits.
        unsafe {
            let float = f32::from_bits(bits.float.to_bits() & 0x7fff_ffff);
            bits.bytes[0] = 7;
            (bits.bytes, float, bits.number as u8)
        }
    }

    fn sizes(_a: bool) -> [usize; 6] {
        [size_of::<Reordered>(), size_of::<Declared>(), size_of::<Packed>(), size_of::<Aligned>(), align_of::<Aligned>(), size_of::<Nested>()]
    }

    /// Assignments to every place of two and three steps.
    fn places(a: u8, b: u32, i: usize) -> ([u32; 3], [[u8; 2]; 3], (u32, [u8; 3]), u8) {
        #[derive(Clone, Copy)]
        struct Element {
            field: u32,
            array: [u8; 3],
        }
        #[derive(Clone, Copy)]
        struct Outer {
            elements: [Element; 3],
            grid: [[u8; 2]; 3],
            pair: (u8, Element),
        }
        let i = i % 3;
        let element = Element { field: 1, array: [1, 2, 3] };
        let mut outer = Outer { elements: [element; 3], grid: [[9, 8]; 3], pair: (1, element) };
        outer.elements[i].field = b;
        outer.elements[2].array[i] = a;
        outer.grid[i][1] = a;
        outer.grid[2][a as usize & 1] = 77;
        outer.pair.1.array[i] = a ^ 1;
        outer.pair.1.field ^= b;
        let reference = &mut outer;
        reference.pair.0 = a;
        let through = &mut reference.elements[i];
        through.array[1] = 100;
        let total = outer.elements.map(|element| element.field.wrapping_add(element.array[1] as u32));
        (total, outer.grid, (outer.pair.1.field, outer.pair.1.array), outer.pair.0)
    }
}

traps! {}
