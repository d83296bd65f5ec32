//! `f32` and `f64` methods that need a library, against the host's, within the bounds that CUDA's documentation gives.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

macro_rules! functions {
    ($name:ident, $float:ident, $count:literal: $($function:expr),* $(,)?) => {
        fn $name(x: $float, y: $float) -> [$float; $count] {
            [$({ let function: fn($float, $float) -> $float = $function; function(x, y) }),*]
        }
    };
}

functions!(in_f32, f32, 34:
    |x, _| x.sin(), |x, _| x.cos(), |x, _| x.tan(), |x, _| x.asin(), |x, _| x.acos(), |x, _| x.atan(),
    |x, y| x.atan2(y), |x, _| x.sinh(), |x, _| x.cosh(), |x, _| x.tanh(), |x, _| x.exp(), |x, _| x.exp2(),
    |x, _| x.exp_m1(), |x, _| x.abs().ln(), |x, _| x.abs().ln_1p(), |x, _| x.abs().log2(), |x, _| x.abs().log10(),
    |x, y| x.abs().powf(y), |x, _| x.powi(3), |x, _| x.cbrt(), |x, y| x.hypot(y), |x, _| x.abs().sqrt(),
    |x, _| x.floor(), |x, _| x.ceil(), |x, _| x.trunc(), |x, _| x.round(), |x, _| x.round_ties_even(), |x, _| x.fract(),
    |x, y| x.copysign(y), |x, y| x.min(y), |x, y| x.max(y), |x, y| x.mul_add(y, 0.5), |x, y| x % y, |x, y| x.rem_euclid(y),
);
functions!(in_f64, f64, 20:
    |x, _| x.sin(), |x, _| x.cos(), |x, _| x.tan(), |x, _| x.asin(), |x, _| x.atan(), |x, y| x.atan2(y), |x, _| x.tanh(),
    |x, _| x.exp(), |x, _| x.exp_m1(), |x, _| x.abs().ln(), |x, _| x.abs().log2(), |x, y| x.abs().powf(y), |x, _| x.powi(-2),
    |x, _| x.cbrt(), |x, y| x.hypot(y), |x, _| x.abs().sqrt(), |x, _| x.round(), |x, _| x.clamp(-1.0, 1.0), |x, y| x % y, |x, _| x.signum(),
);

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn compute(
        x: &[f64],
        y: &[f64],
        mut single: DisjointSlice<[f32; 34]>,
        mut double: DisjointSlice<[f64; 20]>,
    ) {
        let i = thread::index_1d().get();
        if let Some(out) = single.get_mut(thread::index_1d()) {
            *out = in_f32(x[i] as f32, y[i] as f32);
        }
        if let Some(out) = double.get_mut(thread::index_1d()) {
            *out = in_f64(x[i], y[i]);
        }
    }
}

/// Whether two results are the same but for an error of some units in the last place.
fn close(got: f64, expected: f64, epsilon: f64) -> bool {
    got == expected
        || (got.is_nan() && expected.is_nan())
        || (got - expected).abs() <= 16.0 * epsilon * expected.abs().max(1e-30)
}

fn main() {
    let values = [
        0.0,
        -0.0,
        0.25,
        -0.5,
        0.5,
        1.0,
        -1.0,
        1.5,
        2.5,
        -2.5,
        3.75,
        10.0,
        -7.25,
        30.0,
        1e-3,
        f64::NAN,
        f64::INFINITY,
    ];
    let (x, y): (Vec<f64>, Vec<f64>) = values
        .iter()
        .flat_map(|x| values.iter().map(move |y| (*x, *y)))
        .unzip();
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let x_device = DeviceBuffer::from_host(&stream, &x).unwrap();
    let y_device = DeviceBuffer::from_host(&stream, &y).unwrap();
    let mut single = DeviceBuffer::<[f32; 34]>::zeroed(&stream, x.len()).unwrap();
    let mut double = DeviceBuffer::<[f64; 20]>::zeroed(&stream, x.len()).unwrap();
    let config = LaunchConfig::for_num_elems(x.len() as u32);
    // SAFETY: the buffers have one length, and the launch is one-dimensional.
    unsafe {
        module.compute(
            &stream,
            config,
            &x_device,
            &y_device,
            &mut single,
            &mut double,
        )
    }
    .unwrap();
    let single = single.to_host_vec(&stream).unwrap();
    let double = double.to_host_vec(&stream).unwrap();
    let mut wrong = 0;
    for i in 0..x.len() {
        let expected = in_f32(x[i] as f32, y[i] as f32);
        for (function, (got, want)) in single[i].iter().zip(expected).enumerate() {
            if !close(f64::from(*got), f64::from(want), f64::from(f32::EPSILON)) {
                eprintln!(
                    "f32 function {function} of {} and {}: got {got}, expected {want}",
                    x[i], y[i]
                );
                wrong += 1;
            }
        }
        for (function, (got, want)) in double[i].iter().zip(in_f64(x[i], y[i])).enumerate() {
            if !close(*got, want, f64::EPSILON) {
                eprintln!(
                    "f64 function {function} of {} and {}: got {got}, expected {want}",
                    x[i], y[i]
                );
                wrong += 1;
            }
        }
    }
    assert_eq!(wrong, 0);
    println!("SUCCESS: 54 functions over {} pairs", x.len());
}
