//! `cuda_launch!` and `cuda_launch_async!`: kernels of a module that was loaded by its file.

use std::sync::Arc;

use cuda_async::device_operation::DeviceOperation;
use cuda_core::{CudaContext, CudaModule, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice, cluster,
    cooperative_groups::{ThreadGroup, this_grid},
    kernel, thread,
};
use cuda_host::{cuda_launch, cuda_launch_async, embedded, ltoir};

#[kernel]
fn add(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    if let Some((c, index)) = c.get_mut_indexed() {
        *c = a[index.get()] + b[index.get()];
    }
}

mod nested {
    use super::*;

    #[kernel]
    pub fn map<T: Copy, F: Fn(T) -> T + Copy, const N: usize>(term: T, function: F, mut out: DisjointSlice<T>, pick: [T; N])
    where
        T: std::ops::Add<Output = T>,
    {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = function(*element) + term + pick[index.get() % N];
        }
    }

    #[kernel(u8, u64)]
    pub fn count<T: Copy + From<u8>>(mut out: DisjointSlice<T>, value: T) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = value;
        }
    }
}

#[kernel]
fn ranks(mut out: DisjointSlice<u32>) {
    let grid = this_grid();
    grid.sync();
    if let Some((element, _)) = out.get_mut_indexed() {
        *element = grid.size();
    }
}

#[kernel]
fn places(mut out: DisjointSlice<u32>) {
    if let Some((element, _)) = out.get_mut_indexed() {
        *element = 10 * cluster::cluster_size() + cluster::block_rank();
    }
}

#[kernel]
fn at(mut out: *mut (u8, u64), value: (u8, u64)) {
    // SAFETY: the launch has as many threads as elements.
    unsafe {
        out = out.add(thread::threadIdx_x() as usize);
        out.write(value);
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module: Arc<CudaModule> = ltoir::load_kernel_module(&ctx, "direct_launches").unwrap();
    assert!(embedded::artifact_bundles_from_current_exe().unwrap().iter().any(|bundle| bundle.name == "direct_launches"));
    let config = LaunchConfig::for_num_elems(100);
    // Names that the macro might have used itself.
    let (closure, name, shape, witnesses) = (2.0f32, 3.0f32, config, 4.0);
    let a = DeviceBuffer::from_host(&stream, &[closure; 100]).unwrap();
    let b = Arc::new(DeviceBuffer::from_host(&stream, &[name; 100]).unwrap());
    let mut c = DeviceBuffer::<f32>::zeroed(&stream, 100).unwrap();
    // SAFETY, here and below: the arguments are those of the kernels, which check their indices.
    unsafe {
        cuda_launch! { kernel: add, stream: stream, module: module, config: shape, args: [slice(a), slice(b), slice_mut(c)] }
    }
    .unwrap();
    assert_eq!(c.to_host_vec(&stream).unwrap(), [5.0; 100]);

    // A closure is an instance, and the order is free.
    let exclusive = &mut c;
    // SAFETY: as above.
    unsafe {
        cuda_launch! {
            args: [1.0f32, move |x| x * witnesses, slice_mut(exclusive), [10.0f32, 20.0]],
            config: config,
            module: &module,
            stream: &stream,
            kernel: nested::map::<f32, _, 2>,
        }
    }
    .unwrap();
    assert_eq!(exclusive.to_host_vec(&stream).unwrap()[..3], [31.0, 41.0, 31.0]);

    let mut words = DeviceBuffer::<u64>::zeroed(&stream, 100).unwrap();
    for twice in [false, true] {
        // SAFETY: as above.
        let launched = unsafe {
            if twice {
                cuda_launch! { kernel: nested::count::<u64>, stream: stream, module: module, config: config, args: [slice_mut(words), 8u64] }
            } else {
                cuda_launch! { kernel: nested::count_u64, stream: stream, module: module, config: config, args: [slice_mut(words), 7u64] }
            }
        };
        launched.unwrap();
        assert_eq!(words.to_host_vec(&stream).unwrap(), [7 + u64::from(twice); 100]);
    }

    let two = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 64).unwrap();
    if ctx.supports_cooperative_launch().unwrap() {
        // SAFETY: as above.
        unsafe {
            cuda_launch! { kernel: ranks, stream: stream, module: module, config: two, cooperative: true, args: [slice_mut(out)] }
        }
        .unwrap();
        assert_eq!(out.to_host_vec(&stream).unwrap(), [64; 64]);
    }
    if ctx.supports_cluster_launch().unwrap() {
        // SAFETY: as above.
        unsafe {
            cuda_launch! { kernel: places, stream: stream, module: module, config: two, cluster_dim: (2, 1, 1), args: [slice_mut(out)] }
        }
        .unwrap();
        let out = out.to_host_vec(&stream).unwrap();
        assert_eq!((out[0], out[63]), (20, 21));
    }

    // Too few arguments are an error: the driver would read beyond them.
    let too_few = |error: String, got: usize| {
        let expected = format!("`add` has 6 parameters in PTX, got {got}; a slice is two, an address and a length");
        assert!(error.contains(&expected), "{error}");
    };
    // SAFETY: nothing is launched.
    let launched = unsafe {
        cuda_launch! { kernel: add, stream: stream, module: module, config: shape, args: [slice(a), slice_mut(c)] }
    };
    too_few(launched.unwrap_err().to_string(), 4);
    // SAFETY: as above.
    let operation = unsafe {
        cuda_launch_async! { kernel: add, module: module, config: config, args: [] }
    };
    too_few(operation.sync().unwrap_err().to_string(), 0);

    let pairs = DeviceBuffer::<(u8, u64)>::zeroed(&stream, 32).unwrap();
    let address = pairs.cu_deviceptr() as *mut (u8, u64);
    let one = LaunchConfig { grid_dim: (1, 1, 1), ..two };
    // SAFETY: as above.
    unsafe {
        cuda_launch! { kernel: at, stream: stream, module: module, config: one, args: [address, (5u8, u64::MAX)] }
    }
    .unwrap();
    assert_eq!(pairs.to_host_vec(&stream).unwrap(), [(5, u64::MAX); 32]);

    // SAFETY: as above.
    let operation = unsafe {
        cuda_launch_async! { kernel: add, module: module, config: config, args: [slice(a), slice(b), slice_mut(c)] }
    };
    operation.sync().unwrap();
    assert_eq!(c.to_host_vec(&stream).unwrap(), [5.0; 100]);
    let add_term = {
        let term = 0.5;
        move |x: f32| x + term
    };
    // SAFETY: as above.
    let operation = unsafe {
        cuda_launch_async! {
            kernel: nested::map::<_, _, 1>, module: module, config: config, args: [0.25f32, move |x| add_term(x), slice_mut(c), [1.0f32]]
        }
    };
    operation.sync().unwrap();
    assert_eq!(c.to_host_vec(&stream).unwrap(), [6.75; 100]);
    println!("SUCCESS: instances by name and by closure, clusters, whole grids, operations");
}
