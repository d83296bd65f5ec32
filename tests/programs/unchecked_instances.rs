//! Generic kernels without checks of indices, launched by their entries, and called by name with the scope of another kernel.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, LaunchConfig1D};
use cuda_device::{DisjointSlice, cuda_module, kernel, launch_contract, thread};

const THREADS: usize = 32;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel(u16, unchecked_indexing, launch_context = context)]
    #[launch_contract(domain = 1, coordinates = u32, block = (32, 1, 1))]
    pub fn gather<T: Copy>(values: &[T], places: &[u32], mut out: DisjointSlice<T>) {
        let index = thread::index_1d_u32(context).get() as usize;
        let at = |place: usize| values[place];
        // SAFETY: each thread has an index of its own, and the launches have as many as there are elements.
        *unsafe { out.get_unchecked_mut(index) } = at(places[index] as usize);
    }

    #[kernel(launch_context = context)]
    #[launch_contract(domain = 1, coordinates = u32, block = (32, 1, 1))]
    pub fn caller(values: &[f32], places: &[u32], out: DisjointSlice<f32>) {
        gather::<f32>(values, places, out, context);
    }

    /// A closure, and no name for the scope.
    #[kernel(unchecked_indexing)]
    pub fn mapped<T: Copy, F: Fn(T) -> T + Copy, const SHIFT: usize>(function: F, values: &[T], mut out: DisjointSlice<T>) {
        if let Some((out, index)) = out.get_mut_indexed() {
            *out = function(values[index.get() + SHIFT]);
        }
    }

    #[kernel(launch_context = scope)]
    pub fn mapped_by_name(values: &[u32], out: DisjointSlice<u32>) {
        mapped::<u32, _, 0>(|value| value * 3, values, out, scope);
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    // SAFETY: the module is this program's.
    let module = unsafe { kernels::load(&ctx) }.unwrap();
    let places: Vec<u32> = (0..THREADS as u32).map(|i| i * 7 % 32).collect();
    let floats: Vec<f32> = (0..THREADS).map(|i| i as f32 + 0.5).collect();
    let expected: Vec<f32> = places.iter().map(|place| floats[*place as usize]).collect();
    let (places, values) = (DeviceBuffer::from_host(&stream, &places).unwrap(), DeviceBuffer::from_host(&stream, &floats).unwrap());
    let line = LaunchConfig1D::new(1, THREADS as u32, 0);

    let mut out = DeviceBuffer::<f32>::zeroed(&stream, THREADS).unwrap();
    module.gather::<f32>(&stream, &module.prepare_gather::<f32>(line).unwrap(), &values, &places, &mut out).unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), expected);
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, THREADS).unwrap();
    module.caller(&stream, &module.prepare_caller(line).unwrap(), &values, &places, &mut out).unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), expected);

    let halves: Vec<u16> = (0..THREADS as u16).map(|i| i * 100).collect();
    let values = DeviceBuffer::from_host(&stream, &halves).unwrap();
    let mut out = DeviceBuffer::<u16>::zeroed(&stream, THREADS).unwrap();
    module.gather_u16(&stream, &module.prepare_gather_u16(line).unwrap(), &values, &places, &mut out).unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), (0..32).map(|i| halves[i * 7 % 32]).collect::<Vec<_>>());

    let words: Vec<u32> = (0..THREADS as u32 + 5).collect();
    let values = DeviceBuffer::from_host(&stream, &words).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, THREADS).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
    let factor = 2;
    // SAFETY: the buffers have the elements that the launch's threads ask for.
    unsafe { module.mapped::<u32, _, 5>(&stream, config, move |value| value * factor, &values, &mut out) }.unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), (0..THREADS as u32).map(|i| (i + 5) * 2).collect::<Vec<_>>());
    // SAFETY: as above.
    unsafe { module.mapped_by_name(&stream, config, &values, &mut out) }.unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), (0..THREADS as u32).map(|i| i * 3).collect::<Vec<_>>());
    println!("SUCCESS: entries without checks, functions with them");
}
