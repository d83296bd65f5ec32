//! Owned device memory, and what may cross the bus.

use std::{
    fmt,
    marker::PhantomData,
    mem::{ManuallyDrop, MaybeUninit},
    num::Wrapping,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    CudaContext, CudaMemoryPool, CudaStream, DriverError, IntoResult, PinnedHostBuffer, error,
    failure::{Cause, Failure},
    memory, peer,
    phase::{self, Step},
    sys,
};

/// Plain bytes that may be copied between host and device.
///
/// The derive macro of the same name implements it for structs and unions of such fields.
///
/// # Safety
///
/// All bytes zero are a valid value, and so is whatever bytes a kernel stores through this type; a value means the same to host and
/// device.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied between host and device",
    note = "its all-zero bytes may be no value of it: use numbers (`u8` for `bool`), or `#[derive(DeviceCopy)]` on a struct of such"
)]
pub unsafe trait DeviceCopy: Copy {}

macro_rules! device_copy {
    ($(#[$why:meta] [$($parameter:tt)*] $type:ty;)*) => {$(
        #[$why]
        // SAFETY: the line above says why.
        unsafe impl<$($parameter)*> DeviceCopy for $type {}
    )*};
}

macro_rules! device_copy_numbers {
    ($($type:ty)*) => {$(
        // SAFETY: every bit pattern is a number.
        unsafe impl DeviceCopy for $type {}
    )*};
}

macro_rules! device_copy_tuples {
    ($($head:ident $($tail:ident)*)?) => {$(
        // SAFETY: every field is, and both sides have one layout.
        unsafe impl<$head: DeviceCopy, $($tail: DeviceCopy),*> DeviceCopy for ($head, $($tail,)*) {}
        device_copy_tuples!($($tail)*);
    )?};
}

device_copy_numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 half::f16 half::bf16);
#[cfg(oxide_f16)]
device_copy_numbers!(f16);
device_copy_tuples!(A B C D E F G H);
device_copy! {
    /// No bytes at all.
    [] ();
    /// Every element is.
    [T: DeviceCopy, const N: usize] [T; N];
    /// An address, which null is too.
    [T] *const T;
    /// An address, which null is too.
    [T] *mut T;
    /// No bytes at all.
    [T: ?Sized] PhantomData<T>;
    /// Every bit pattern is valid.
    [T: DeviceCopy] MaybeUninit<T>;
    /// The number inside is.
    [T: DeviceCopy] Wrapping<T>;
}

/// `len` elements in device memory, freed on drop.
///
/// A buffer of no bytes has a null address and calls no driver function. Freeing waits for the device, and for others whose streams the
/// buffer was used in, so that it may be dropped while a kernel that uses it runs; an error then becomes the context's sticky one.
/// [`DeviceBuffer::drop_async`] does not wait.
pub struct DeviceBuffer<T> {
    address: sys::CUdeviceptr,
    len: usize,
    context: Arc<CudaContext>,
    /// The stream in whose order the memory was allocated, if it was.
    stream: Option<Arc<CudaStream>>,
    /// The other devices that may be using the memory, a bit each.
    users: AtomicU64,
    elements: PhantomData<T>,
}

/// What a buffer owns.
struct Parts {
    address: sys::CUdeviceptr,
    len: usize,
    context: Arc<CudaContext>,
    stream: Option<Arc<CudaStream>>,
    users: u64,
}

impl<T> DeviceBuffer<T> {
    /// The address of the first element; 0 where there are no bytes.
    pub fn cu_deviceptr(&self) -> sys::CUdeviceptr {
        self.address
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    pub fn num_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The context that the memory belongs to.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Takes ownership of memory from `cuMemAlloc`, which `cuMemFree` frees.
    ///
    /// # Panics
    ///
    /// If the size in bytes overflows.
    ///
    /// # Safety
    ///
    /// `ptr` is an allocation of `ctx` with room for `len` elements that are valid for `T`, and nobody else frees it.
    pub unsafe fn from_raw_parts(ptr: sys::CUdeviceptr, len: usize, ctx: Arc<CudaContext>) -> Self {
        assert!(num_bytes::<T>(len).is_ok(), "a buffer of more bytes than usize counts");
        Self { address: ptr, len, context: ctx, stream: None, users: AtomicU64::new(0), elements: PhantomData }
    }

    /// Gives the memory away: nothing is freed. `cuMemFree` frees it, whichever way it was allocated.
    pub fn into_raw_parts(self) -> (sys::CUdeviceptr, usize, Arc<CudaContext>) {
        let Parts { address, len, context, .. } = self.into_parts();
        (address, len, context)
    }

    fn into_parts(self) -> Parts {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is never used or dropped again.
        let (context, stream) = unsafe { (ptr::read(&this.context), ptr::read(&this.stream)) };
        Parts { address: this.address, len: this.len, context, stream, users: this.users.load(Ordering::Relaxed) }
    }

    /// The same memory as so many elements of another type; the caller has checked that they fit.
    fn cast<A>(self, len: usize) -> DeviceBuffer<A> {
        let Parts { address, context, stream, users, .. } = self.into_parts();
        DeviceBuffer { address, len, context, stream, users: users.into(), elements: PhantomData }
    }

    /// Makes the buffer ready for kernels and fills in the streams of a context: where that is another device's, its access is checked, and
    /// freeing the buffer waits for that device too.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` where the device does not reach the memory, the sticky error of `context`, or what the driver
    /// reports.
    pub fn use_from(&self, context: &CudaContext) -> Result<(), DriverError> {
        if self.address == 0 || context == &*self.context {
            return Ok(());
        }
        peer::expect_access(context, self.address)?;
        self.add_user(context)
    }

    /// Lets freeing the buffer wait for a context's device too.
    fn add_user(&self, context: &CudaContext) -> Result<(), DriverError> {
        if context == &*self.context {
            return Ok(());
        }
        let Some(user) = u32::try_from(context.ordinal()).ok().and_then(|ordinal| 1u64.checked_shl(ordinal)) else {
            let cause = Cause::UserOrdinal { ordinal: context.ordinal() };
            return Err(Failure::refusal(sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED, cause).into());
        };
        self.users.fetch_or(user, Ordering::Relaxed);
        Ok(())
    }

    /// Waits for the other devices that may be using the memory.
    fn wait_for_users(&self) -> Result<(), Failure> {
        let users = self.users.load(Ordering::Relaxed);
        let each = (0..u64::BITS as usize).filter(|user| users >> user & 1 != 0);
        each.map(CudaContext::wait_for_device).fold(Ok(()), Result::and)
    }

    /// The same memory as elements of another type.
    ///
    /// # Panics
    ///
    /// If the two differ in size or alignment.
    pub fn cast_elem<A>(self) -> DeviceBuffer<A> {
        assert_eq!(size_of::<T>(), size_of::<A>(), "elements of another size");
        assert_eq!(align_of::<T>(), align_of::<A>(), "elements of another alignment");
        let len = self.len;
        self.cast(len)
    }

    /// The same memory as elements of another size.
    ///
    /// # Errors
    ///
    /// The buffer itself, unchanged, where [`DeviceBuffer::can_cast_chunks`] is false.
    pub fn cast_chunks<A>(self) -> Result<DeviceBuffer<A>, Self> {
        if !self.can_cast_chunks::<A>() {
            return Err(self);
        }
        let len = self.num_bytes() / size_of::<A>();
        Ok(self.cast(len))
    }

    /// Whether the bytes divide evenly into elements of `A`, the address is aligned for them, and neither type is zero-sized.
    pub fn can_cast_chunks<A>(&self) -> bool {
        size_of::<T>() != 0
            && size_of::<A>() != 0
            && self.num_bytes().is_multiple_of(size_of::<A>())
            && self.address.is_multiple_of(align_of::<A>() as u64)
    }
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Copies a slice to new memory; returns when the copy has run.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_OUT_OF_MEMORY` and whatever else the driver reports.
    pub fn from_host(stream: &CudaStream, data: &[T]) -> Result<Self, DriverError> {
        let mut buffer = Self::uninitialized(stream, data.len())?;
        buffer.copy_from_host(stream, data)?;
        Ok(buffer)
    }

    /// New memory whose bytes are all zero, in the order of `stream` and of no other.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_INVALID_VALUE` where the size in bytes overflows, or for elements aligned to more than 256 bytes;
    /// `CUDA_ERROR_OUT_OF_MEMORY`, and whatever else the driver reports.
    pub fn zeroed(stream: &CudaStream, len: usize) -> Result<Self, DriverError> {
        let mut buffer = Self::uninitialized(stream, len)?;
        buffer.zero_async(stream)?;
        Ok(buffer)
    }

    /// Queues a copy of a slice to new memory and returns at once.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::from_host`].
    ///
    /// # Safety
    ///
    /// `data` is neither changed nor freed until the copy has run.
    pub unsafe fn from_host_async_unchecked(stream: &CudaStream, data: &[T]) -> Result<Self, DriverError> {
        let mut buffer = Self::uninitialized(stream, data.len())?;
        // SAFETY: the lengths are equal; the caller keeps `data`.
        unsafe { buffer.copy_from_host_async_unchecked(stream, data) }?;
        Ok(buffer)
    }

    /// Queues a copy of pinned host memory to new memory and returns at once.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::from_host`].
    ///
    /// # Safety
    ///
    /// `data` is neither changed nor dropped until the copy has run.
    pub unsafe fn from_pinned_host(stream: &CudaStream, data: &PinnedHostBuffer<T>) -> Result<Self, DriverError> {
        // SAFETY: passed on.
        unsafe { Self::from_host_async_unchecked(stream, data) }
    }

    /// Memory in the order of `stream`, from the device's pool (`cuMemAllocAsync`), and freed in that order; returns at once.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::zeroed`]; `CUDA_ERROR_NOT_SUPPORTED` from a device without pools.
    ///
    /// # Safety
    ///
    /// All work with the buffer comes after what `stream` holds now, and nothing reads an element that has not been written.
    pub unsafe fn uninitialized_async(stream: &Arc<CudaStream>, len: usize) -> Result<Self, DriverError> {
        // SAFETY: the stream is alive; the caller orders the rest.
        Self::in_stream_order(stream, len, |bytes| unsafe { memory::malloc_async(stream.cu_stream(), bytes) })
    }

    /// [`DeviceBuffer::uninitialized_async`] from a pool of the program's.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::uninitialized_async`].
    ///
    /// # Safety
    ///
    /// As for [`DeviceBuffer::uninitialized_async`].
    pub unsafe fn uninitialized_from_pool_async(pool: &CudaMemoryPool, stream: &Arc<CudaStream>, len: usize) -> Result<Self, DriverError> {
        Self::in_stream_order(stream, len, |bytes| {
            // SAFETY: pool and stream are alive, and the driver stores an address; the caller orders the rest.
            let address = unsafe {
                error::output(|address| sys::checked::cuMemAllocFromPoolAsync(address, bytes, pool.cu_pool(), stream.cu_stream()))
            };
            Ok(address.map_err(|failure| failure.because(Cause::allocation(bytes)))?)
        })
    }

    /// The elements; returns when the copy has run.
    ///
    /// # Errors
    ///
    /// What the driver reports: a fault of an earlier kernel surfaces here.
    pub fn to_host_vec(&self, stream: &CudaStream) -> Result<Vec<T>, DriverError> {
        phase::enter(Step::ToHostVec);
        let mut elements = Vec::with_capacity(self.len);
        // SAFETY: the vector has room for all of them and is not touched until the copy has run.
        unsafe { self.copy_to(elements.as_mut_ptr(), stream) }?;
        // SAFETY: the copy has written them, and `T: DeviceCopy` makes them valid.
        unsafe { elements.set_len(self.len) };
        Ok(elements)
    }

    /// Copies the elements to the head of `dst`; returns when the copy has run.
    ///
    /// # Errors
    ///
    /// What the driver reports: a fault of an earlier kernel surfaces here.
    ///
    /// # Panics
    ///
    /// If `dst` is shorter than the buffer.
    pub fn copy_to_host(&self, stream: &CudaStream, dst: &mut [T]) -> Result<(), DriverError> {
        assert!(dst.len() >= self.len, "{} elements do not fit into {}", self.len, dst.len());
        // SAFETY: the slice has room for all of them and is borrowed until the copy has run.
        unsafe { self.copy_to(dst.as_mut_ptr(), stream) }
    }

    /// Overwrites the elements; returns when the copy has run.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn copy_from_host(&mut self, stream: &CudaStream, src: &[T]) -> Result<(), DriverError> {
        // SAFETY: the stream is waited for before `src` can change.
        let queued = unsafe { self.copy_from_host_async_unchecked(stream, src) };
        self.finish_copy(stream, queued)
    }

    /// Queues a copy over the elements and returns at once.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    ///
    /// # Safety
    ///
    /// `src` is neither changed nor freed until the copy has run.
    pub unsafe fn copy_from_host_async_unchecked(&mut self, stream: &CudaStream, src: &[T]) -> Result<(), DriverError> {
        assert_eq!(self.len, src.len(), "a copy between buffers of different lengths");
        // SAFETY: both hold as many bytes; the caller keeps `src`.
        unsafe { self.queue_copy_from(src, stream) }
    }

    /// Copies the elements to the head of pinned host memory; returns when the copy has run.
    ///
    /// # Errors
    ///
    /// What the driver reports: a fault of an earlier kernel surfaces here.
    ///
    /// # Panics
    ///
    /// If `dst` is shorter than the buffer.
    pub fn copy_to_pinned_host(&self, stream: &CudaStream, dst: &mut PinnedHostBuffer<T>) -> Result<(), DriverError> {
        self.copy_to_host(stream, dst)
    }

    /// Queues a copy of the elements to the head of pinned host memory and returns at once.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    ///
    /// # Panics
    ///
    /// If `dst` is shorter than the buffer.
    ///
    /// # Safety
    ///
    /// `dst` is neither touched nor dropped until the copy has run.
    pub unsafe fn copy_to_pinned_host_async(&self, stream: &CudaStream, dst: &mut PinnedHostBuffer<T>) -> Result<(), DriverError> {
        assert!(dst.len() >= self.len, "{} elements do not fit into {}", self.len, dst.len());
        // SAFETY: there is room for all elements; the caller keeps `dst`.
        unsafe { self.queue_copy_to(dst.as_mut_ptr(), stream) }
    }

    /// Queues a copy of pinned host memory over the head of the elements and returns at once.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    ///
    /// # Panics
    ///
    /// If the buffer is shorter than `src`.
    ///
    /// # Safety
    ///
    /// `src` is neither changed nor dropped until the copy has run.
    pub unsafe fn copy_from_pinned_host_async(&mut self, stream: &CudaStream, src: &PinnedHostBuffer<T>) -> Result<(), DriverError> {
        assert!(self.len >= src.len(), "{} elements do not fit into {}", src.len(), self.len);
        // SAFETY: there is room for all elements; the caller keeps `src`.
        unsafe { self.queue_copy_from(src, stream) }
    }

    /// Queues a copy of another buffer over the elements and returns at once. Buffers and stream may be of several devices, whether or not those
    /// reach each other's memory.
    ///
    /// # Errors
    ///
    /// What the driver reports.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn copy_from_device_async(&mut self, other: &DeviceBuffer<T>, stream: &CudaStream) -> Result<(), DriverError> {
        assert_eq!(self.len, other.len, "a copy between buffers of different lengths");
        if self.num_bytes() == 0 {
            return Ok(());
        }
        stream.context().bind_to_thread()?;
        self.add_user(stream.context())?;
        other.add_user(stream.context())?;
        // SAFETY: both hold as many bytes, and freeing either waits for the device.
        unsafe { memory::memcpy_dtod_async(self.address, other.address, self.num_bytes(), stream.cu_stream()) }
    }

    /// Queues a fill with zero bytes and returns at once.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED` for a stream of another device, which does not reach the memory, and what the driver reports.
    pub fn zero_async(&mut self, stream: &CudaStream) -> Result<(), DriverError> {
        if self.num_bytes() == 0 {
            return Ok(());
        }
        self.use_from(stream.context())?;
        stream.context().bind_to_thread()?;
        // SAFETY: the buffer holds as many bytes, freeing waits for the device, and zero bytes are valid for `T`.
        unsafe { memory::memset_d8_async(self.address, 0, self.num_bytes(), stream.cu_stream()) }
    }

    /// Frees the memory when what `stream` and the allocating stream hold now has run, and returns at once.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_INVALID_CONTEXT` for a stream of another context, or the sticky error, and the memory is freed as on drop; or what the
    /// driver reports about freeing it.
    ///
    /// # Safety
    ///
    /// No other stream holds work with the buffer that is not ordered before `stream`'s present end.
    pub unsafe fn drop_async(self, stream: &CudaStream) -> Result<(), DriverError> {
        const INVALID_VALUE: sys::CUresult = sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE;
        const NOT_SUPPORTED: sys::CUresult = sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED;
        if self.address == 0 {
            return Ok(());
        }
        if stream.context() != &self.context {
            return Err(Failure::refusal(sys::cudaError_enum_CUDA_ERROR_INVALID_CONTEXT, Cause::StreamOfOtherContext).into());
        }
        stream.context().bind_to_thread()?;
        if let Some(allocating) = self.stream.as_deref().filter(|allocating| *allocating != stream) {
            stream.join(allocating)?;
        }
        // SAFETY: the buffer owns the allocation, and the caller has ordered what uses it before.
        let freed = unsafe { memory::free_async(self.address, stream.cu_stream()) };
        if self.stream.is_none() && matches!(freed, Err(DriverError(INVALID_VALUE | NOT_SUPPORTED))) {
            // The driver frees only memory of streams so: this is freed on drop, which waits.
            return Ok(());
        }
        // One attempt is all: what failed may have freed it, and the address may be another allocation's by now.
        drop(self.into_parts());
        freed
    }

    fn uninitialized(stream: &CudaStream, len: usize) -> Result<Self, DriverError> {
        let context = stream.context().clone();
        let address = match allocation_bytes::<T>(len)? {
            0 => 0,
            bytes => {
                context.bind_to_thread()?;
                // SAFETY: the context is current.
                unsafe { memory::malloc_sync(bytes) }?
            }
        };
        Ok(Self { address, len, context, stream: None, users: AtomicU64::new(0), elements: PhantomData })
    }

    /// Memory that `allocate` takes in the order of `stream`, given its bytes.
    fn in_stream_order(
        stream: &Arc<CudaStream>,
        len: usize,
        allocate: impl FnOnce(usize) -> Result<sys::CUdeviceptr, DriverError>,
    ) -> Result<Self, DriverError> {
        let address = match allocation_bytes::<T>(len)? {
            0 => 0,
            bytes => {
                stream.context().bind_to_thread()?;
                allocate(bytes)?
            }
        };
        let (context, stream) = (stream.context().clone(), Some(stream.clone()));
        Ok(Self { address, len, context, stream, users: AtomicU64::new(0), elements: PhantomData })
    }

    /// Queues a copy of a slice over the head of the elements.
    ///
    /// # Safety
    ///
    /// `src` is not longer than the buffer, and is neither changed nor freed until the copy has run.
    unsafe fn queue_copy_from(&mut self, src: &[T], stream: &CudaStream) -> Result<(), DriverError> {
        if size_of_val(src) == 0 {
            return Ok(());
        }
        stream.context().bind_to_thread()?;
        self.add_user(stream.context())?;
        // SAFETY: passed on.
        unsafe { memory::memcpy_htod_async(self.address, src.as_ptr(), size_of_val(src), stream.cu_stream()) }
    }

    /// Queues a copy of all elements to `dst`.
    ///
    /// # Safety
    ///
    /// `dst` has room for them, and nobody else touches or frees it until the copy has run.
    unsafe fn queue_copy_to(&self, dst: *mut T, stream: &CudaStream) -> Result<(), DriverError> {
        if self.num_bytes() == 0 {
            return Ok(());
        }
        stream.context().bind_to_thread()?;
        self.add_user(stream.context())?;
        // SAFETY: passed on.
        unsafe { memory::memcpy_dtoh_async(dst, self.address, self.num_bytes(), stream.cu_stream()) }
    }

    /// Copies all elements to `dst` and waits.
    ///
    /// # Safety
    ///
    /// `dst` has room for them, and nobody else touches it meanwhile.
    unsafe fn copy_to(&self, dst: *mut T, stream: &CudaStream) -> Result<(), DriverError> {
        // SAFETY: passed on, and the stream is waited for.
        let queued = unsafe { self.queue_copy_to(dst, stream) };
        self.finish_copy(stream, queued)
    }

    /// Waits for a copy, of which there is none without bytes. It uses borrowed memory: whatever fails, and whatever the sticky error, it has
    /// ended on return. Where even the context cannot be waited for, the driver has ended all of its work.
    fn finish_copy(&self, stream: &CudaStream, queued: Result<(), DriverError>) -> Result<(), DriverError> {
        if self.num_bytes() == 0 {
            return queued;
        }
        let copied = queued.and_then(|()| {
            // SAFETY: the stream is alive, and the copy has made its context current.
            unsafe { sys::cuStreamSynchronize(stream.cu_stream()) }.result()
        });
        copied.inspect_err(|_| {
            if stream.context().make_current().is_ok() {
                // SAFETY: the stream's context is current.
                let _ = unsafe { sys::checked::cuCtxSynchronize() };
            }
        })
    }
}

pub(crate) fn num_bytes<T>(len: usize) -> Result<usize, DriverError> {
    len.checked_mul(size_of::<T>()).ok_or_else(|| {
        let cause = Cause::SizeOverflow { len, size: size_of::<T>() };
        Failure::refusal(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE, cause).into()
    })
}

/// The bytes of `len` elements that are to be allocated.
pub(crate) fn allocation_bytes<T>(len: usize) -> Result<usize, DriverError> {
    /// What the driver aligns an allocation to at least (CUDA C++ Programming Guide, "Device Memory Accesses").
    const ALIGNMENT: usize = 256;
    let bytes = num_bytes::<T>(len)?;
    if bytes != 0 && align_of::<T>() > ALIGNMENT {
        let cause = Cause::Alignment { alignment: align_of::<T>(), allocation: ALIGNMENT };
        return Err(Failure::refusal(sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE, cause).into());
    }
    Ok(bytes)
}

impl<T> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBuffer {{ address: {:#x}, len: {} }}", self.address, self.len)
    }
}

impl<T> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if self.address == 0 {
            return;
        }
        self.context.release(|| {
            let waited = self.wait_for_users();
            self.context.make_current()?;
            let Some(stream) = &self.stream else {
                // SAFETY: the buffer owns the allocation, and freeing waits for the device.
                return waited.and(unsafe { sys::checked::cuMemFree_v2(self.address) });
            };
            // Work with the buffer may be in any stream.
            // SAFETY: the context is current.
            let waited = waited.and(unsafe { sys::checked::cuCtxSynchronize() });
            // SAFETY: the buffer owns the allocation, its stream is alive, and the device is done with it, or broken.
            let freed = unsafe { sys::checked::cuMemFreeAsync(self.address, stream.cu_stream()) };
            waited.and(freed)
        });
    }
}
