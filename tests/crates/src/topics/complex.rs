//! Complex numbers: num-complex.

use meaning::{
    case::{cases, traps},
    outcome::Near,
};
use num_complex::{Complex, Complex32, Complex64, ComplexFloat};
use num_traits::{Inv, Zero};

fn escape<T: num_traits::Float>(c: Complex<T>, most: u32) -> u32 {
    let four = T::from(4.0).unwrap_or_else(T::zero);
    let mut z = Complex::<T>::zero();
    for step in 0..most {
        if z.norm_sqr() > four {
            return step;
        }
        z = z * z + c;
    }
    most
}

fn pair<T: Copy>(z: Complex<T>) -> (T, T) {
    (z.re, z.im)
}

cases! {
    fn mandelbrot(x: f32, y: f32) -> (u32, u32) {
        let (x, y) = (x % 2.0, y % 2.0);
        (escape(Complex::new(x, y), 60), escape(Complex::new(x as f64, y as f64), 60))
    }

    fn mandelbrot_step(z: (f32, f32), c: (f32, f32)) -> (f32, f32) {
        let z = Complex32::new(z.0, z.1);
        pair(z * z + Complex32::new(c.0, c.1))
    }

    fn field(a: (f64, f64), b: (f64, f64)) -> [(f64, f64); 4] {
        let (a, b) = (Complex64::new(a.0, a.1), Complex64::new(b.0, b.1));
        [pair(a + b), pair(a - b.conj()), pair(a * b), pair(a / b)]
    }

    fn gaussian(a: (i32, i32), b: (i32, i32)) -> ((i32, i32), (i32, i32), i32) {
        let (a, b) = (Complex::new(a.0 % 1000, a.1 % 1000), Complex::new(b.0 % 1000, b.1 % 1000 + 1001));
        (pair(a * b), pair(a / b), a.norm_sqr())
    }

    fn polar(a: f64, b: f64) -> (Near<f64, 45>, Near<f64, 45>, Near<(f64, f64), 45>) {
        let z = Complex64::new(a, b);
        let (length, angle) = z.to_polar();
        (Near(length), Near(angle), Near(pair(Complex::from_polar(length, angle))))
    }

    fn exponential(a: f32, b: f32) -> [Near<(f32, f32), 17>; 4] {
        let z = Complex32::new(a, b);
        [pair(z.exp()), pair(z.ln()), pair(z.sqrt()), pair(z.sin())].map(Near)
    }

    fn powers(a: f64, b: f64, n: i8) -> ([(f64, f64); 2], Near<(f64, f64), 45>) {
        let z = Complex64::new(a, b);
        ([pair(z.powi(n as i32)), pair(z.powu(n as u8 as u32))], Near(pair(z.powf(0.5))))
    }

    fn reciprocal(a: f64, b: f64) -> ((f64, f64), (f64, f64), bool) {
        let z = Complex64::new(a, b);
        (pair(z.inv()), pair(z.scale(2.0).unscale(3.0)), z.is_normal())
    }

    fn transform(values: [f32; 8]) -> [(f32, f32); 4] {
        let mut found = [Complex32::zero(); 4];
        for (k, bin) in found.iter_mut().enumerate() {
            for (n, pair) in values.chunks_exact(2).enumerate() {
                let turn = -core::f32::consts::TAU * (k * n) as f32 / 4.0;
                *bin += Complex32::new(pair[0], pair[1]) * Complex32::cis(turn);
            }
        }
        found.map(pair)
    }

    fn folded(values: [f64; 6]) -> ((f64, f64), (f64, f64)) {
        let numbers = || values.chunks_exact(2).map(|pair| Complex64::new(pair[0], pair[1]));
        (pair(numbers().sum()), pair(numbers().product()))
    }

    fn by_trait(a: f32, b: f32) -> (Near<f32, 17>, Near<f32, 17>, Near<(f32, f32), 17>) {
        fn generic<C: ComplexFloat>(z: C) -> (C::Real, C::Real, C) {
            (z.abs(), z.arg(), z.recip())
        }
        let (length, angle, inverse) = generic(Complex32::new(a, b));
        (Near(length), Near(angle), Near(pair(inverse)))
    }
}

traps! {}
