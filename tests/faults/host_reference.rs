//! check: memory
//! A closure borrows what it uses, which lies in the host's memory.
//~ takes a reference to host memory, which this device cannot read: add `move` to the closure, or pass a buffer

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn map<F: Fn(u32) -> u32 + Copy>(f: F, mut out: DisjointSlice<u32>) {
        let index = thread::index_1d();
        let i = index.get() as u32;
        if let Some(out) = out.get_mut(index) {
            *out = f(i);
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 64).unwrap();
    let config = LaunchConfig::for_num_elems(64);
    let factor = std::hint::black_box(3);
    unsafe { module.map(&stream, config, move |x| x * factor, &mut out) }.unwrap();
    let launched = unsafe { module.map(&stream, config, |x| x * factor, &mut out) };
    if let Err(error) = &launched {
        eprintln!("{error}");
    }
    std::process::exit(i32::from(launched.is_err()));
}
