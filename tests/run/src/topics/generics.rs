//! Generic functions, traits, associated types and constants.

use std::{
    marker::PhantomData,
    ops::{Add, AddAssign, Index, Mul, Neg},
};

use crate::case::{cases, traps};

#[derive(Clone, Copy, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Copy + Mul<Output = T> + Add<Output = T> + Neg<Output = T>> Mul for Complex<T> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re + -(self.im * other.im), im: self.re * other.im + self.im * other.re }
    }
}

#[derive(Clone, Copy)]
struct Meters(u32);
#[derive(Clone, Copy)]
struct SquareMeters(u64);

impl Mul for &Meters {
    type Output = SquareMeters;

    fn mul(self, other: Self) -> SquareMeters {
        SquareMeters(self.0 as u64 * other.0 as u64)
    }
}

struct Matrix<const R: usize, const C: usize>([[i64; C]; R]);

impl<const R: usize, const C: usize> Matrix<R, C> {
    const CELLS: usize = R * C;

    #[inline(never)]
    fn times<const N: usize>(&self, other: &Matrix<C, N>) -> Matrix<R, N> {
        let mut product = Matrix([[0; N]; R]);
        for row in 0..R {
            for column in 0..N {
                for i in 0..C {
                    product.0[row][column] = product.0[row][column].wrapping_add(self.0[row][i].wrapping_mul(other.0[i][column]));
                }
            }
        }
        product
    }
}

impl<const R: usize, const C: usize> Index<(usize, usize)> for Matrix<R, C> {
    type Output = i64;

    fn index(&self, (row, column): (usize, usize)) -> &i64 {
        &self.0[row][column]
    }
}

trait Unit {
    const FACTOR: u32;
    const ENABLED: bool;
    type Wide: From<u32> + AddAssign + Copy;

    fn name(&self) -> u8;

    fn twice(&self) -> u8 {
        self.name().wrapping_mul(2)
    }
}

struct Small;
struct Big<T>(PhantomData<T>, u8);

impl Unit for Small {
    const FACTOR: u32 = 3;
    const ENABLED: bool = false;
    type Wide = u32;

    fn name(&self) -> u8 {
        1
    }
}

impl<T> Unit for Big<T> {
    const FACTOR: u32 = 1000 + size_of::<T>() as u32;
    const ENABLED: bool = true;
    type Wide = u64;

    fn name(&self) -> u8 {
        self.1
    }

    fn twice(&self) -> u8 {
        self.1 ^ 0xff
    }
}

#[inline(never)]
fn scale<U: Unit>(unit: &U, value: u32) -> (U::Wide, u8) {
    let mut wide = U::Wide::from(value & 0xffff);
    if U::ENABLED {
        wide += U::Wide::from(value / 2 + 1);
    }
    let small = U::Wide::from((value & 0xff) * U::FACTOR);
    wide += small;
    (wide, unit.twice())
}

#[inline(never)]
fn largest<T: PartialOrd + Copy, const N: usize>(values: &[T; N]) -> T {
    let mut largest = values[0];
    for &value in values {
        if value > largest {
            largest = value;
        }
    }
    largest
}

#[inline(never)]
fn fibonacci<const N: usize>() -> [u32; N] {
    let mut numbers = [1; N];
    for i in 2..N {
        numbers[i] = numbers[i - 1] + numbers[i - 2];
    }
    numbers
}

cases! {
    fn operators(a: i16, b: i16, c: f64) -> ((i64, i64), (f64, f64)) {
        let whole = Complex { re: a as i64, im: b as i64 };
        let float = Complex { re: c, im: 2.0 };
        let (whole, float) = (whole * whole, float * Complex { re: 0.5, im: c });
        ((whole.re, whole.im), (float.re, float.im))
    }

    fn output_is_another_type(a: u32, b: u32) -> u64 {
        (&Meters(a) * &Meters(b)).0
    }

    fn constant_parameters(a: [[i64; 3]; 2], b: [[i64; 2]; 3], at: usize) -> ([[i64; 2]; 2], i64, usize) {
        let product = Matrix(a).times(&Matrix(b));
        let cell = product[(at % 2, 1)];
        (product.0, cell, Matrix::<2, 3>::CELLS)
    }

    fn associated(a: u32, b: u8) -> ((u32, u8), (u64, u8), u32) {
        (scale(&Small, a), scale(&Big::<u64>(PhantomData, b), a), Big::<[u8; 7]>::FACTOR)
    }

    fn instances(a: [u8; 4], b: [i64; 3], c: [f32; 5], d: [char; 2]) -> (u8, i64, f32, char) {
        (largest(&a), largest(&b), largest(&c), largest(&d))
    }

    fn arrays_by_length(i: usize) -> (u32, [u32; 3], usize) {
        (fibonacci::<20>()[i % 20], fibonacci(), fibonacci::<0>().len())
    }

    fn through_references(a: u32, b: u32) -> (u32, bool) {
        fn add<'a, T>(a: &'a T, b: &'a T) -> T
        where
            &'a T: Add<Output = T>,
        {
            a + b
        }
        (add(&(a / 2), &(b / 2)), (&a).eq(&b))
    }

    fn defaults(a: u8) -> (u32, Option<u8>, [u16; 4], (bool, char)) {
        let kept: (u32, Option<u8>, [u16; 4], (bool, char)) = Default::default();
        if a > 100 { (1, Some(a), [2; 4], (true, 'x')) } else { kept }
    }
}

traps! {
    fn switched_off(a: u32) -> u32 {
        fn check<U: Unit>(_: U, a: u32) -> u32 {
            if U::ENABLED && a > 3 {
                panic!("enabled");
            }
            a
        }
        check(Small, a) + check(Big::<u8>(PhantomData, 1), a)
    } [(3,), (4,)]

    /// What is switched off by a constant may do what no kernel can.
    fn heap_switched_off(a: u32) -> u32 {
        fn check<U: Unit>(_: U, a: u32) -> u32 {
            if U::ENABLED {
                let numbers = vec![a; 3];
                println!("{numbers:?}");
            }
            [1, 2, 3, 4][a as usize]
        }
        check(Small, a)
    } [(3,), (4,)]
}
