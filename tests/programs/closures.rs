//! Closures as kernel parameters: what they capture travels as rustc lays it out, and what has no bytes does not travel.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[derive(Clone, Copy)]
struct Unit;

#[derive(Clone, Copy)]
enum Shape {
    Dot,
    Line(u64),
}

#[cuda_module]
mod kernels {
    use super::*;

    /// Parameters stand before and after the closure, so that a wrong size moves them.
    #[kernel]
    pub fn apply<F: Fn(u64) -> u64 + Copy>(before: u8, f: F, after: u16, mut out: DisjointSlice<u64>) {
        let index = thread::index_1d();
        let i = index.get() as u64;
        if let Some(out) = out.get_mut(index) {
            *out = f(i) + u64::from(before) + u64::from(after);
        }
    }

    #[kernel]
    pub fn apply_both<F: FnMut(u64) -> u64 + Copy, G: FnOnce(u64) -> u64 + Copy, const N: usize>(mut f: F, g: G, mut out: DisjointSlice<u64>) {
        let index = thread::index_1d();
        let mut i = index.get() as u64;
        if let Some(out) = out.get_mut(index) {
            for _ in 0..N {
                i = f(i);
            }
            *out = g(i);
        }
    }
}

const N: usize = 64;
const CONFIG: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (N as u32, 1, 1), shared_mem_bytes: 0 };

fn triple(x: u64) -> u64 {
    x * 3
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let mut out = DeviceBuffer::<u64>::zeroed(&stream, N).unwrap();
    let mut closures = 0;

    macro_rules! check {
        ($f:expr) => {{
            let f = $f;
            // SAFETY: the closures capture no address, and the launch is one-dimensional.
            unsafe { module.apply(&stream, CONFIG, 200, f, 50_000, &mut out) }.unwrap();
            let expected: Vec<u64> = (0..N as u64).map(|i| f(i) + 50_200).collect();
            assert_eq!(out.to_host_vec(&stream).unwrap(), expected, "{}", stringify!($f));
            closures += 1;
        }};
    }

    let (byte, half, word, long, wide) = (7u8, -300i16, 70_000u32, 1u64 << 40, 5u128 << 70);
    let (flag, letter, float) = (true, 'ß', 2.5f64);
    let (unit, shapes, array) = (Unit, [Shape::Dot, Shape::Line(9)], [3u32; 5]);
    check!(|x| x + 1);
    check!(triple);
    check!(move |x| x + u64::from(byte));
    check!(move |x| x + long);
    check!(move |x| {
        let Unit = unit;
        x * 2
    });
    check!(move |x| x * u64::from(byte) + half.unsigned_abs() as u64 + u64::from(word) + long);
    check!(move |x| {
        let Unit = unit;
        x + (wide >> 70) as u64 + u64::from(flag) + letter as u64 + (float * 4.0) as u64
    });
    check!(move |x| {
        let line = match shapes[x as usize % 2] {
            Shape::Dot => 1,
            Shape::Line(length) => length,
        };
        line + u64::from(array[x as usize % 5])
    });
    let inner = move |x: u64| x ^ u64::from(byte);
    let outer = move |x| inner(inner(x) + long) + u64::from(flag);
    check!(outer);
    check!(move |x| [0, 1].map(|i| outer(x + i))[1]);
    let option = Some((half, letter)).filter(|_| flag);
    check!(move |x| option.map_or(x, |(half, letter)| x + letter as u64 + half.unsigned_abs() as u64));

    let mut count = long;
    let counting = move |x| {
        count += x;
        count
    };
    // SAFETY: as above.
    unsafe { module.apply_both::<_, _, 3>(&stream, CONFIG, counting, move |x| x - long, &mut out) }.unwrap();
    let expected: Vec<u64> = (0..N as u64)
        .map(|mut i| {
            let mut counting = counting;
            for _ in 0..3 {
                i = counting(i);
            }
            i - long
        })
        .collect();
    assert_eq!(out.to_host_vec(&stream).unwrap(), expected);
    println!("SUCCESS: {} closures", closures + 2);
}
