// A launch is `unsafe`, and passes what its kernel takes.

use cuda_core::{CudaStream, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn scale(factor: f32, input: &[f32], mut out: DisjointSlice<f32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = factor * input[index.get()];
        }
    }

    #[kernel]
    pub fn apply<F: Fn(f32) -> f32 + Copy>(function: F, mut out: DisjointSlice<f32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = function(*element);
        }
    }

    #[kernel]
    pub fn of_a_text(_text: String) {}
}

fn without_unsafe(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig, buffers: [&mut DeviceBuffer<f32>; 2]) {
    let [input, out] = buffers;
    let _ = module.scale(stream, config, 2.0, input, out);
}

unsafe fn wrong_arguments(
    module: &kernels::LoadedModule,
    stream: &CudaStream,
    config: LaunchConfig,
    input: &DeviceBuffer<f32>,
    out: &mut DeviceBuffer<f32>,
    numbers: &mut DeviceBuffer<u32>,
) {
    unsafe {
        let _ = module.scale(stream, config, 2.0, input, input);
        let _ = module.scale(stream, config, 2.0, input, numbers);
        let _ = module.scale(stream, config, 2.0, &[1.0_f32; 4], out);
        let _ = module.scale(stream, config, input, out);
        let _ = module.shrink(stream, config);
    }
}

unsafe fn one_buffer_twice(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig, out: &mut DeviceBuffer<f32>) {
    let _ = unsafe { module.scale(stream, config, 2.0, &*out, out) };
}

unsafe fn capturing_a_text(module: &kernels::LoadedModule, stream: &CudaStream, config: LaunchConfig, out: &mut DeviceBuffer<f32>) {
    let text = String::new();
    let _ = unsafe { module.apply(stream, config, move |a| a + text.len() as f32, out) };
}

fn main() {}
// ---- out
// error[E0277]: `String` cannot be passed to a kernel by value
//   --> launches.rs:25:22
//    |
// 25 |     pub fn of_a_text(_text: String) {}
//    |                      ^^^^^ not `Copy`: add `+ Copy` to the bounds of a type parameter, or derive it
//    |
//    = help: the trait `KernelScalar` is not implemented for `String`
//    = note: what is not `Copy` stays the host's: take a slice and pass a `DeviceBuffer`
// note: required by a bound in `cuda_host::launch::value`
//   --> crates/cuda-host/src/launch.rs
//
// error[E0308]: mismatched types
//   --> launches.rs:42:58
//    |
// 42 |         let _ = module.scale(stream, config, 2.0, input, input);
//    |                        -----                             ^^^^^ types differ in mutability
//    |                        |
//    |                        arguments to this method are incorrect
//    |
//    = note: expected mutable reference `&mut DeviceBuffer<_>`
//                       found reference `&DeviceBuffer<_>`
// note: method defined here
//   --> launches.rs:11:12
//    |
//  6 | #[cuda_module]
//    | --------------
// ...
// 11 |     pub fn scale(factor: f32, input: &[f32], mut out: DisjointSlice<f32>) {
//    |            ^^^^^
//
// error[E0308]: mismatched types
//   --> launches.rs:43:58
//    |
// 43 |         let _ = module.scale(stream, config, 2.0, input, numbers);
//    |                        -----                             ^^^^^^^ expected `&mut DeviceBuffer<f32>`, found `&mut DeviceBuffer<u32>`
//    |                        |
//    |                        arguments to this method are incorrect
//    |
//    = note: expected mutable reference `&mut DeviceBuffer<f32>`
//               found mutable reference `&mut DeviceBuffer<u32>`
// note: method defined here
//   --> launches.rs:11:12
//    |
//  6 | #[cuda_module]
//    | --------------
// ...
// 11 |     pub fn scale(factor: f32, input: &[f32], mut out: DisjointSlice<f32>) {
//    |            ^^^^^
//
// error[E0308]: mismatched types
//   --> launches.rs:44:51
//    |
// 44 |         let _ = module.scale(stream, config, 2.0, &[1.0_f32; 4], out);
//    |                        -----                      ^^^^^^^^^^^^^ expected `&DeviceBuffer<f32>`, found `&[f32; 4]`
//    |                        |
//    |                        arguments to this method are incorrect
//    |
//    = note: expected reference `&DeviceBuffer<f32>`
//               found reference `&[f32; 4]`
// note: method defined here
//   --> launches.rs:11:12
//    |
//  6 | #[cuda_module]
//    | --------------
// ...
// 11 |     pub fn scale(factor: f32, input: &[f32], mut out: DisjointSlice<f32>) {
//    |            ^^^^^
//
// error[E0061]: this method takes 5 arguments but 4 arguments were supplied
//   --> launches.rs:45:24
//    |
// 45 |         let _ = module.scale(stream, config, input, out);
//    |                        ^^^^^---------------------------- argument #5 of type `&mut DeviceBuffer<f32>` is missing
//    |
// note: expected `f32`, found `&DeviceBuffer<f32>`
//   --> launches.rs:45:46
//    |
// 45 |         let _ = module.scale(stream, config, input, out);
//    |                                              ^^^^^
//    = note:   expected type `f32`
//            found reference `&DeviceBuffer<f32>`
// note: method defined here
//   --> launches.rs:11:12
//    |
//  6 | #[cuda_module]
//    | --------------
// ...
// 11 |     pub fn scale(factor: f32, input: &[f32], mut out: DisjointSlice<f32>) {
//    |            ^^^^^ -----------
// help: provide the argument
//    |
// 45 -         let _ = module.scale(stream, config, input, out);
// 45 +         let _ = module.scale(stream, config, /* f32 */, out, /* &mut DeviceBuffer<f32> */);
//    |
//
// error[E0599]: no method named `shrink` found for reference `&LoadedModule` in the current scope
//   --> launches.rs:46:24
//    |
// 46 |         let _ = module.shrink(stream, config);
//    |                        ^^^^^^ method not found in `&LoadedModule`
//
// error[E0277]: the trait bound `String: Copy` is not satisfied in `{closure@launches.rs:56:51}`
//   --> launches.rs:56:51
//    |
// 56 |     let _ = unsafe { module.apply(stream, config, move |a| a + text.len() as f32, out) };
//    |                             -----                 --------^^^^^^^^^^^^^^^^^^^^^^
//    |                             |                     |
//    |                             |                     within `{closure@launches.rs:56:51}`, the trait `Copy` is not implemented for `String`
//    |                             |                     within this `{closure@launches.rs:56:51}`
//    |                             required by a bound introduced by this call
//    |
// note: required because it's used within this closure
//   --> launches.rs:56:51
//    |
// 56 |     let _ = unsafe { module.apply(stream, config, move |a| a + text.len() as f32, out) };
//    |                                                   ^^^^^^^^
// note: required by a bound in `LoadedModule::apply`
//   --> launches.rs:18:38
//    |
// 18 |     pub fn apply<F: Fn(f32) -> f32 + Copy>(function: F, mut out: DisjointSlice<f32>) {
//    |                                      ^^^^ required by this bound in `LoadedModule::apply`
//
// error[E0133]: call to unsafe function `LoadedModule::scale` is unsafe and requires unsafe block
//   --> launches.rs:30:13
//    |
// 30 |     let _ = module.scale(stream, config, 2.0, input, out);
//    |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ call to unsafe function
//    |
//    = note: consult the function's documentation for information on how to avoid undefined behavior
//
// error[E0502]: cannot borrow `*out` as mutable because it is also borrowed as immutable
//   --> launches.rs:51:22
//    |
// 51 |     let _ = unsafe { module.scale(stream, config, 2.0, &*out, out) };
//    |                      ^^^^^^^-----^^^^^^^^^^^^^^^^^^^^^^-----^^^^^^
//    |                      |      |                          |
//    |                      |      |                          immutable borrow occurs here
//    |                      |      immutable borrow later used by call
//    |                      mutable borrow occurs here
//
// Some errors have detailed explanations: E0061, E0133, E0277, E0308, E0502, E0599.
// For more information about an error, try `rustc --explain E0061`.
