//! Kernels for tests of `oxide.load`: a file without a `main`.

#![feature(f16)]

use std::ops::{Add, Mul};

use cuda_device::{
    DisjointSlice, DynamicSharedArray, Runtime2DIndex, cuda_module, gpu_printf, kernel, thread, uniform::Uniform,
};

#[derive(Clone, Copy)]
pub struct Body {
    pub x: f32,
    pub id: u8,
    pub v: [f64; 2],
}

#[derive(Clone, Copy)]
pub struct Metres(pub f32);

#[derive(Clone, Copy)]
pub enum Mode {
    Add = 1,
    Sub = 7,
}

pub fn square(x: f32) -> f32 {
    x * x
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn empty() {}

    #[kernel]
    pub fn saxpy(n: u32, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
        let index = thread::index_1d();
        let i = index.get();
        if i < n as usize
            && let Some(y) = y.get_mut(index)
        {
            *y = a * x[i] + *y;
        }
    }

    #[kernel]
    pub fn primitive_halves(a: f16, x: &[f16], mut y: DisjointSlice<f16>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(y) = y.get_mut(index) {
            *y = a * x[i] + *y;
        }
    }

    #[kernel]
    pub fn halves(a: half::f16, x: &[half::f16], mut y: DisjointSlice<half::f16>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(y) = y.get_mut(index) {
            *y = a * x[i] + *y;
        }
    }

    #[kernel]
    pub fn brain_floats(a: half::bf16, x: &[half::bf16], mut y: DisjointSlice<half::bf16>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(y) = y.get_mut(index) {
            *y = a * x[i] + *y;
        }
    }

    #[kernel]
    pub fn raw_saxpy(n: u32, a: f32, x: *const f32, y: *mut f32) {
        let i = (thread::blockIdx_x() * thread::blockDim_x() + thread::threadIdx_x()) as usize;
        if i < n as usize {
            // SAFETY: the caller's buffers have n elements.
            unsafe { *y.add(i) = a * *x.add(i) + *y.add(i) };
        }
    }

    #[kernel]
    pub fn mixed(
        body: Body, mode: Mode, pair: (u8, u32), u: Uniform<i16>, _nothing: (), c: char, b: bool, wide: u128,
        length: Metres, weights: [i16; 3], bodies: &mut [Body], out: *mut f64,
    ) {
        if b && thread::threadIdx_x() == 0 {
            bodies[0] = body;
            bodies[1].id = pair.0;
            bodies[1].x = match mode {
                Mode::Add => 1.0,
                Mode::Sub => -1.0,
            } * (c as u32) as f32;
            let weight: i16 = weights.iter().sum();
            // SAFETY: the caller's.
            unsafe { *out = wide as f64 + f64::from(u.get()) + f64::from(pair.1) + f64::from(length.0) + f64::from(weight) };
        }
    }

    #[kernel]
    pub fn optional(number: Option<u64>, mut out: DisjointSlice<u64>) {
        if let Some((out, _)) = out.get_mut_indexed() {
            *out = number.unwrap_or(3);
        }
    }

    #[kernel]
    pub fn rows(mut out: DisjointSlice<u32, Runtime2DIndex>) {
        if let Some(index) = thread::index_2d_runtime(&out) {
            let value = (index.row() * 100 + index.col()) as u32;
            if let Some(out) = out.get_mut(index) {
                *out = value;
            }
        }
    }

    #[kernel]
    pub fn points(points: &[[f32; 3]], mut sums: DisjointSlice<f32>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(sum) = sums.get_mut(index) {
            *sum = points[i].iter().sum();
        }
    }

    #[kernel]
    pub fn reverse(mut out: DisjointSlice<u32>) {
        let shared = DynamicSharedArray::<u32>::get();
        let lane = thread::threadIdx_x() as usize;
        let last = thread::blockDim_x() as usize - 1;
        // SAFETY: the launch shares four bytes for each thread.
        unsafe { *shared.add(lane) = lane as u32 };
        thread::sync_threads();
        if let Some((out, _)) = out.get_mut_indexed() {
            // SAFETY: as above.
            *out = unsafe { *shared.add(last - lane) };
        }
    }

    #[kernel]
    pub fn fails(x: &[f32], mut y: DisjointSlice<f32>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(y) = y.get_mut(index) {
            *y = x[i + 1];
        }
    }

    #[kernel]
    pub fn prints(number: i32) {
        gpu_printf!("number {}\n", number);
    }

    #[kernel]
    pub fn spins(rounds: u32, mut out: DisjointSlice<u32>) {
        if let Some((out, _)) = out.get_mut_indexed() {
            for _ in 0..rounds {
                *out = out.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            }
        }
    }

    #[kernel]
    pub fn scale<T: Copy + Mul<Output = T>, const N: usize>(factor: T, mut out: DisjointSlice<T>) {
        if let Some((out, _)) = out.get_mut_indexed() {
            for _ in 0..N {
                *out = *out * factor;
            }
        }
    }

    #[kernel]
    pub fn map<T: Copy + Add<Output = T>, F: Fn(T) -> T + Copy>(f: F, mut out: DisjointSlice<T>) {
        if let Some((out, _)) = out.get_mut_indexed() {
            *out = f(*out);
        }
    }
}
