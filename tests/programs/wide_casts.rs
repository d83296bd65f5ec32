//! Casts between floats and 128-bit integers, and 128-bit division, against the host's.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};
fn f(x: f64, y: f32, i: i128) -> [u64; 16] {
    let a = x as i128;
    let b = x as u128;
    let c = y as i128;
    let d = y as u128;
    let e = i as f64;
    let g = i as f32;
    let h = (i as u128) as f64;
    let k = (i as u128) as f32;
    [
        a as u64,
        (a >> 64) as u64,
        b as u64,
        (b >> 64) as u64,
        c as u64,
        (c >> 64) as u64,
        d as u64,
        (d >> 64) as u64,
        e.to_bits(),
        g.to_bits() as u64,
        h.to_bits(),
        k.to_bits() as u64,
        (i / 7) as u64,
        (i % 1000007) as u64,
        ((i as u128) / 13) as u64,
        ((i as u128) * 77 >> 64) as u64,
    ]
}
#[cuda_module]
mod kernels {
    use super::*;
    #[kernel]
    pub fn k(x: &[f64], y: &[f32], i: &[i128], mut out: DisjointSlice<[u64; 16]>) {
        let t = thread::index_1d();
        let n = t.get();
        if let Some(o) = out.get_mut(t) {
            *o = f(x[n], y[n], i[n]);
        }
    }
}
fn main() {
    let mut x = vec![
        0.0f64,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        1.5,
        -1.9,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN,
        1e38,
        -1e38,
        1.7e38,
        -1.7014118346046923e38,
        1.7014118346046923e38,
        3.402823669209385e38,
        3.5e38,
        9e18,
        1.8446744073709552e19,
        f64::MIN_POSITIVE,
    ];
    let mut s: u64 = 88172645463325252;
    let mut r = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    for _ in 0..1000 {
        x.push(f64::from_bits(r()));
        x.push((r() as f64) * 2f64.powi((r() % 70) as i32));
    }
    let y: Vec<f32> = x.iter().map(|v| *v as f32).collect();
    let mut i = vec![
        0i128,
        1,
        -1,
        i128::MAX,
        i128::MIN,
        i128::MIN + 1,
        (1 << 53) + 1,
        (1 << 54) + 2,
        (1 << 54) + 3,
        (1 << 24) + 1,
        (1 << 25) + 2,
        -((1 << 24) + 1),
    ];
    while i.len() < x.len() {
        let v = ((r() as u128) << 64 | r() as u128) as i128;
        i.push(v >> (r() % 128));
    }
    let ctx = CudaContext::new(0).unwrap();
    let st = ctx.default_stream();
    let m = kernels::load(&ctx).unwrap();
    let (a, b, c) = (
        DeviceBuffer::from_host(&st, &x).unwrap(),
        DeviceBuffer::from_host(&st, &y).unwrap(),
        DeviceBuffer::from_host(&st, &i).unwrap(),
    );
    let mut o = DeviceBuffer::<[u64; 16]>::zeroed(&st, x.len()).unwrap();
    unsafe {
        m.k(
            &st,
            LaunchConfig::for_num_elems(x.len() as u32),
            &a,
            &b,
            &c,
            &mut o,
        )
        .unwrap()
    };
    let o = o.to_host_vec(&st).unwrap();
    let mut bad = 0;
    for n in 0..x.len() {
        let w = f(x[n], y[n], i[n]);
        if w != o[n] {
            bad += 1;
            if bad < 10 {
                println!(
                    "{n} {:?} {:?} {:?}\n {w:x?}\n {:x?}",
                    x[n], y[n], i[n], o[n]
                );
            }
        }
    }
    assert_eq!(bad, 0);
    println!("SUCCESS: {} cases", x.len());
}
