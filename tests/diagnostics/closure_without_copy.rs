// What is passed to a kernel is `Copy`, closures too.

use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn map<F: Fn(f32) -> f32>(f: F, numbers: &[f32], mut out: DisjointSlice<f32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = f(numbers[index.get()]);
        }
    }
}

fn main() {}
// ---- out
// error[E0277]: `F` cannot be passed to a kernel by value
//   --> closure_without_copy.rs:10:35
//    |
// 10 |     pub fn map<F: Fn(f32) -> f32>(f: F, numbers: &[f32], mut out: DisjointSlice<f32>) {
//    |                                   ^ not `Copy`: add `+ Copy` to the bounds of a type parameter, or derive it
//    |
//    = note: what is not `Copy` stays the host's: take a slice and pass a `DeviceBuffer`
// note: required by a bound in `cuda_host::launch::value`
//   --> crates/cuda-host/src/launch.rs
// help: consider further restricting type parameter `F` with trait `KernelScalar`
//    |
// 10 |     pub fn map<F: Fn(f32) -> f32 + cuda_host::KernelScalar>(f: F, numbers: &[f32], mut out: DisjointSlice<f32>) {
//    |                                  +++++++++++++++++++++++++
//
// For more information about this error, try `rustc --explain E0277`.
