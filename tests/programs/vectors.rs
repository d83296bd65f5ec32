//! Vectors are moved by one instruction, sets of registers are values, and a swizzled tile is read in its own order.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    CuSimd, DisjointSlice, Float4, SharedArray, access, cuda_module, kernel,
    swizzle::Swizzle,
    thread,
    vector::{F32x4, U16x8, U32x2, Vector, as_vectors, as_vectors_mut},
};

const TILE: usize = 32;
type Diagonal = Swizzle<5, 0, 5>;

#[cuda_module]
mod kernels {
    use super::*;

    /// One access of 16 bytes each way.
    #[kernel]
    pub fn double(input: &[f32], out: &mut [f32]) {
        let i = thread::index_2d_col();
        let (Some(input), Some(out)) = (as_vectors::<F32x4>(input), as_vectors_mut::<F32x4>(out)) else { return };
        if let (Some(&from), Some(to)) = (input.get(i), out.get_mut(i)) {
            *to = F32x4::new(from.to_array().map(|lane| 2.0 * lane));
        }
    }

    /// Lengths that hold no whole number of vectors have none.
    #[kernel]
    pub fn viewable(whole: &[u32], odd: &[u32], mut out: DisjointSlice<u32>) {
        let Some((out, _)) = out.get_mut_indexed() else { return };
        *out = as_vectors::<U32x2>(whole).map_or(0, |vectors| vectors.len() as u32) + 100 * u32::from(as_vectors::<U32x2>(odd).is_some());
    }

    #[kernel]
    pub fn halves(input: &[u16], mut out: DisjointSlice<u32>) {
        let Some((out, index)) = out.get_mut_indexed() else { return };
        if let Some(vectors) = as_vectors::<U16x8>(input) {
            *out = vectors[index.get()].as_slice().iter().map(|lane| u32::from(*lane)).sum();
        }
    }

    #[kernel]
    pub fn registers(mut out: DisjointSlice<f32>) {
        let Some((out, index)) = out.get_mut_indexed() else { return };
        let i = index.get();
        let values = Float4::new([i as f32, 1.0, 2.0, 3.0]);
        let sums: CuSimd<f32, 2> = CuSimd::new([values.x() + values.hi().x(), values.get::<1>() + values[3]]);
        *out = sums.at(i % 2);
    }

    /// Transposes a tile through shared memory in which neither rows nor columns meet in a bank.
    #[kernel]
    pub fn transpose(input: &[u32], mut out: DisjointSlice<u32, thread::Index2D<TILE>>) {
        static mut STAGE: SharedArray<u32, { TILE * TILE }> = SharedArray::UNINIT;
        let (row, column) = (thread::threadIdx_y() as usize, thread::threadIdx_x() as usize);
        let stage = &raw mut STAGE;
        // SAFETY: each thread writes an element of its own, and all of them before any is read.
        unsafe {
            (&mut *stage)[Diagonal::apply(row * TILE + column)] = input[row * TILE + column];
            thread::sync_threads();
            if let Some((out, _)) = out.get_mut_indexed() {
                *out = (&*stage)[Diagonal::apply(column * TILE + row)];
            }
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let plan = access::widest::<f32>(256, 64).unwrap();
    assert_eq!(plan.elems_per_thread, F32x4::LANES);
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    let square = LaunchConfig { block_dim: (TILE as u32, TILE as u32, 1), ..config };

    let numbers: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let input = DeviceBuffer::from_host(&stream, &numbers).unwrap();
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 256).unwrap();
    // SAFETY: every thread writes its own vector.
    unsafe { module.double(&stream, config, &input, &mut out) }.unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), numbers.iter().map(|x| 2.0 * x).collect::<Vec<_>>());

    let words: Vec<u32> = (0..TILE as u32 * TILE as u32).collect();
    let whole = DeviceBuffer::from_host(&stream, &words).unwrap();
    let odd = DeviceBuffer::from_host(&stream, &words[..7]).unwrap();
    let mut counts = DeviceBuffer::<u32>::zeroed(&stream, 64).unwrap();
    // SAFETY: the launches are of the shape that the kernels ask for, with long enough buffers.
    unsafe { module.viewable(&stream, config, &whole, &odd, &mut counts) }.unwrap();
    assert_eq!(counts.to_host_vec(&stream).unwrap(), [TILE as u32 * TILE as u32 / 2; 64]);

    let halves: Vec<u16> = (0..512).collect();
    let shorts = DeviceBuffer::from_host(&stream, &halves).unwrap();
    // SAFETY: as above.
    unsafe { module.halves(&stream, config, &shorts, &mut counts) }.unwrap();
    let sums: Vec<u32> = halves.chunks(8).map(|lanes| lanes.iter().map(|lane| u32::from(*lane)).sum()).collect();
    assert_eq!(counts.to_host_vec(&stream).unwrap(), sums);

    let mut sums = DeviceBuffer::<f32>::zeroed(&stream, 64).unwrap();
    // SAFETY: as above.
    unsafe { module.registers(&stream, config, &mut sums) }.unwrap();
    let expected: Vec<f32> = (0..64).map(|i| if i % 2 == 0 { i as f32 + 2.0 } else { 4.0 }).collect();
    assert_eq!(sums.to_host_vec(&stream).unwrap(), expected);

    let mut transposed = DeviceBuffer::<u32>::zeroed(&stream, words.len()).unwrap();
    // SAFETY: as above.
    unsafe { module.transpose(&stream, square, &whole, &mut transposed) }.unwrap();
    let expected: Vec<u32> = (0..words.len()).map(|i| words[i % TILE * TILE + i / TILE]).collect();
    assert_eq!(transposed.to_host_vec(&stream).unwrap(), expected);

    let ptx = std::fs::read_to_string("vectors.ptx").unwrap();
    let double = body(&ptx, "double");
    for access in ["ld.global", "st.global"] {
        let accesses: Vec<&str> = double.lines().filter(|line| line.contains(access)).collect();
        assert!(matches!(accesses[..], [one] if one.contains(".v4") || one.contains(".v2.b64")), "{accesses:?}");
    }
    println!("SUCCESS: vectors of 16 bytes, {} registers, a tile of {TILE} by {TILE}", Float4::default().len());
}

/// The text of one kernel.
fn body<'a>(ptx: &'a str, kernel: &str) -> &'a str {
    let from = ptx.find(&format!(".entry {kernel}(")).unwrap();
    &ptx[from..from + ptx[from..].find("\n}").unwrap()]
}
