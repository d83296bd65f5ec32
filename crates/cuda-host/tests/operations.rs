//! Launches as operations: what they take, borrow and give back.

#![cfg(feature = "async")]
#![deny(warnings)]

use std::sync::Arc;

use cuda_core::{DeviceBuffer, DriverError, LaunchConfig, LaunchConfig1D, LaunchContractError, PreparedLaunch};
use cuda_host::{
    HasLength, PreparedAsyncKernelLaunch, PreparedOwnedAsyncKernelLaunch, RowWidth, RowWidthOwned,
    cuda_async::{
        device_box::DeviceBox,
        device_operation::{DeviceOperation, value},
        error::DeviceError,
        launch::{AsyncKernelLaunch, OwnedAsyncKernelLaunch},
    },
    cuda_module,
};

#[cuda_module]
mod kernels {
    use cuda_device::{DisjointSlice, Uniform, kernel, launch_bounds, launch_contract, thread};

    #[kernel]
    pub fn scale<'a, T: Copy + std::ops::Mul<Output = T>>(factor: T, input: &'a [T], mut out: DisjointSlice<'a, T>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = factor * input[index.get()];
        }
    }

    #[kernel]
    pub fn fill(mut rows: DisjointSlice<u32, thread::Runtime2DIndex>, value: Uniform<u32>, nothing: (), address: *mut u32) {
        let ((), _) = (nothing, address);
        if let Some(index) = thread::index_2d_runtime(&rows)
            && let Some(element) = rows.get_mut(index)
        {
            *element = value.get();
        }
    }

    #[kernel]
    pub fn idle() {}

    #[kernel]
    #[launch_contract(domain = 1)]
    #[launch_bounds(64)]
    pub fn copy(input: &[f32], mut out: DisjointSlice<f32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = input[index.get()];
        }
    }

    /// What `borrowing` takes by value.
    #[derive(Clone, Copy)]
    pub struct Borrow<'a>(pub &'a u32);

    /// Its launchers without a contract take what is there for long enough, says their caller; those with one what borrows nothing.
    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn borrowing<'a>(named: Borrow<'a>, left_out: (Borrow<'_>, &u32)) {
        let _ = (named.0, left_out.0.0, left_out.1);
    }

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1), requires = (input.len() == out.len()))]
    pub fn apply<F: Fn(f32) -> f32 + Copy>(function: F, input: &[f32], mut out: DisjointSlice<f32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = function(input[index.get()]);
        }
    }
}

type Buffers = (Arc<DeviceBuffer<f32>>, DeviceBox<[f32]>);

fn sends<T: Send>(operation: T) -> T {
    operation
}

/// Never called: the operations' types are the test.
#[expect(dead_code)]
fn uncontracted(
    module: &kernels::LoadedModule,
    input: Arc<DeviceBuffer<f32>>,
    output: DeviceBox<[f32]>,
    mut words: DeviceBuffer<u32>,
) -> Result<(), DriverError> {
    let config = LaunchConfig::for_num_elems(1);
    let mut other = output;
    // SAFETY: this is never called.
    unsafe {
        let idle: AsyncKernelLaunch<'static> = module.idle_async(config)?;
        let _: OwnedAsyncKernelLaunch<()> = module.idle_async_owned(config)?;
        let borrowed: AsyncKernelLaunch<'_> = module.scale_async(config, 2.0, &input, &mut other)?;
        let rows = module.fill_async(config, RowWidth::new(&mut words, 8), 3, (), std::ptr::null_mut())?;
        let number = &config.shared_mem_bytes;
        let borrowing = module.borrowing_async_unchecked(config, kernels::Borrow(number), (kernels::Borrow(number), number))?;
        drop(sends((idle, borrowed, rows, borrowing)));
        let owned: OwnedAsyncKernelLaunch<Buffers> = module.scale_async_owned(config, 2.0, input, other)?;
        let rows: OwnedAsyncKernelLaunch<RowWidthOwned<DeviceBuffer<u32>>> =
            module.fill_async_owned(config, RowWidthOwned::new(words, 8), 3, (), std::ptr::null_mut())?;
        drop(sends((owned.sync(), rows.and_then(|rows| value(rows.into_buffer())))));
    }
    Ok(())
}

/// As above.
#[expect(dead_code)]
async fn contracted(
    module: &kernels::LoadedModule,
    input: DeviceBuffer<f32>,
    mut output: DeviceBuffer<f32>,
) -> Result<DeviceBuffer<f32>, DeviceError> {
    let launch = |error: LaunchContractError| DeviceError::Launch(error.to_string());
    let copy: PreparedLaunch<kernels::__copy_CudaKernel> = module.prepare_copy(LaunchConfig1D::new(1, 64, 0)).map_err(launch)?;
    let operation: PreparedAsyncKernelLaunch<'_, kernels::__copy_CudaKernel> = module.copy_async(&copy, &input, &mut output);
    sends(operation).await?;
    let operation: PreparedOwnedAsyncKernelLaunch<_, kernels::__copy_CudaKernel> = module.copy_async_owned(&copy, input, output);
    let (input, mut output) = sends(operation).await?;
    assert_eq!(HasLength::len(&input), output.len());
    static NUMBER: u32 = 1;
    let borrowing = module.prepare_borrowing(LaunchConfig1D::new(1, 64, 0)).map_err(launch)?;
    module.borrowing_async(&borrowing, kernels::Borrow(&NUMBER), (kernels::Borrow(&NUMBER), &NUMBER)).await?;
    module.borrowing_async_owned(&borrowing, kernels::Borrow(&NUMBER), (kernels::Borrow(&NUMBER), &NUMBER)).await?;
    let twice = |a: f32| 2.0 * a;
    let apply = module.prepare_apply_for(&twice, LaunchConfig1D::new(1, 64, 0)).map_err(launch)?;
    module.apply_async(&apply, twice, &input, &mut output).map_err(launch)?.await?;
    let (_, output) = module.apply_async_owned(&apply, twice, input, output).map_err(launch)?.await?;
    // SAFETY: this is never called.
    let module = unsafe { kernels::load_async(0) }?;
    // SAFETY: as above.
    let operation = unsafe {
        module.copy_async_owned_unchecked(LaunchConfig::for_num_elems(1), Arc::new(output), DeviceBuffer::zeroed(&*stream()?, 1)?)
    };
    Ok(operation?.await?.1)
}

fn stream() -> Result<Arc<cuda_core::CudaStream>, DriverError> {
    Ok(cuda_core::CudaContext::new(0)?.default_stream())
}
