//! Types without bytes, in arrays, slices, parameters, enums and iterators, and arrays without elements.

use std::{
    marker::PhantomData,
    mem::{offset_of, size_of, size_of_val},
};

use meaning::{cases, traps};

#[derive(Clone, Copy, PartialEq, Default)]
struct Unit;

#[derive(Clone, Copy)]
#[repr(align(16))]
struct Aligned;

#[derive(Clone, Copy)]
struct Tagged<T, U = ()> {
    kind: PhantomData<(T, U)>,
    number: u16,
}

trait Kind {
    fn of(&self) -> u8;
}

impl Kind for Unit {
    fn of(&self) -> u8 {
        7
    }
}

impl Kind for () {
    fn of(&self) -> u8 {
        9
    }
}

impl<T> Kind for PhantomData<T> {
    fn of(&self) -> u8 {
        size_of::<T>() as u8
    }
}

#[inline(never)]
fn lengths<T>(values: &[T]) -> [usize; 2] {
    [values.len(), size_of_val(values)]
}

#[inline(never)]
fn pass((): (), number: u32, unit: Unit, none: [u32; 0], aligned: Aligned, kind: PhantomData<u8>) -> (Unit, u32, [u8; 2]) {
    let Unit = unit;
    (unit, number, [(none.len() + (&raw const aligned).addr() % 16) as u8, kind.of()])
}

cases! {
    fn slices_of_units(n: usize) -> ([usize; 2], [usize; 2], bool, usize) {
        let units = [Unit; 1000];
        let some = &units[n % 500..];
        let (left, right) = some.split_at(n % 100);
        (lengths(some), [left.len(), right.len()], some.get(499).is_some(), some.iter().filter(|unit| **unit == Unit).count())
    }

    fn units_iterated(n: usize) -> [usize; 6] {
        let units = [(); 37];
        let mut seen = 0;
        for () in units {
            seen += 1;
        }
        let mut rest = units.iter();
        rest.nth(n % 50);
        [
            seen, rest.len(), units.iter().rev().skip(n % 40).count(), units.chunks(n % 7 + 1).map(<[()]>::len).sum(),
            units.windows(n % 9 + 1).count(), units.iter().zip(0..n % 60).count(),
        ]
    }

    fn as_many_as_there_are(n: usize) -> (usize, bool, usize) {
        let units = [(); usize::MAX];
        (units.len(), units.get(n).is_some(), units[n % 7..].len())
    }

    fn units_written(n: usize) -> ([usize; 2], bool) {
        let mut units = [Unit; 9];
        units[n % 9] = Unit;
        units.swap(n % 9, 3);
        units.fill(Unit);
        units.reverse();
        units.copy_from_slice(&[Unit; 9]);
        for unit in &mut units {
            *unit = Unit::default();
        }
        (lengths(&units), units == [Unit; 9])
    }

    fn units_passed(a: u32) -> (u32, [u8; 2]) {
        let (Unit, number, rest) = pass((), a, Unit, [], Aligned, PhantomData);
        (number, rest)
    }

    fn tagged_by_types(a: u16) -> (u16, [usize; 2], [u8; 2]) {
        let first = Tagged::<u64, [u8; 3]> { kind: PhantomData, number: a };
        let second = Tagged::<()> { kind: PhantomData, ..Tagged { kind: PhantomData, number: 5 } };
        (first.number ^ second.number, [size_of_val(&first), size_of_val(&second)], [first.kind.of(), second.kind.of()])
    }

    fn enums_of_nothing(a: bool, b: bool) -> ([usize; 3], bool, u8, usize) {
        let option = a.then_some(Unit);
        let result: Result<(), [u32; 0]> = if a { Ok(()) } else { Err([]) };
        let nested = b.then_some(a.then_some(()));
        let depth = match nested {
            None => 0,
            Some(None) => 1,
            Some(Some(())) => 2,
        };
        ([size_of_val(&option), size_of_val(&result), size_of_val(&nested)], option.is_some(), depth, result.map_or_else(|none| none.len(), |()| 3))
    }

    fn arrays_without_elements(a: usize) -> ([usize; 3], Option<u32>, u32, bool) {
        let none: [u32; 0] = [];
        let empty = [[0u64; 0]; 12];
        let mapped = none.map(|number| number as u64 + 1);
        ([mapped.len(), empty[a % 12..].len(), empty.as_flattened().len()], none.get(a).copied(), none.iter().sum(), none.first().is_none())
    }

    fn fields_without_elements(a: u8, b: u32) -> (u8, u32, [usize; 2]) {
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Header {
            small: u8,
            aligned: [u64; 0],
            word: u32,
            tail: [u16; 0],
        }
        let first = Header { small: a, aligned: [], word: b, tail: [] };
        let both = [first, Header { small: 1, ..first }];
        let Header { aligned: [], tail: [], .. } = both[1];
        (both[a as usize & 1].small, both[1].word, [size_of::<Header>(), offset_of!(Header, word)])
    }

    fn closures_over_units(a: u32) -> ([usize; 2], u32) {
        let (unit, tuple) = (Unit, ((), Aligned));
        let once = move |number: u32| {
            let (Unit, ((), Aligned)) = (unit, tuple);
            number ^ 1
        };
        let twice = move |number| once(once(number)) / 2;
        ([size_of_val(&once), size_of_val(&twice)], twice(a))
    }

    fn objects_without_bytes(a: bool) -> (u8, usize) {
        let kind: &dyn Kind = if a { &Unit } else { &() };
        (kind.of(), size_of_val(kind))
    }
}

traps! {
    fn past_the_units(i: usize) -> usize {
        let units = [(); 5];
        let () = units[i];
        i
    } [(4,), (5,)]

    fn past_no_elements(i: usize) -> u32 {
        let none: [u32; 0] = [];
        if i == 0 { 1 } else { none[i - 1] }
    } [(0,), (1,)]

    fn chunks_of_units(size: usize) -> usize { [(); 5].chunks_exact(size).count() } [(2,), (0,)]
}
