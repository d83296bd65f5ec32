//! Virtual memory: two pieces of physical memory side by side in one range of addresses, then in the other order; and on devices with
//! multicast, where the argument `multicast` asks for it, one store that reaches the memory of each. It is asked for because a multicast
//! object takes resources of the switch between GPUs, which other programs of the host share.

use std::env;

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, memory, sys, vmm};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn count(mut out: DisjointSlice<u32>, from: u32) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = from + index.get() as u32;
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let (device, stream) = (ctx.cu_device(), ctx.default_stream());
    let attribute = sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    let mut supported = 0;
    // SAFETY: the driver stores an int.
    assert_eq!(unsafe { sys::cuDeviceGetAttribute(&mut supported, attribute, device) }, sys::cudaError_enum_CUDA_SUCCESS);
    if supported == 0 {
        return println!("SUCCESS: skipped, the device has no virtual memory management");
    }
    let module = kernels::load(&ctx).unwrap();

    let size = vmm::align_size(1, vmm::allocation_granularity(device).unwrap());
    let len = size / size_of::<u32>();
    let config = LaunchConfig::for_num_elems(2 * len as u32);
    let pieces = [0, 1].map(|_| vmm::PhysicalAllocation::new(device, size).unwrap());
    let range = vmm::VirtualReservation::new(2 * size, 0).unwrap();
    let at = |half: usize| range.base() + (half * size) as u64;
    {
        let _mapped = [0, 1].map(|half| vmm::Mapping::new(at(half), size, &pieces[half], 0).unwrap());
        vmm::set_access(range.base(), 2 * size, &[device]).unwrap();
        // SAFETY: the range is mapped and accessible; ownership is taken back before anybody frees it.
        let mut buffer = unsafe { DeviceBuffer::<u32>::from_raw_parts(range.base(), 2 * len, ctx.clone()) };
        // SAFETY: the kernel checks its indices.
        unsafe { module.count(&stream, config, &mut buffer, 5) }.unwrap();
        assert!(buffer.to_host_vec(&stream).unwrap().into_iter().eq((0..2 * len as u32).map(|index| 5 + index)));
        buffer.into_raw_parts();
    }
    {
        let _mapped = [0, 1].map(|half| vmm::Mapping::new(at(half), size, &pieces[1 - half], 0).unwrap());
        vmm::set_access(range.base(), 2 * size, &[device]).unwrap();
        // SAFETY: as above.
        let buffer = unsafe { DeviceBuffer::<u32>::from_raw_parts(range.base(), 2 * len, ctx.clone()) };
        let swapped = buffer.to_host_vec(&stream).unwrap();
        assert_eq!((swapped[0], swapped[len]), (5 + len as u32, 5), "the pieces keep what is in them");
        buffer.into_raw_parts();
    }
    assert!(vmm::PhysicalAllocation::new(device, size + 1).is_err(), "no multiple of the granularity");

    if env::args().nth(1).as_deref() != Some("multicast") {
        return println!("SUCCESS: memory mapped twice; multicast was not asked for");
    }
    if !vmm::multicast_supported(device).unwrap() {
        return println!("SUCCESS: memory mapped twice; skipped multicast, which the device does not have");
    }
    match multicast(device, &stream) {
        // A device may say that it has multicast where the system does not let it be used.
        Err(error)
            if error.0 == sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED || error.0 == sys::cudaError_enum_CUDA_ERROR_SYSTEM_NOT_READY =>
        {
            println!("SUCCESS: memory mapped twice; skipped multicast: {error}");
        }
        result => {
            result.unwrap();
            println!("SUCCESS: memory mapped twice, and written through a multicast object");
        }
    }
}

/// A team of one device: what is stored at the object's address is in the memory that is bound.
fn multicast(device: sys::CUdevice, stream: &cuda_core::CudaStream) -> Result<(), cuda_core::DriverError> {
    let size = vmm::multicast_granularity(1, 1 << 20, vmm::MulticastGranularity::Minimum)?;
    let size = vmm::align_size(size, vmm::allocation_granularity(device)?);
    let object = vmm::MulticastObject::new(1, size)?;
    object.add_device(device)?;
    let memory_of_it = vmm::PhysicalAllocation::new(device, size)?;
    let _binding = object.bind_mem(0, &memory_of_it, 0, size)?;
    let range = vmm::VirtualReservation::new(2 * size, 0)?;
    let _own = vmm::Mapping::new(range.base(), size, &memory_of_it, 0)?;
    let _team = vmm::Mapping::new_multicast(range.base() + size as u64, size, &object, 0)?;
    vmm::set_access(range.base(), 2 * size, &[device])?;
    let mut bytes = [0u8; 64];
    // SAFETY: both ranges are mapped and accessible, and the bytes are kept until the stream is waited for.
    unsafe {
        memory::memset_d8_async(range.base(), 1, size, stream.cu_stream())?;
        memory::memset_d8_async(range.base() + size as u64, 0xa5, size, stream.cu_stream())?;
        memory::memcpy_dtoh_async(bytes.as_mut_ptr(), range.base(), bytes.len(), stream.cu_stream())?;
    }
    stream.synchronize()?;
    assert_eq!(bytes, [0xa5; 64]);
    Ok(())
}
