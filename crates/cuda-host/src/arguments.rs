//! What launchers take for a kernel's parameters.

use std::sync::Arc;

use cuda_core::{CudaContext, DeviceBuffer, DriverError, peer, sys::CUdeviceptr};

/// A value that the driver copies for a kernel: any that is `Copy`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    label = "not `Copy`: add `+ Copy` to the bounds of a type parameter, or derive it",
    note = "what is not `Copy` stays the host's: take a slice and pass a `DeviceBuffer`"
)]
pub trait KernelScalar: Copy {}

#[diagnostic::do_not_recommend]
impl<T: Copy> KernelScalar for T {}

/// An argument that is passed by value, explicitly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar<T>(pub T);

/// An argument that a kernel only reads, explicitly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOnly<'a, T>(pub &'a T);

/// An argument that a kernel only writes, explicitly.
#[derive(Debug, PartialEq, Eq)]
pub struct WriteOnly<'a, T>(pub &'a mut T);

/// A buffer of device memory that an operation passes as a slice.
///
/// # Safety
///
/// From the address on there are so many elements in device memory, for as long as the value lives.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer for a slice of a kernel",
    note = "pass a `DeviceBuffer`, a `DeviceBox` of a slice, or an `Arc` of one that is only read"
)]
pub unsafe trait KernelSliceArg {
    /// The type of the elements.
    type Elem;

    /// The address of the first one.
    fn cu_deviceptr(&self) -> CUdeviceptr;

    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the memory ready for kernels in a context, which may be another device's.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` where that device does not reach it, and what else the driver reports.
    fn use_from(&self, context: &CudaContext) -> Result<(), DriverError> {
        if self.is_empty() { Ok(()) } else { peer::expect_access(context, self.cu_deviceptr()) }
    }
}

/// A buffer of device memory that a kernel may write.
///
/// # Safety
///
/// An exclusive borrow of the value is one of the memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer that a kernel can write",
    note = "pass a `DeviceBuffer` or a `DeviceBox` of a slice; what is shared in an `Arc` is only read"
)]
pub unsafe trait KernelSliceArgMut: KernelSliceArg {}

// SAFETY: the buffer owns its memory.
unsafe impl<T> KernelSliceArg for DeviceBuffer<T> {
    type Elem = T;

    fn cu_deviceptr(&self) -> CUdeviceptr {
        self.cu_deviceptr()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn use_from(&self, context: &CudaContext) -> Result<(), DriverError> {
        self.use_from(context)
    }
}

// SAFETY: no one else has the memory.
unsafe impl<T> KernelSliceArgMut for DeviceBuffer<T> {}

// SAFETY: the buffer lives as long as its owners.
unsafe impl<B: KernelSliceArg + ?Sized> KernelSliceArg for Arc<B> {
    type Elem = B::Elem;

    fn cu_deviceptr(&self) -> CUdeviceptr {
        (**self).cu_deviceptr()
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn use_from(&self, context: &CudaContext) -> Result<(), DriverError> {
        (**self).use_from(context)
    }
}

// SAFETY: the box owns its memory.
#[cfg(feature = "async")]
unsafe impl<T: Send> KernelSliceArg for cuda_async::device_box::DeviceBox<[T]> {
    type Elem = T;

    fn cu_deviceptr(&self) -> CUdeviceptr {
        self.cu_deviceptr()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn use_from(&self, context: &CudaContext) -> Result<(), DriverError> {
        if self.is_empty() || self.device_id() == context.ordinal() { Ok(()) } else { peer::expect_access(context, self.cu_deviceptr()) }
    }
}

// SAFETY: no one else has the memory.
#[cfg(feature = "async")]
unsafe impl<T: Send> KernelSliceArgMut for cuda_async::device_box::DeviceBox<[T]> {}

/// What has a length, for the size relations of a contract.
pub trait HasLength {
    /// The elements.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<B: KernelSliceArg + ?Sized> HasLength for B {
    fn len(&self) -> usize {
        KernelSliceArg::len(self)
    }
}
