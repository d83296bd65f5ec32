//! Every space of a disjoint slice: who gets which element, and who gets none.

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{DisjointSlice, Uniform, cuda_module, device, kernel, thread, uniform};
use cuda_host::RowWidth;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn along_x(mut out: DisjointSlice<u32>) {
        let index = thread::index_1d();
        let mark = if index.is_valid() { 1 + index.get() as u32 } else { 0 };
        if let Some(element) = out.get_mut(index) {
            *element = mark;
        }
    }

    #[kernel]
    pub fn fixed_rows(mut out: DisjointSlice<u32, thread::Index2D<10>>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = 1 + index.get() as u32;
        }
    }

    /// The width of the first slice chooses the threads, that of each slice the element.
    #[kernel]
    pub fn rows(mut out: DisjointSlice<u32, thread::Runtime2DIndex>, mut other: DisjointSlice<u16, thread::Runtime2DIndex>) {
        if let Some(index) = thread::index_2d_runtime(&out) {
            let mark = 1 + 100 * index.row() as u32 + index.col() as u32;
            if let Some(element) = out.get_mut(index) {
                *element = mark;
            }
        }
        if let Some(index) = thread::index_2d_runtime(&out)
            && let Some(element) = other.get_mut(index)
        {
            *element = out.row_width() as u16;
        }
    }

    #[kernel]
    pub fn warps(mut out: DisjointSlice<u32, thread::WarpIndex>) {
        if let Some(warp) = thread::warp_index() {
            add(&mut out, warp, 1 + thread::threadIdx_x());
        }
    }

    fn add(out: &mut DisjointSlice<u32, thread::WarpIndex>, warp: thread::ThreadIndex<'_, thread::WarpIndex>, value: u32) {
        if let Some(element) = out.get_mut(warp) {
            *element += value;
        }
    }

    #[device]
    fn own<'a>(out: &'a mut DisjointSlice<'_, u32>) -> Option<&'a mut u32> {
        let index = thread::index_1d();
        out.get_mut(index)
    }

    /// A slice made of a part of the memory is as disjoint as the whole.
    #[kernel]
    pub fn part(out: &mut [u32], skip: Uniform<u32>) {
        let part = &mut out[skip.get() as usize..];
        // SAFETY: nothing else uses the elements.
        let mut part = unsafe { DisjointSlice::<u32>::from_mut_slice(part) };
        if let Some(element) = own(&mut part) {
            *element = skip.wrapping_add(uniform::block_dim_x()).wrapping_mul_const::<2>().get();
        }
    }

    /// What has no bytes has no element of its own.
    #[kernel]
    pub fn nothing(mut out: DisjointSlice<()>, count: *mut u32) {
        if out.get_mut_indexed().is_some() || !out.is_empty() && out.get_mut(thread::index_1d()).is_some() {
            // SAFETY: no thread gets here.
            unsafe { *count = 1 };
        }
    }

    #[inline(never)]
    fn first_of<'a>(slices: &[&'a [u32]]) -> Option<&'a [u32]> {
        slices.first().copied()
    }

    /// A slice without elements is still there.
    #[kernel]
    pub fn empty(none: &[u32], mut out: DisjointSlice<u32>, mut also_none: DisjointSlice<u32>) {
        let Some((element, _)) = out.get_mut_indexed() else { return };
        *element = match (first_of(&[none]), also_none.get_mut_indexed()) {
            (Some(none), None) => 10 + none.len() as u32,
            _ => 0,
        };
    }

    #[derive(Clone, Copy)]
    pub struct Triple(pub [u8; 3]);

    // SAFETY: bytes.
    unsafe impl DeviceCopy for Triple {}

    #[kernel]
    pub fn odd_elements(mut out: DisjointSlice<Triple>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            element.0 = [index.get() as u8; 3];
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let line = LaunchConfig { grid_dim: (3, 1, 1), block_dim: (70, 1, 1), shared_mem_bytes: 0 };
    let plane = LaunchConfig { grid_dim: (3, 2, 1), block_dim: (4, 5, 1), shared_mem_bytes: 0 };
    let space = LaunchConfig { grid_dim: (3, 2, 2), block_dim: (4, 5, 1), shared_mem_bytes: 0 };
    let depth = LaunchConfig { block_dim: (4, 5, 2), ..plane };
    let zeros = |len| DeviceBuffer::<u32>::zeroed(&stream, len).unwrap();
    let read = |buffer: &DeviceBuffer<u32>| buffer.to_host_vec(&stream).unwrap();

    // SAFETY, here and below: the buffers are as long as the kernels expect, which check the shape of the launch themselves.
    let mut out = zeros(200);
    unsafe { module.along_x(&stream, line, &mut out) }.unwrap();
    assert_eq!(read(&out), (1..=200).collect::<Vec<_>>());
    for shape in [plane, space, depth] {
        let mut out = zeros(200);
        // SAFETY: as above.
        unsafe { module.along_x(&stream, shape, &mut out) }.unwrap();
        assert_eq!(read(&out), [0; 200]);
    }

    let mut out = zeros(75);
    // SAFETY: as above.
    unsafe { module.fixed_rows(&stream, plane, &mut out) }.unwrap();
    assert_eq!(read(&out), (1..=75).collect::<Vec<_>>());
    let mut out = zeros(75);
    // SAFETY: as above.
    unsafe { module.fixed_rows(&stream, depth, &mut out) }.unwrap();
    assert_eq!(read(&out), [0; 75]);

    // Twelve columns of threads and ten rows; rows of 11 and 7 elements, the last of them cut short.
    for (width, other_width) in [(11, 7), (7, 11), (12, 12), (20, 3), (0, 5), (5, 0)] {
        let (mut out, mut other) = (zeros(100), DeviceBuffer::<u16>::zeroed(&stream, 50).unwrap());
        // SAFETY: as above.
        unsafe { module.rows(&stream, plane, RowWidth::new(&mut out, width), RowWidth::new(&mut other, other_width)) }.unwrap();
        let (mut expected, mut expected_other) = (vec![0; 100], vec![0u16; 50]);
        for (row, column) in (0..10u32).flat_map(|row| (0..12u32.min(width)).map(move |column| (row, column))) {
            if let Some(element) = expected.get_mut((row * width + column) as usize) {
                *element = 1 + 100 * row + column;
            }
            if column < other_width
                && let Some(element) = expected_other.get_mut((row * other_width + column) as usize)
            {
                *element = width as u16;
            }
        }
        assert_eq!(read(&out), expected, "{width}");
        assert_eq!(other.to_host_vec(&stream).unwrap(), expected_other, "{width} {other_width}");
    }

    // Blocks of 70 threads have three warps each.
    let mut out = zeros(8);
    // SAFETY: as above.
    unsafe { module.warps(&stream, line, &mut out) }.unwrap();
    assert_eq!(read(&out), [1, 33, 65, 1, 33, 65, 1, 33]);
    // SAFETY: as above.
    unsafe { module.warps(&stream, plane, &mut out) }.unwrap();
    assert_eq!(read(&out), [1, 33, 65, 1, 33, 65, 1, 33]);

    let mut out = zeros(100);
    // SAFETY: each thread has a part of its own.
    unsafe { module.part(&stream, line, &mut out, 90) }.unwrap();
    let expected: Vec<u32> = (0..100).map(|i| if i < 90 { 0 } else { 320 }).collect();
    assert_eq!(read(&out), expected);

    let (mut units, count) = (DeviceBuffer::<()>::zeroed(&stream, 9).unwrap(), zeros(1));
    // SAFETY: as above.
    unsafe { module.nothing(&stream, line, &mut units, count.cu_deviceptr() as *mut u32) }.unwrap();
    assert_eq!(read(&count), [0]);

    let (none, mut also_none, mut out) = (zeros(0), zeros(0), zeros(1));
    // SAFETY: as above.
    unsafe { module.empty(&stream, line, &none, &mut out, &mut also_none) }.unwrap();
    assert_eq!(read(&out), [10]);

    let mut triples = DeviceBuffer::<kernels::Triple>::zeroed(&stream, 80).unwrap();
    // SAFETY: as above.
    unsafe { module.odd_elements(&stream, line, &mut triples) }.unwrap();
    assert!(triples.to_host_vec(&stream).unwrap().iter().zip(0..).all(|(triple, i)| triple.0 == [i; 3]));
    println!("SUCCESS: one, two and three dimensions, rows of the launch's width, warps, parts, no bytes");
}
