//! What a kernel gets by reference lies in the host's memory, which few GPUs can read.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[derive(Clone, Copy)]
pub struct Scale<'a> {
    by: &'a u32,
    nothing: &'a (),
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn map<F: Fn(u32) -> u32 + Copy>(f: F, input: &[u32], mut out: DisjointSlice<u32>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(out) = out.get_mut(index) {
            *out = f(input[i]);
        }
    }

    #[kernel]
    pub fn scale(scale: Option<Scale<'_>>, mut out: DisjointSlice<u32>) {
        if let Some(out) = out.get_mut(thread::index_1d()) {
            *out = scale.map_or(0, |scale| *scale.by);
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let input = DeviceBuffer::from_host(&stream, &[1u32; 32]).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 32).unwrap();
    let (factor, nothing) = (std::hint::black_box(3), ());
    let config = LaunchConfig::for_num_elems(32);
    // SAFETY: the buffers have one length.
    unsafe {
        module.map(&stream, config, |x| x * factor, &input, &mut out).unwrap();
        module.map(&stream, config, move |x| x * factor, &input, &mut out).unwrap();
        module.map(&stream, config, |x| { let () = nothing; x }, &input, &mut out).unwrap();
    }
}
// ---- out
// warning: field `nothing` is never read
//  --> host_reference.rs:9:5
//   |
// 7 | pub struct Scale<'a> {
//   |            ----- field in this struct
// 8 |     by: &'a u32,
// 9 |     nothing: &'a (),
//   |     ^^^^^^^
//   |
//   = note: `Scale` has a derived impl for the trait `Clone`, but this is intentionally ignored during dead code analysis
//   = note: `#[warn(dead_code)]` (part of `#[warn(unused)]`) on by default
//
// warning: this closure borrows host memory, which the kernel `host_reference::kernels::map` would read [OX503]
//   --> host_reference.rs:43:37
//    |
// 43 |         module.map(&stream, config, |x| x * factor, &input, &mut out).unwrap();
//    |                                     ^^^
//    |
//    = help: add `move` before its parameters, so that it carries the values; what is a reference itself, pass to the kernel as a slice
//
// warning: the kernel parameter `scale: std::option::Option<Scale<'_>>` contains a reference to host memory [OX503]
//   --> host_reference.rs:26:18
//    |
// 26 |     pub fn scale(scale: Option<Scale<'_>>, mut out: DisjointSlice<u32>) {
//    |                  ^^^^^
//    |
//    = help: pass the value itself, or a buffer's elements as a slice
