//! Copies and fills.

use std::{
    ffi::{c_uint, c_void},
    ptr,
};

use super::call::{Address, entry_points, list};
use crate::driver::{
    capture::enqueue,
    error::{Error, Result},
    handle::Handle,
    memory, queue, state,
    transfer::{Fill, Layout, Transfer, device_memory},
    work::Work,
};

/// `CUDA_MEMCPY2D`: one side of the copy.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Side2D {
    x: usize,
    y: usize,
    kind: c_uint,
    host: *const c_void,
    device: Address,
    array: Handle,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
pub struct Copy2D {
    from: Side2D,
    to: Side2D,
    width: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER` with a context in the place of `reserved`: one side of the copy.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Side3D {
    x: usize,
    y: usize,
    z: usize,
    lod: usize,
    kind: c_uint,
    host: *const c_void,
    device: Address,
    array: Handle,
    reserved: Handle,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy3D {
    from: Side3D,
    to: Side3D,
    width: usize,
    height: usize,
    depth: usize,
}

/// Where a side begins; arrays are not there.
fn place(kind: c_uint, host: *const c_void, device: Address, offset: Option<usize>) -> Result<Address> {
    // CU_MEMORYTYPE_HOST, …_DEVICE, …_ARRAY, …_UNIFIED
    let start = match kind {
        1 => host.expose_provenance() as u64,
        2 | 4 => device,
        3 => return Err(Error::NOT_SUPPORTED),
        _ => return Err(Error::INVALID_VALUE),
    };
    offset.and_then(|offset| start.checked_add(offset as u64)).filter(|_| start != 0).ok_or(Error::INVALID_VALUE)
}

impl Side3D {
    fn layout(&self, width: usize, height: usize) -> Result<Layout> {
        let (pitch, rows) = (if self.pitch == 0 { width } else { self.pitch }, if self.height == 0 { height } else { self.height });
        let slice = pitch.checked_mul(rows).ok_or(Error::INVALID_VALUE)?;
        if self.lod != 0 || pitch < width || (self.height != 0 && rows < height) {
            return Err(Error::INVALID_VALUE);
        }
        let rows = self.z.checked_mul(slice).zip(self.y.checked_mul(pitch)).and_then(|(z, y)| z.checked_add(y));
        let address = place(self.kind, self.host, self.device, rows.and_then(|rows| rows.checked_add(self.x)))?;
        Ok(Layout { address, pitch, slice })
    }

    fn of_2d(side: &Side2D) -> Self {
        let Side2D { x, y, kind, host, device, array, pitch } = *side;
        Self { x, y, z: 0, lod: 0, kind, host, device, array, reserved: ptr::null_mut(), pitch, height: 0 }
    }
}

impl Copy3D {
    /// The copy that it describes.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE`, `NOT_SUPPORTED` for arrays.
    pub fn work(&self) -> Result<Transfer> {
        let extent = [self.width, self.height, self.depth];
        if extent.contains(&0) {
            return checked(Transfer { to: Layout::row(0), from: Layout::row(0), extent, staged: None, to_pageable: false });
        }
        let [to, from] = [&self.to, &self.from].map(|side| side.layout(self.width, self.height));
        let (to, from) = (to?, from?);
        for (side, layout) in [(&self.to, to), (&self.from, from)] {
            if side.kind == 2 {
                device_memory(layout.address, self.width)?;
            }
        }
        checked(Transfer { to, from, extent, staged: None, to_pageable: false })
    }

    /// The description of a copy, as programs read it.
    pub fn of(copy: &Transfer) -> Self {
        let side = |layout: Layout| {
            let is_device = memory::find(layout.address).is_some();
            let host = ptr::with_exposed_provenance(layout.address as usize);
            let (kind, host, device) = if is_device { (2, ptr::null(), layout.address) } else { (1, host, 0) };
            let height = layout.slice.checked_div(layout.pitch).unwrap_or_default();
            let (array, reserved) = (ptr::null_mut(), ptr::null_mut());
            Side3D { x: 0, y: 0, z: 0, lod: 0, kind, host, device, array, reserved, pitch: layout.pitch, height }
        };
        let [width, height, depth] = copy.extent;
        Self { from: side(copy.from), to: side(copy.to), width, height, depth }
    }
}

impl Copy2D {
    fn work(&self) -> Result<Transfer> {
        let (from, to) = (Side3D::of_2d(&self.from), Side3D::of_2d(&self.to));
        Copy3D { from, to, width: self.width, height: self.height, depth: 1 }.work()
    }
}

fn checked(mut copy: Transfer) -> Result<Transfer> {
    copy.check()?;
    copy.to_pageable = memory::find(copy.to.address).is_none();
    Ok(copy)
}

/// A copy of one row.
fn row(to: Address, from: Address, bytes: usize) -> Result<Transfer> {
    checked(Transfer { to: Layout::row(to), from: Layout::row(from), extent: [bytes, 1, 1], staged: None, to_pageable: false })
}

fn host(address: *const c_void) -> Address {
    address.expose_provenance() as u64
}

/// When a call returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Returns {
    Queued,
    Completion,
}
use Returns::{Completion, Queued};

/// Queues a copy or a fill, in a stream of any context (CUDA C++ Programming Guide, "Stream and Event Behavior").
fn run(stream: Handle, work: impl FnOnce() -> Result<Work>, returns: Returns) -> Result<()> {
    let mut state = state::context()?;
    let stream = state.stream(stream)?;
    if returns == Completion {
        state.check_not_capturing(stream)?;
    }
    let (context, work) = (state.streams[&stream].context, work()?);
    let done = enqueue(state, stream, work, Vec::new())?;
    if returns == Completion {
        queue::wait(done.as_slice());
        return state::failure(context).map_or(Ok(()), Err);
    }
    Ok(())
}

fn copy(stream: Handle, work: impl FnOnce() -> Result<Transfer>, returns: Returns) -> Result<()> {
    run(stream, || work().map(|copy| Work::Copy(Box::new(copy))), returns)
}

fn to_device(to: Address, from: *const c_void, bytes: usize) -> Result<Transfer> {
    device_memory(to, bytes)?;
    row(to, host(from), bytes)
}

fn to_host(to: *mut c_void, from: Address, bytes: usize) -> Result<Transfer> {
    device_memory(from, bytes)?;
    row(host(to), from, bytes)
}

fn within_device(to: Address, from: Address, bytes: usize) -> Result<Transfer> {
    device_memory(to, bytes)?;
    to_device(to, ptr::with_exposed_provenance(from as usize), bytes).and_then(|copy| device_memory(from, bytes).map(|()| copy))
}

/// A copy between contexts, whose handles must be valid; they share one address space.
fn between(to: Address, to_context: Handle, from: Address, from_context: Handle, bytes: usize) -> Result<Transfer> {
    for (address, context) in [(to, to_context), (from, from_context)] {
        let found = memory::properties(address).filter(|_| bytes > 0);
        let device = state::internal().contexts.get(&context.addr()).map(|context| context.device).ok_or(Error::INVALID_CONTEXT)?;
        if found.is_some_and(|found| found.owner.device != device) {
            return Err(Error::INVALID_VALUE);
        }
    }
    within_device(to, from, bytes)
}

/// Rows of elements.
fn fill(stream: Handle, to: Layout, value: u32, size: usize, [count, rows]: [usize; 2], returns: Returns) -> Result<()> {
    let fill = Fill { to, value, size, count, rows };
    run(stream, || fill.check().map(|()| Work::Fill(fill)), returns)
}

fn rows(address: Address, pitch: usize) -> Layout {
    Layout { address, pitch, slice: 0 }
}

/// The default stream, for calls that name none.
const DEFAULT: Handle = ptr::null_mut();

entry_points! {
    fn cuMemcpy / cuMemcpy_ptds(to: Address, from: Address, bytes: usize) since 4000 { copy(DEFAULT, || row(to, from, bytes), Completion) }
    fn cuMemcpyAsync / cuMemcpyAsync_ptsz(to: Address, from: Address, bytes: usize, stream: Handle) since 4000 { copy(stream, || row(to, from, bytes), Queued) }
    fn cuMemcpyHtoD_v2 / cuMemcpyHtoD_v2_ptds(to: Address, from: *const c_void, bytes: usize) since 3020 { copy(DEFAULT, || to_device(to, from, bytes), Completion) }
    fn cuMemcpyHtoDAsync_v2 / cuMemcpyHtoDAsync_v2_ptsz(to: Address, from: *const c_void, bytes: usize, stream: Handle) since 3020 {
        copy(stream, || to_device(to, from, bytes), Queued)
    }
    fn cuMemcpyDtoH_v2 / cuMemcpyDtoH_v2_ptds(to: *mut c_void, from: Address, bytes: usize) since 3020 { copy(DEFAULT, || to_host(to, from, bytes), Completion) }
    fn cuMemcpyDtoHAsync_v2 / cuMemcpyDtoHAsync_v2_ptsz(to: *mut c_void, from: Address, bytes: usize, stream: Handle) since 3020 {
        copy(stream, || to_host(to, from, bytes), Queued)
    }
    fn cuMemcpyDtoD_v2 / cuMemcpyDtoD_v2_ptds(to: Address, from: Address, bytes: usize) since 3020 { copy(DEFAULT, || within_device(to, from, bytes), Completion) }
    fn cuMemcpyDtoDAsync_v2 / cuMemcpyDtoDAsync_v2_ptsz(to: Address, from: Address, bytes: usize, stream: Handle) since 3020 {
        copy(stream, || within_device(to, from, bytes), Queued)
    }
    fn cuMemcpyPeer / cuMemcpyPeer_ptds(to: Address, to_context: Handle, from: Address, from_context: Handle, bytes: usize) since 4000 {
        let work = between(to, to_context, from, from_context, bytes)?;
        copy(DEFAULT, || Ok(work), Completion)
    }
    fn cuMemcpyPeerAsync / cuMemcpyPeerAsync_ptsz(
        to: Address, to_context: Handle, from: Address, from_context: Handle, bytes: usize, stream: Handle,
    ) since 4000 {
        let work = between(to, to_context, from, from_context, bytes)?;
        copy(stream, || Ok(work), Queued)
    }
    fn cuMemcpy2D_v2 / cuMemcpy2D_v2_ptds(work: *const Copy2D) since 3020 { copy(DEFAULT, || work.as_ref().ok_or(Error::INVALID_VALUE)?.work(), Completion) }
    fn cuMemcpy2DUnaligned_v2 / cuMemcpy2DUnaligned_v2_ptds(work: *const Copy2D) since 3020 {
        copy(DEFAULT, || work.as_ref().ok_or(Error::INVALID_VALUE)?.work(), Completion)
    }
    fn cuMemcpy2DAsync_v2 / cuMemcpy2DAsync_v2_ptsz(work: *const Copy2D, stream: Handle) since 3020 {
        copy(stream, || work.as_ref().ok_or(Error::INVALID_VALUE)?.work(), Queued)
    }
    fn cuMemcpy3D_v2 / cuMemcpy3D_v2_ptds(work: *const Copy3D) since 3020 { copy(DEFAULT, || work.as_ref().ok_or(Error::INVALID_VALUE)?.work(), Completion) }
    fn cuMemcpy3DAsync_v2 / cuMemcpy3DAsync_v2_ptsz(work: *const Copy3D, stream: Handle) since 3020 {
        copy(stream, || work.as_ref().ok_or(Error::INVALID_VALUE)?.work(), Queued)
    }
    fn cuMemcpy3DPeer / cuMemcpy3DPeer_ptds(work: *const Copy3D) since 4000 { copy(DEFAULT, || work.as_ref().ok_or(Error::INVALID_VALUE)?.work(), Completion) }
    fn cuMemcpy3DPeerAsync / cuMemcpy3DPeerAsync_ptsz(work: *const Copy3D, stream: Handle) since 4000 {
        copy(stream, || work.as_ref().ok_or(Error::INVALID_VALUE)?.work(), Queued)
    }
    // Attributes say where the memory is and when a source is read, which is before a copy returns.
    fn cuMemcpyBatchAsync_v2 / cuMemcpyBatchAsync_v2_ptsz(
        to: *const Address, from: *const Address, bytes: *const usize, count: usize, _attributes: *const c_void, _places: *const usize,
        _attribute_count: usize, stream: Handle,
    ) since 13000 {
        if count == 0 || stream.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let (to, from, bytes) = (list(to, count)?, list(from, count)?, list(bytes, count)?);
        (0..count).try_for_each(|number| copy(stream, || row(to[number], from[number], bytes[number]), Queued))
    }

    fn cuMemsetD8_v2 / cuMemsetD8_v2_ptds(to: Address, value: u8, count: usize) since 3020 { fill(DEFAULT, rows(to, 0), value.into(), 1, [count, 1], Completion) }
    fn cuMemsetD8Async / cuMemsetD8Async_ptsz(to: Address, value: u8, count: usize, stream: Handle) since 3020 {
        fill(stream, rows(to, 0), value.into(), 1, [count, 1], Queued)
    }
    fn cuMemsetD16_v2 / cuMemsetD16_v2_ptds(to: Address, value: u16, count: usize) since 3020 { fill(DEFAULT, rows(to, 0), value.into(), 2, [count, 1], Completion) }
    fn cuMemsetD16Async / cuMemsetD16Async_ptsz(to: Address, value: u16, count: usize, stream: Handle) since 3020 {
        fill(stream, rows(to, 0), value.into(), 2, [count, 1], Queued)
    }
    fn cuMemsetD32_v2 / cuMemsetD32_v2_ptds(to: Address, value: u32, count: usize) since 3020 { fill(DEFAULT, rows(to, 0), value, 4, [count, 1], Completion) }
    fn cuMemsetD32Async / cuMemsetD32Async_ptsz(to: Address, value: u32, count: usize, stream: Handle) since 3020 {
        fill(stream, rows(to, 0), value, 4, [count, 1], Queued)
    }
    fn cuMemsetD2D8_v2 / cuMemsetD2D8_v2_ptds(to: Address, pitch: usize, value: u8, width: usize, height: usize) since 3020 {
        fill(DEFAULT, rows(to, pitch), value.into(), 1, [width, height], Completion)
    }
    fn cuMemsetD2D8Async / cuMemsetD2D8Async_ptsz(to: Address, pitch: usize, value: u8, width: usize, height: usize, stream: Handle) since 3020 {
        fill(stream, rows(to, pitch), value.into(), 1, [width, height], Queued)
    }
    fn cuMemsetD2D16_v2 / cuMemsetD2D16_v2_ptds(to: Address, pitch: usize, value: u16, width: usize, height: usize) since 3020 {
        fill(DEFAULT, rows(to, pitch), value.into(), 2, [width, height], Completion)
    }
    fn cuMemsetD2D16Async / cuMemsetD2D16Async_ptsz(to: Address, pitch: usize, value: u16, width: usize, height: usize, stream: Handle) since 3020 {
        fill(stream, rows(to, pitch), value.into(), 2, [width, height], Queued)
    }
    fn cuMemsetD2D32_v2 / cuMemsetD2D32_v2_ptds(to: Address, pitch: usize, value: u32, width: usize, height: usize) since 3020 {
        fill(DEFAULT, rows(to, pitch), value, 4, [width, height], Completion)
    }
    fn cuMemsetD2D32Async / cuMemsetD2D32Async_ptsz(to: Address, pitch: usize, value: u32, width: usize, height: usize, stream: Handle) since 3020 {
        fill(stream, rows(to, pitch), value, 4, [width, height], Queued)
    }
}
