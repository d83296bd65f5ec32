//! Virtual memory: address ranges, physical memory, and what is mapped where; multicast objects, whose one address is memory of several
//! devices.
//!
//! ```no_run
//! use cuda_core::{CudaContext, vmm};
//!
//! # fn main() -> Result<(), cuda_core::DriverError> {
//! let ctx = CudaContext::new(0)?;
//! let size = vmm::align_size(1 << 20, vmm::allocation_granularity(ctx.cu_device())?);
//! let range = vmm::VirtualReservation::new(size, 0)?;
//! let memory = vmm::PhysicalAllocation::new(ctx.cu_device(), size)?;
//! let mapping = vmm::Mapping::new(range.base(), size, &memory, 0)?;
//! vmm::set_access(mapping.va(), size, &[ctx.cu_device()])?;
//! # Ok(())
//! # }
//! ```
//!
//! Sizes and offsets are bytes, multiples of the granularity. Locals drop in the reverse order of their declaration, as they must here: a
//! mapping before the range that it lies in. Nothing waits for the device: whoever drops a mapping has waited for the work that uses it.
//! An error in a drop has no place to go, since none of these belongs to a context.
//!
//! All of this is safe because it hands out addresses, as numbers, and no memory: who lets a kernel or a buffer use one writes `unsafe`, and
//! vouches there that memory is mapped at it until the work has run.

use std::{ptr, sync::Arc};

use crate::{DriverError, IntoResult, error, failure::Cause, sys};

/// Physical memory of a device, released on drop; what is mapped stays mapped.
#[derive(Debug)]
pub struct PhysicalAllocation {
    handle: sys::CUmemGenericAllocationHandle,
    size: usize,
    device: sys::CUdevice,
}

impl PhysicalAllocation {
    /// Allocates `size` bytes, a multiple of [`allocation_granularity`].
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_INVALID_VALUE` for another size, `CUDA_ERROR_OUT_OF_MEMORY` and whatever else the driver reports.
    pub fn new(device: sys::CUdevice, size: usize) -> Result<Self, DriverError> {
        // SAFETY: the properties live as long as the call, and the driver stores a handle; `Drop` releases it.
        let handle = unsafe { error::output(|handle| sys::checked::cuMemCreate(handle, size, &pinned_on(device), 0)) }
            .map_err(|failure| failure.because(Cause::PhysicalAllocation { bytes: size, device }))?;
        Ok(Self { handle, size, device })
    }

    /// The driver's handle, valid while `self` is.
    pub fn handle(&self) -> sys::CUmemGenericAllocationHandle {
        self.handle
    }

    /// The size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The device whose memory it is.
    pub fn device(&self) -> sys::CUdevice {
        self.device
    }
}

impl Drop for PhysicalAllocation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and released only here; the driver keeps the memory as long as it is mapped.
        let _ = unsafe { sys::cuMemRelease(self.handle) };
    }
}

/// A range of addresses without memory, freed on drop. Mappings in it are dropped before.
#[derive(Debug)]
pub struct VirtualReservation {
    base: sys::CUdeviceptr,
    size: usize,
}

impl VirtualReservation {
    /// Reserves `size` bytes at a multiple of `alignment`; 0 leaves the alignment to the driver.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn new(size: usize, alignment: usize) -> Result<Self, DriverError> {
        // SAFETY: the driver stores an address; `Drop` frees the range.
        let base = unsafe { error::output(|base| sys::checked::cuMemAddressReserve(base, size, alignment, 0, 0)) }?;
        Ok(Self { base, size })
    }

    /// The first address.
    pub fn base(&self) -> sys::CUdeviceptr {
        self.base
    }

    /// The size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Drop for VirtualReservation {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed only here; whoever has work use an address of it has vouched that this comes after.
        let _ = unsafe { sys::cuMemAddressFree(self.base, self.size) };
    }
}

/// Memory at a range of addresses, unmapped on drop. Nobody can use it until [`set_access`] says who.
#[derive(Debug)]
pub struct Mapping {
    va: sys::CUdeviceptr,
    size: usize,
}

impl Mapping {
    /// Maps `size` bytes of `phys` from `offset` on at `va`, an address in a [`VirtualReservation`].
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn new(va: sys::CUdeviceptr, size: usize, phys: &PhysicalAllocation, offset: usize) -> Result<Self, DriverError> {
        Self::of_handle(va, size, phys.handle, offset)
    }

    /// Maps `size` bytes of a multicast object from `offset` on at `va`: a store there goes to the memory of every device that is bound.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn new_multicast(va: sys::CUdeviceptr, size: usize, multicast: &MulticastObject, offset: usize) -> Result<Self, DriverError> {
        Self::of_handle(va, size, multicast.handle(), offset)
    }

    fn of_handle(va: sys::CUdeviceptr, size: usize, handle: sys::CUmemGenericAllocationHandle, offset: usize) -> Result<Self, DriverError> {
        // SAFETY: the handle is alive; the driver refuses addresses that are not reserved or have memory already, and an offset or a size that the
        // memory does not have. `Drop` undoes it.
        unsafe { sys::cuMemMap(va, size, offset, handle, 0) }.result()?;
        Ok(Self { va, size })
    }

    /// The first address.
    pub fn va(&self) -> sys::CUdeviceptr {
        self.va
    }

    /// The size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: made by `of_handle`, and undone only here; whoever has work use the memory there has vouched that this comes after.
        let _ = unsafe { sys::cuMemUnmap(self.va, self.size) };
    }
}

/// Lets each of `devices` read and write what is mapped at `va`.
///
/// # Errors
///
/// What the driver reports.
pub fn set_access(va: sys::CUdeviceptr, size: usize, devices: &[sys::CUdevice]) -> Result<(), DriverError> {
    let flags = sys::CUmemAccess_flags_enum_CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    let access: Vec<_> = devices.iter().map(|&device| sys::CUmemAccessDesc { location: memory_of(device), flags }).collect();
    // SAFETY: the descriptions live as long as the call, and the driver refuses a range that is not mapped. Access is only ever given.
    unsafe { sys::cuMemSetAccess(va, size, access.as_ptr(), access.len()) }.result()
}

/// What sizes and offsets of physical memory of a device are multiples of.
///
/// # Errors
///
/// What the driver reports.
pub fn allocation_granularity(device: sys::CUdevice) -> Result<usize, DriverError> {
    let option = sys::CUmemAllocationGranularity_flags_enum_CU_MEM_ALLOC_GRANULARITY_MINIMUM;
    // SAFETY: the properties live as long as the call, and the driver stores a size.
    Ok(unsafe { error::output(|bytes| sys::checked::cuMemGetAllocationGranularity(bytes, &pinned_on(device), option)) }?)
}

/// The least multiple of `granularity` that is not below `size`.
///
/// # Panics
///
/// If `granularity` is 0, or the multiple overflows.
pub fn align_size(size: usize, granularity: usize) -> usize {
    size.checked_next_multiple_of(granularity).expect("a granularity above 0, and a multiple that usize holds")
}

/// Whether a device takes part in multicast objects.
///
/// # Errors
///
/// What the driver reports.
pub fn multicast_supported(device: sys::CUdevice) -> Result<bool, DriverError> {
    let attribute = sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED;
    // SAFETY: the driver stores an int.
    Ok(unsafe { error::output(|value| sys::checked::cuDeviceGetAttribute(value, attribute, device)) }? != 0)
}

/// Which multiples of sizes are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MulticastGranularity {
    /// Those that work.
    Minimum,
    /// Those that are fast.
    Recommended,
}

/// What the size of a multicast object for so many devices, and the offsets in it, are multiples of.
///
/// # Errors
///
/// What the driver reports.
pub fn multicast_granularity(num_devices: u32, size: usize, granularity: MulticastGranularity) -> Result<usize, DriverError> {
    let option = match granularity {
        MulticastGranularity::Minimum => sys::CUmulticastGranularity_flags_enum_CU_MULTICAST_GRANULARITY_MINIMUM,
        MulticastGranularity::Recommended => sys::CUmulticastGranularity_flags_enum_CU_MULTICAST_GRANULARITY_RECOMMENDED,
    };
    // SAFETY: the properties live as long as the call, and the driver stores a size.
    Ok(unsafe { error::output(|bytes| sys::checked::cuMulticastGetGranularity(bytes, &multicast_of(num_devices, size), option)) }?)
}

/// Memory of several devices under one handle, released on drop and when its last binding is gone.
///
/// All devices are added before any memory is bound. It takes a driver of CUDA 12.1 or newer, and devices joined by NVLink.
#[derive(Debug)]
pub struct MulticastObject {
    handle: Arc<MulticastHandle>,
}

#[derive(Debug)]
struct MulticastHandle(sys::CUmemGenericAllocationHandle);

impl MulticastObject {
    /// An object for so many devices and bytes, the latter a multiple of [`multicast_granularity`].
    ///
    /// # Errors
    ///
    /// What the driver reports, `CUDA_ERROR_NOT_SUPPORTED` where devices or driver have no multicast.
    pub fn new(num_devices: u32, size: usize) -> Result<Self, DriverError> {
        // SAFETY: the properties live as long as the call, and the driver stores a handle; `Drop` releases it.
        let handle = unsafe { error::output(|handle| sys::checked::cuMulticastCreate(handle, &multicast_of(num_devices, size))) }?;
        Ok(Self { handle: Arc::new(MulticastHandle(handle)) })
    }

    /// The driver's handle, valid while `self` is.
    pub fn handle(&self) -> sys::CUmemGenericAllocationHandle {
        self.handle.0
    }

    /// Adds a device.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn add_device(&self, device: sys::CUdevice) -> Result<(), DriverError> {
        // SAFETY: the handle is alive.
        unsafe { sys::cuMulticastAddDevice(self.handle.0, device) }.result()
    }

    /// Binds `size` bytes of `phys` from `mem_offset` on, at `mc_offset` of the object, for the device whose memory it is.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    pub fn bind_mem(
        &self,
        mc_offset: usize,
        phys: &PhysicalAllocation,
        mem_offset: usize,
        size: usize,
    ) -> Result<MulticastBinding, DriverError> {
        // SAFETY: both handles are alive; the driver refuses ranges that object or memory do not have, or that are bound already. The binding's
        // `Drop` undoes it.
        unsafe { sys::cuMulticastBindMem(self.handle.0, mc_offset, phys.handle, mem_offset, size, 0) }.result()?;
        Ok(MulticastBinding { handle: self.handle.clone(), device: phys.device, mc_offset, size })
    }
}

impl Drop for MulticastHandle {
    fn drop(&mut self) {
        // SAFETY: made by `MulticastObject::new`, and released only here.
        let _ = unsafe { sys::cuMemRelease(self.0) };
    }
}

/// Memory bound to a multicast object, unbound on drop.
#[derive(Debug)]
pub struct MulticastBinding {
    handle: Arc<MulticastHandle>,
    device: sys::CUdevice,
    mc_offset: usize,
    size: usize,
}

impl Drop for MulticastBinding {
    fn drop(&mut self) {
        // SAFETY: made by `bind_mem`, and undone only here; whoever has work use the object's memory has vouched that this comes after.
        let _ = unsafe { sys::cuMulticastUnbind(self.handle.0, self.device, self.mc_offset, self.size) };
    }
}

fn memory_of(device: sys::CUdevice) -> sys::CUmemLocation {
    sys::CUmemLocation { type_: sys::CUmemLocationType_enum_CU_MEM_LOCATION_TYPE_DEVICE, id: device }
}

fn pinned_on(device: sys::CUdevice) -> sys::CUmemAllocationProp {
    sys::CUmemAllocationProp {
        type_: sys::CUmemAllocationType_enum_CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: sys::CUmemAllocationHandleType_enum_CU_MEM_HANDLE_TYPE_NONE,
        location: memory_of(device),
        win32HandleMetaData: ptr::null_mut(),
        allocFlags: sys::CUmemAllocationProp_st__bindgen_ty_1 { compressionType: 0, gpuDirectRDMACapable: 0, usage: 0, reserved: [0; 4] },
    }
}

fn multicast_of(num_devices: u32, size: usize) -> sys::CUmulticastObjectProp {
    sys::CUmulticastObjectProp { numDevices: num_devices, size, handleTypes: 0, flags: 0 }
}

#[cfg(test)]
mod tests {
    use super::align_size;

    #[test]
    fn sizes_are_rounded_up() {
        for (size, granularity, rounded) in [(0, 8, 0), (1, 8, 8), (8, 8, 8), (9, 2 << 20, 2 << 20)] {
            assert_eq!(align_size(size, granularity), rounded);
        }
    }
}
