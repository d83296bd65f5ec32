//! Launches as operations: borrowed and owned, prepared and not, awaited and put together.

use std::sync::Arc;

use cuda_async::{
    device_context::with_default_device_policy,
    device_operation::{DeviceOperation, value},
    error::DeviceError,
    zip,
};
use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchContractError};
use cuda_device::{DisjointSlice, Uniform, cluster_launch, cuda_module, kernel, launch_bounds, launch_contract, thread};
use cuda_host::{RowWidth, RowWidthOwned};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn scale<'a, T: Copy + std::ops::Mul<Output = T>>(factor: T, input: &'a [T], mut out: DisjointSlice<'a, T>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = factor * input[index.get()];
        }
    }

    #[kernel]
    pub fn fill(mut rows: DisjointSlice<u32, thread::Runtime2DIndex>, value: Uniform<u32>, nothing: ()) {
        let () = nothing;
        if let Some(index) = thread::index_2d_runtime(&rows) {
            let place = 100 * index.row() + index.col();
            if let Some(element) = rows.get_mut(index) {
                *element = value.get() + place as u32;
            }
        }
    }

    #[kernel]
    #[cluster_launch(2)]
    #[launch_bounds(64)]
    pub fn clusters(mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = cuda_device::cluster::cluster_size();
        }
    }

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1), requires = (input.len() == out.len()))]
    pub fn apply<F: Fn(f32) -> f32 + Copy>(function: F, input: &[f32], mut out: DisjointSlice<f32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = function(input[index.get()]);
        }
    }

    #[kernel]
    #[launch_contract(domain = 2, block = (8, 4, 1))]
    pub fn sides(mut rows: DisjointSlice<u32, thread::Runtime2DIndex>) {
        if let Some(index) = thread::index_2d_runtime(&rows)
            && let Some(element) = rows.get_mut(index)
        {
            *element += 1;
        }
    }
}

fn main() {
    // SAFETY: the program carries what was compiled from this file.
    let module = unsafe { kernels::load_async(0) }.unwrap();
    let ctx: Arc<CudaContext> = module.as_cuda_module().context().clone();
    let stream = ctx.default_stream();
    let numbers: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let input = Arc::new(DeviceBuffer::from_host(&stream, &numbers).unwrap());
    let zeros = || {
        let buffer = DeviceBuffer::<f32>::zeroed(&stream, 100).unwrap();
        stream.synchronize().unwrap();
        buffer
    };
    let config = LaunchConfig::for_num_elems(100);
    let read = |buffer: &DeviceBuffer<f32>| buffer.to_host_vec(&stream).unwrap();

    // Borrowed: nothing runs before it is asked for.
    let mut out = zeros();
    // SAFETY, here and below: the arguments are the kernels', which check their indices.
    let idle = unsafe { module.scale_async(config, 2.0, &input, &mut out) }.unwrap();
    drop(idle);
    assert_eq!(read(&out), [0.0; 100]);
    // SAFETY: as above.
    unsafe { module.scale_async(config, 2.0, &input, &mut out) }.unwrap().sync().unwrap();
    assert_eq!(read(&out)[99], 198.0);

    // Owned: the buffers come back, in the order of the parameters.
    // SAFETY: as above.
    let operation = unsafe { module.scale_async_owned(config, 3.0, input.clone(), out) }.unwrap();
    let (same, out) = operation.sync().unwrap();
    assert!(Arc::ptr_eq(&same, &input));
    assert_eq!(read(&out)[99], 297.0);

    let words = DeviceBuffer::<u32>::zeroed(&stream, 40).unwrap();
    stream.synchronize().unwrap();
    let plane = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (8, 4, 1), shared_mem_bytes: 0 };
    // SAFETY: as above.
    let rows = unsafe { module.fill_async_owned(plane, RowWidthOwned::new(words, 10), 7, ()) }.unwrap().sync().unwrap();
    assert_eq!(rows.width(), 10);
    let mut words = rows.into_buffer();
    let expected: Vec<u32> = (0..40).map(|i| 7 + 100 * (i / 10) + i % 10).collect();
    assert_eq!(words.to_host_vec(&stream).unwrap(), expected);

    if ctx.supports_cluster_launch().unwrap() {
        // SAFETY: as above.
        unsafe { module.clusters_async(LaunchConfig { grid_dim: (2, 1, 1), block_dim: (20, 1, 1), shared_mem_bytes: 0 }, &mut words) }
            .unwrap()
            .sync()
            .unwrap();
        assert_eq!(words.to_host_vec(&stream).unwrap(), [2; 40]);
    }

    // Prepared: safe, and sizes are compared when the operation is made.
    let prepared = module.prepare_sides(LaunchConfig2D::new((2, 1), (8, 4), 0)).unwrap();
    let before = words.to_host_vec(&stream).unwrap();
    module.sides_async(&prepared, RowWidth::new(&mut words, 10)).sync().unwrap();
    let rows = module.sides_async_owned(&prepared, RowWidthOwned::new(words, 10)).sync().unwrap();
    let after: Vec<u32> = before.iter().map(|word| word + 2).collect();
    assert_eq!(rows.buffer().to_host_vec(&stream).unwrap(), after);

    let term = 0.5;
    let function = move |x: f32| x * x + term;
    let apply = module.prepare_apply_for(&function, LaunchConfig1D::new(2, 64, 0)).unwrap();
    let short = DeviceBuffer::<f32>::zeroed(&stream, 99).unwrap();
    let error = module.apply_async_owned(&apply, function, input.clone(), short).unwrap_err();
    assert!(matches!(error, LaunchContractError::SizeRequirementViolated { lhs: 100, rhs: 99, .. }), "{error}");
    let mut other = zeros();
    module.apply_async(&apply, function, &input, &mut other).unwrap().sync().unwrap();
    assert_eq!(read(&other), numbers.iter().map(|x| x * x + 0.5).collect::<Vec<_>>());

    // Put together, on one stream, and awaited.
    let (module, input) = (&module, &input);
    let run = async {
        let first = module.apply_async_owned(&apply, function, input.clone(), other).unwrap();
        // SAFETY: as above.
        let chain = first.and_then(|(_, squares)| unsafe { module.scale_async_owned(config, 2.0f32, squares, zeros()) }.unwrap());
        // SAFETY: as above.
        let doubled = unsafe {
            module.apply_async_owned_unchecked(
                LaunchConfig { block_dim: (64, 1, 1), grid_dim: (2, 1, 1), ..config },
                function,
                input.clone(),
                out,
            )
        };
        let ((squares, twice), (_, again)) = zip!(chain, doubled.unwrap()).await?;
        assert_eq!(with_default_device_policy(|_| ()), Ok(()));
        let last = value(twice).and_then(|twice| module.apply_async_owned(&apply, function, squares, twice).unwrap()).await?;
        Ok::<_, DeviceError>((last, again))
    };
    let ((squares, last), again) = cuda_async::futures::executor::block_on(run).unwrap();
    assert_eq!(read(&squares)[3], 9.5);
    assert_eq!(read(&again), read(&squares));
    assert_eq!(read(&last)[3], 9.5 * 9.5 + 0.5);
    println!("SUCCESS: operations that borrow, that own, that were prepared");
}
