//! Two devices: each keeps its own memory, kernels and streams apart, and one reads the other's memory where it can.

use std::thread;

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, peer, sys};
use cuda_device::{DisjointSlice, cuda_module, kernel};

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
}

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
                let module = kernels::load(&ctx).unwrap();
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
    peer::enable_peer_access(&first, &second).unwrap();
    peer::enable_peer_access(&first, &second).unwrap();
    let (near, far) = (first.new_stream().unwrap(), second.new_stream().unwrap());
    let there = DeviceBuffer::from_host(&far, &numbers).unwrap();
    let mut here = DeviceBuffer::<u32>::zeroed(&near, N).unwrap();
    let module = kernels::load(&first).unwrap();
    // SAFETY: both have N elements, and the first device reaches the second one's memory.
    unsafe { module.doubled(&near, LaunchConfig::for_num_elems(N as u32), there.cu_deviceptr() as *const u32, &mut here) }.unwrap();
    assert_eq!(here.to_host_vec(&near).unwrap(), doubled);
    here.copy_from_device_async(&there, &near).unwrap();
    assert_eq!(here.to_host_vec(&near).unwrap(), numbers);
    peer::disable_peer_access(&first, &second).unwrap();
    println!("SUCCESS: two devices apart, and one that reads the other's memory");
}
