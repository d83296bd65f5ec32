//! Arrays: indexed by numbers not known before, nested, of structs, taken apart by patterns.

use crate::case::{cases, traps};

cases! {
    fn dynamic(values: [u32; 5], i: usize, j: usize) -> [u32; 5] {
        let mut values = values;
        let (i, j) = (i % 5, j % 5);
        values[i] = values[j].wrapping_mul(3);
        values.swap(i, (j + 1) % 5);
        values
    }

    fn nested_arrays(a: [[i16; 3]; 2], i: usize, j: usize) -> ([[i16; 2]; 3], i16) {
        let mut turned = [[0; 2]; 3];
        for row in 0..2 {
            for column in 0..3 {
                turned[column][row] = a[row][column];
            }
        }
        (turned, a[i % 2][j % 3])
    }

    fn repeated(value: u16) -> ([u16; 3], [u8; 40], [u64; 20], [(u8, u32); 4], [[i8; 2]; 2]) {
        ([value; 3], [0; 40], [value as u64; 20], [(value as u8, 7); 4], [[value as i8; 2]; 2])
    }

    fn of_structs(seeds: [u8; 4], at: usize) -> (u64, u8) {
        #[derive(Clone, Copy)]
        struct Body {
            mass: u8,
            place: u64,
        }
        let mut bodies = seeds.map(|seed| Body { mass: seed, place: seed as u64 * 3 });
        bodies[at % 4].place += 1000;
        (bodies.iter().map(|body| body.place * body.mass as u64).sum(), bodies[at % 3].mass)
    }

    fn patterns(values: [u8; 5]) -> (u8, u8, usize, u32) {
        let [first, middle @ .., last] = values;
        let [_, second, rest @ ..] = &values;
        let wide: u32 = middle.iter().chain(rest).map(|&value| value as u32).sum();
        (first ^ last, *second, rest.len(), wide)
    }

    fn slice_patterns(values: [u8; 6], length: usize) -> u32 {
        match &values[..length % 7] {
            [] => 0,
            [one] => *one as u32,
            [0, .., 0] => 1000,
            [first, .., last] if first == last => 2000,
            [_, middle @ .., _] => middle.iter().map(|&value| value as u32 + 1).sum(),
        }
    }

    fn from_the_end(values: [u16; 6], length: usize) -> (u16, u16) {
        match &values[..length % 7] {
            [.., before, last] => (*before, *last),
            [last] => (0, *last),
            [] => (1, 1),
        }
    }

    fn mutable_patterns(values: [u8; 5], by: u8) -> [u8; 5] {
        let mut values = values;
        let [first, .., last] = &mut values;
        std::mem::swap(first, last);
        if let [_, middle @ .., _] = &mut values[..] {
            for value in middle {
                *value = value.wrapping_add(by);
            }
        }
        values
    }

    fn array_functions(values: [i32; 4]) -> ([i64; 4], [i32; 4], bool, Option<i32>) {
        let doubled = values.map(|value| value as i64 * 2);
        let built = std::array::from_fn(|i| values[3 - i]);
        (doubled, built, values.contains(&7), values.first().copied())
    }

    fn empty(value: u8) -> ([u8; 0], usize, u8) {
        let nothing: [u8; 0] = [];
        (nothing, [(); 3].len(), nothing.iter().fold(value, |all, one| all ^ one))
    }

    fn wide_elements(values: [u128; 2], flags: [bool; 3], letters: [char; 2]) -> (u128, [bool; 2], char) {
        (values[0] ^ values[1], [flags[2], !flags[0]], letters[flags[1] as usize])
    }

    fn matrix(a: [[f32; 2]; 2], b: [[f32; 2]; 2]) -> [[f32; 2]; 2] {
        let mut product = [[0.0; 2]; 2];
        for (i, row) in product.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                for k in 0..2 {
                    *cell += a[i][k] * b[k][j];
                }
            }
        }
        product
    }

    fn array_equality(a: [u8; 3], b: [u8; 3], c: [[i16; 2]; 2]) -> (bool, bool, bool) {
        (a == b, a != [1, 2, 3], c == [[0, 0], [0, 0]])
    }
}

traps! {
    fn out_of_bounds(values: [u32; 3], i: usize) -> u32 { values[i] } [([1, 2, 3], 2), ([1, 2, 3], 3), ([1, 2, 3], usize::MAX)]

    fn inner_out_of_bounds(values: [[u8; 2]; 2], i: usize, j: usize) -> u8 { values[i][j] }
    [([[1, 2], [3, 4]], 1, 1), ([[1, 2], [3, 4]], 0, 2), ([[1, 2], [3, 4]], 2, 0)]

    fn store_out_of_bounds(i: usize) -> [u8; 2] {
        let mut values = [0; 2];
        values[i] = 1;
        values
    } [(1,), (2,)]
}
