//! The remainder of floats, against the host's, bit for bit: quotients of every size, subnormals, zeros and infinities.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn remainders(
        x: &[f64],
        y: &[f64],
        mut single: DisjointSlice<f32>,
        mut double: DisjointSlice<f64>,
    ) {
        let i = thread::index_1d().get();
        if let Some(out) = single.get_mut(thread::index_1d()) {
            *out = x[i] as f32 % y[i] as f32;
        }
        if let Some(out) = double.get_mut(thread::index_1d()) {
            *out = x[i] % y[i];
        }
    }
}

fn main() {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        3.0,
        32767.5,
        1e-310,
        5e-324,
        -2.2e-308,
        1e308,
        f64::MAX,
        f64::NAN,
        f64::INFINITY,
        1e-40,
        1e38,
        7.5,
    ];
    let mut pairs: Vec<(f64, f64)> = edges
        .iter()
        .flat_map(|x| edges.iter().map(move |y| (*x, *y)))
        .collect();
    let mut state: u64 = 88172645463325252;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..20_000 {
        pairs.push((f64::from_bits(random()), f64::from_bits(random())));
        let scale = f64::powi(2.0, (random() % 200) as i32 - 100);
        pairs.push((random() as f64 * scale, random() as f64));
    }
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let x_device = DeviceBuffer::from_host(&stream, &x).unwrap();
    let y_device = DeviceBuffer::from_host(&stream, &y).unwrap();
    let mut single = DeviceBuffer::<f32>::zeroed(&stream, x.len()).unwrap();
    let mut double = DeviceBuffer::<f64>::zeroed(&stream, x.len()).unwrap();
    let config = LaunchConfig::for_num_elems(x.len() as u32);
    // SAFETY: the buffers have one length, and the launch is one-dimensional.
    unsafe {
        module.remainders(
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
    let same32 =
        |got: f32, want: f32| got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
    let same64 =
        |got: f64, want: f64| got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
    let mut wrong = 0;
    for (i, (x, y)) in pairs.iter().enumerate() {
        if !same32(single[i], *x as f32 % *y as f32) || !same64(double[i], x % y) {
            wrong += 1;
            if wrong < 10 {
                eprintln!(
                    "{x:e} % {y:e}: got {:e} and {:e}, expected {:e} and {:e}",
                    single[i],
                    double[i],
                    *x as f32 % *y as f32,
                    x % y
                );
            }
        }
    }
    assert_eq!(wrong, 0);
    println!("SUCCESS: {} pairs", pairs.len());
}
