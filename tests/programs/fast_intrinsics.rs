//! `fadd_fast` and its kin of `core::intrinsics`, of `f32`, `f64` and `f16`, about as the operators on the host.

#![feature(core_intrinsics, f16)]
#![allow(internal_features)]

use std::intrinsics::{fadd_fast, fdiv_fast, fmul_fast, frem_fast, fsub_fast};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn single(a: &[f32], b: &[f32], mut out: DisjointSlice<[f32; 5]>) {
        let i = thread::index_1d().get();
        if let Some(out) = out.get_mut(thread::index_1d()) {
            let (a, b) = (a[i], b[i]);
            // SAFETY: the host passes finite numbers with finite results.
            *out = unsafe {
                [
                    fadd_fast(a, b),
                    fsub_fast(a, b),
                    fmul_fast(a, b),
                    fdiv_fast(a, b),
                    frem_fast(a, b),
                ]
            };
        }
    }

    #[kernel]
    pub fn double(a: &[f64], b: &[f64], mut out: DisjointSlice<[f64; 5]>) {
        let i = thread::index_1d().get();
        if let Some(out) = out.get_mut(thread::index_1d()) {
            let (a, b) = (a[i], b[i]);
            // SAFETY: the host passes finite numbers with finite results.
            *out = unsafe {
                [
                    fadd_fast(a, b),
                    fsub_fast(a, b),
                    fmul_fast(a, b),
                    fdiv_fast(a, b),
                    frem_fast(a, b),
                ]
            };
        }
    }

    #[kernel]
    pub fn half(a: &[u16], b: &[u16], mut out: DisjointSlice<[u16; 5]>) {
        let i = thread::index_1d().get();
        if let Some(out) = out.get_mut(thread::index_1d()) {
            let (a, b) = (f16::from_bits(a[i]), f16::from_bits(b[i]));
            // SAFETY: the host passes finite numbers with finite results.
            let all = unsafe {
                [
                    fadd_fast(a, b),
                    fsub_fast(a, b),
                    fmul_fast(a, b),
                    fdiv_fast(a, b),
                    frem_fast(a, b),
                ]
            };
            *out = all.map(f16::to_bits);
        }
    }
}

macro_rules! compare {
    ($module:ident, $stream:ident, $kernel:ident, $float:ident, $epsilon:expr, $pass:expr, $back:expr) => {
        let a = [3.0, -7.5, 0.25, 100.0, 41.0, -0.125].map(|it: f64| it as $float);
        let b = [2.0, 1.25, -3.0, 7.0, 3.0, 10.0].map(|it: f64| it as $float);
        let a_device = DeviceBuffer::from_host(&$stream, &a.map($pass)).unwrap();
        let b_device = DeviceBuffer::from_host(&$stream, &b.map($pass)).unwrap();
        let zeros = vec![[$pass(0.0); 5]; a.len()];
        let mut out = DeviceBuffer::from_host(&$stream, &zeros).unwrap();
        let config = LaunchConfig::for_num_elems(a.len() as u32);
        // SAFETY: the buffers have one length, and the launch is one-dimensional.
        unsafe { $module.$kernel(&$stream, config, &a_device, &b_device, &mut out) }.unwrap();
        for (i, got) in out.to_host_vec(&$stream).unwrap().into_iter().enumerate() {
            let (a, b) = (a[i], b[i]);
            let want = [a + b, a - b, a * b, a / b, a % b].map(|it| it as f64);
            for (got, want) in got.map(|it| $back(it) as f64).into_iter().zip(want) {
                assert!(
                    (got - want).abs() <= $epsilon * want.abs(),
                    "{a:?} and {b:?}: got {got}, expected {want}"
                );
            }
        }
    };
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    compare!(module, stream, single, f32, 1e-6, f32::from, f32::from);
    compare!(module, stream, double, f64, 1e-15, f64::from, f64::from);
    compare!(
        module,
        stream,
        half,
        f16,
        1e-3,
        f16::to_bits,
        f16::from_bits
    );
    println!("SUCCESS: five operations of three types");
}
