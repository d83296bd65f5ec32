//! Two devices: each keeps its own memory, kernels and streams apart, and one reads the other's memory where it can.

use std::thread;

use cuda_core::{CudaContext, DeviceBuffer, DriverError, LaunchConfig, LaunchConfig1D, LaunchContractError, peer, sys};
use cuda_device::{DisjointSlice, cuda_module, kernel, launch_bounds, launch_contract};
use cuda_host::{
    cuda_async::{device_operation::DeviceOperation, error::DeviceError},
    cuda_launch, cuda_launch_async,
};

#[cuda_module]
mod kernels {
    use super::*;

    /// # Safety
    ///
    /// `from` has as many elements as `out`.
    #[kernel]
    pub unsafe fn doubled(from: *const u32, mut out: DisjointSlice<u32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            // SAFETY: the caller vouches for the length.
            *element = 2 * unsafe { *from.add(index.get()) };
        }
    }

    #[kernel]
    #[launch_contract(domain = 1, requires = (from.len() == out.len()))]
    #[launch_bounds(256)]
    pub fn tripled(from: &[u32], mut out: DisjointSlice<u32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = 3 * from[index.get()];
        }
    }
}

const NOT_ENABLED: DriverError = DriverError(sys::cudaError_enum_CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);

const N: usize = 777;

fn main() {
    let first = CudaContext::new(0).unwrap();
    let mut count = 0;
    // SAFETY: the driver stores an int.
    assert_eq!(unsafe { sys::cuDeviceGetCount(&mut count) }, sys::cudaError_enum_CUDA_SUCCESS);
    if count < 2 {
        return println!("SUCCESS: skipped, there is one device");
    }
    let second = CudaContext::new(1).unwrap();
    assert_ne!(first, second);

    // Both at once, from this thread and from others; what belongs to a device is dropped wherever it is.
    let numbers: Vec<u32> = (0..N as u32).collect();
    let doubled: Vec<u32> = numbers.iter().map(|number| 2 * number).collect();
    let workers: Vec<_> = [&first, &second, &first, &second]
        .into_iter()
        .map(|ctx| {
            let (ctx, numbers) = (ctx.clone(), numbers.clone());
            thread::spawn(move || {
                // SAFETY: the module is of this file.
                let module = unsafe { kernels::load(&ctx) }.unwrap();
                let stream = ctx.new_stream().unwrap();
                let from = DeviceBuffer::from_host(&stream, &numbers).unwrap();
                let mut out = DeviceBuffer::<u32>::zeroed(&stream, N).unwrap();
                // SAFETY: both have N elements.
                unsafe { module.doubled(&stream, LaunchConfig::for_num_elems(N as u32), from.cu_deviceptr() as *const u32, &mut out) }
                    .unwrap();
                (out.to_host_vec(&stream).unwrap(), out, from, stream, module)
            })
        })
        .collect();
    let owners: Vec<_> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
    assert!(owners.iter().all(|(result, ..)| *result == doubled));
    drop(owners);
    first.check_err().unwrap();
    second.check_err().unwrap();

    if !peer::can_access_peer(&first, &second).unwrap() {
        return println!("SUCCESS: two devices apart; skipped the rest, they do not reach each other's memory");
    }
    peer::disable_peer_access(&first, &second).unwrap();
    let (near, far) = (first.new_stream().unwrap(), second.new_stream().unwrap());
    let mut there = DeviceBuffer::from_host(&far, &numbers).unwrap();
    let mut here = DeviceBuffer::<u32>::zeroed(&near, N).unwrap();
    // SAFETY: the module is of this file.
    let module = unsafe { kernels::load(&first) }.unwrap();
    let tripled: Vec<u32> = numbers.iter().map(|number| 3 * number).collect();
    let config = LaunchConfig1D::new((N as u32).div_ceil(256), 256, 0);
    let prepared = module.prepare_tripled(config).unwrap();

    // Without access, what needs it is refused before it would end the context; copies need none.
    assert_eq!(there.zero_async(&near), Err(NOT_ENABLED));
    let refused = module.tripled(&near, &prepared, &there, &mut here).unwrap_err();
    assert!(matches!(refused, LaunchContractError::Driver(NOT_ENABLED)), "{refused}");
    let refused = module.tripled_async(&prepared, &there, &mut here).unwrap().sync_on(&near).unwrap_err();
    assert_eq!(refused, DeviceError::Driver(NOT_ENABLED));
    // SAFETY: both have N elements.
    let refused = unsafe { module.tripled_unchecked(&near, LaunchConfig::for_num_elems(N as u32), &there, &mut here) }.unwrap_err();
    assert_eq!(refused, NOT_ENABLED);
    let direct = module.as_cuda_module();
    let plain = LaunchConfig::for_num_elems(N as u32);
    // SAFETY: both have N elements.
    let refused = unsafe {
        cuda_launch! { kernel: kernels::tripled, stream: near, module: direct, config: plain, args: [slice(there), slice_mut(here)] }
    };
    assert_eq!(refused, Err(NOT_ENABLED));
    // SAFETY: both have N elements.
    let operation = unsafe {
        cuda_launch_async! { kernel: kernels::tripled, module: direct, config: plain, args: [slice(there), slice_mut(here)] }
    };
    assert_eq!(operation.sync_on(&near), Err(DeviceError::Driver(NOT_ENABLED)));
    here.copy_from_device_async(&there, &near).unwrap();
    assert_eq!(here.to_host_vec(&near).unwrap(), numbers);
    assert_eq!(there.to_host_vec(&near).unwrap(), numbers);

    peer::enable_peer_access(&first, &second).unwrap();
    peer::enable_peer_access(&first, &second).unwrap();
    // Work of the first device uses what is dropped at once, and what is allocated then in its place.
    for round in 0..150 {
        let source: Vec<u32> = (0..N as u32).map(|number| number + round).collect();
        let there = DeviceBuffer::from_host(&far, &source).unwrap();
        match round % 3 {
            0 => module.tripled(&near, &prepared, &there, &mut here).unwrap(),
            // SAFETY: both have N elements.
            1 => unsafe {
                cuda_launch! { kernel: kernels::tripled, stream: near, module: direct, config: plain, args: [slice(there), slice_mut(here)] }
            }
            .unwrap(),
            // SAFETY: both have N elements, and the stream of the first device is waited for below.
            _ => unsafe {
                cuda_launch_async! { kernel: kernels::tripled, module: direct, config: plain, args: [slice(there), slice_mut(here)] }
                    .async_on(&near)
            }
            .unwrap(),
        }
        drop(there);
        let after = DeviceBuffer::<u32>::zeroed(&far, N).unwrap();
        let expected: Vec<u32> = source.iter().map(|number| 3 * number).collect();
        assert_eq!(here.to_host_vec(&near).unwrap(), expected, "round {round}");
        drop(after);
    }
    module.tripled_async(&prepared, &there, &mut here).unwrap().sync_on(&near).unwrap();
    assert_eq!(here.to_host_vec(&near).unwrap(), tripled);
    // SAFETY: both have N elements, and the first device reaches the second one's memory.
    unsafe { module.doubled(&near, LaunchConfig::for_num_elems(N as u32), there.cu_deviceptr() as *const u32, &mut here) }.unwrap();
    assert_eq!(here.to_host_vec(&near).unwrap(), doubled);
    here.copy_from_device_async(&there, &near).unwrap();
    assert_eq!(here.to_host_vec(&near).unwrap(), numbers);
    there.zero_async(&near).unwrap();
    assert_eq!(there.to_host_vec(&near).unwrap(), [0; N]);
    drop(there);
    peer::disable_peer_access(&first, &second).unwrap();
    println!("SUCCESS: two devices apart, and one that reads the other's memory");
}
