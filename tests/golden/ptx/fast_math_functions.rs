// With --fast-math the functions of f32 that have an approximation are that, also inside libdevice with subnormals as zero.
// options: fast_math=True
// want: sin.approx.ftz.f32
// want: cos.approx.ftz.f32
// want: ex2.approx.ftz.f32
// want: lg2.approx.ftz.f32
// want: div.approx.ftz.f32
// want: sqrt.approx.ftz.f32
// want: fma.rn.f64
// never: sqrt.rn.f32
// never: fma.rn.f32
// never: mul.f32
// never: mul.rn.f32
// never: add.rn.f32
// never: add.f32
// never: .local

use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
pub fn functions(x: &[f32], mut out: DisjointSlice<[f32; 12]>) {
    let i = thread::index_1d();
    let x = x[i.get()];
    if let Some(out) = out.get_mut(i) {
        *out = [
            x.sin(), x.cos(), x.tan(), x.exp(), x.exp2(), x.ln(), x.log2(), x.log10(), x.powf(x), 1.0 / x, x.sqrt(), x.cbrt(),
        ];
    }
}

#[kernel]
pub fn wide(x: &[f64], mut out: DisjointSlice<f64>) {
    let i = thread::index_1d();
    let x = x[i.get()];
    if let Some(out) = out.get_mut(i) {
        *out = x.exp();
    }
}

fn main() {}
