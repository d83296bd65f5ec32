//! Arithmetic of banks, lines and fragments in kernels, where it gives what it gives on the host, and kernels generic over a policy, whose
//! constants are lengths of arrays, bounds of the launch, tiles and plans.
#![feature(generic_const_exprs)]
#![allow(incomplete_features)]

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice, SharedArray,
    access::{self, AccessPlan},
    config::{
        Atom, AtomKind, AtomSpec, Block, ColumnMajor, Layout, MemorySpace, Policy, PolicyId, Register, RowMajor, Scope, Shape, Shape1,
        Shape2, Shape3, Shared, Tile, TileSpec, Warp,
    },
    cuda_module, kernel, launch_bounds, mma_frag,
    swizzle::{self, Swizzle},
    thread,
};

const LANES: usize = 32;
const FACTS: usize = 16;

/// What both sides compute from a lane's number and a stride: `black_box` keeps it from being a constant.
#[inline]
fn facts(lane: usize, stride: usize) -> [usize; FACTS] {
    let (column, row) = (swizzle::column_offsets(stride, lane % 7), swizzle::row_offsets(lane, stride));
    let swizzled = column.map(Swizzle::<3, 2, 3>::apply);
    let plan = access::plan_for_elem_size(1 << (lane % 4), access::TXN_64, stride);
    let j = lane % mma_frag::ACC_PER_LANE;
    let (frag_row, frag_col) = mma_frag::acc_coords(lane, j);
    let offset = mma_frag::acc_offset(lane, j);
    let mask = mma_frag::acc_valid_mask(lane, stride % 17, lane % 9);
    [
        swizzle::conflict_degree(&column, 4),
        swizzle::conflict_degree(&swizzled, 4),
        swizzle::banks_used(&row, 1 << (lane % 4)),
        swizzle::bank_of(column[lane], 2),
        Swizzle::<2, 4, 3>::apply(lane * stride) - Swizzle::<2, 4, 3>::undo(0),
        access::lines_touched(&column, 8),
        access::wasted_lines(&row, 4) * 100 + access::minimum_lines(stride * lane),
        usize::from(access::is_fully_coalesced(&row, 4)),
        plan.map_or(999, |plan| plan.elems_per_block + plan.elems_per_thread * 1000 + plan.align * 100_000),
        plan.and_then(|plan| plan.min_extent(16)).unwrap_or(998),
        plan.and_then(|plan| plan.passes_for_tile(stride * 64)).unwrap_or(997),
        frag_row * 100 + frag_col,
        offset,
        mma_frag::acc_decode(offset + lane / 31 * 128).map_or(996, |(lane, j)| lane * 10 + j),
        mask as usize * 2 + usize::from(mma_frag::acc_mask_is_uniform(mask)),
        mma_frag::acc_valid_count(stride % 17, lane % 9) * 10_000 + mma_frag::acc_matrix_offset(lane, j, 16, 8, stride),
    ]
}

struct Multiply;
impl AtomKind for Multiply {}

trait Tuning: Policy {
    const THREADS: usize;
    const EACH: usize;
    type Stage: TileSpec<MemorySpace = Shared, Scope = Block>;
    type Product: AtomSpec<Kind = Multiply, Scope = Warp>;
    const PLAN: AccessPlan = access::widest::<f32>(Self::THREADS * Self::EACH, Self::THREADS).unwrap();
}

/// Two ways, of other lengths, bounds, shapes and layouts.
enum Narrow {}
enum Wide {}

impl Policy for Narrow {
    const ID: PolicyId = PolicyId::new(7, 1);
}

impl Policy for Wide {
    const ID: PolicyId = PolicyId::new(7, 2);
}

impl Tuning for Narrow {
    const THREADS: usize = 32;
    const EACH: usize = 2;
    type Stage = Tile<Shape2<4, 16>, RowMajor, Shared, Block>;
    type Product = Atom<Multiply, Shape3<16, 8, 8>, Warp>;
}

impl Tuning for Wide {
    const THREADS: usize = 64;
    const EACH: usize = 4;
    type Stage = Tile<Shape1<256>, ColumnMajor, Shared, Block>;
    type Product = Atom<Multiply, Shape3<16, 8, 16>, Warp>;
}

/// Whoever writes a word of its own can use it as the given ones.
struct Blocked;
impl Layout for Blocked {}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn compute(stride: usize, mut out: DisjointSlice<[usize; FACTS]>) {
        if let Some((out, index)) = out.get_mut_indexed() {
            *out = facts(index.get(), core::hint::black_box(stride));
        }
    }

    /// Each thread adds what it has of a stage; the numbers say which policy it was.
    #[kernel]
    #[launch_bounds(P::THREADS as u32, 1)]
    pub fn tuned<P: Tuning>(input: &[f32], mut out: DisjointSlice<[f32; 3]>)
    where
        [(); P::EACH]:,
    {
        let first = thread::threadIdx_x() as usize * P::EACH;
        let mut own = [0.0_f32; P::EACH];
        for (i, own) in own.iter_mut().enumerate() {
            *own = input[first + i];
        }
        if let Some((out, _)) = out.get_mut_indexed() {
            let [rows, columns, planes] = <P::Stage as TileSpec>::Shape::EXTENTS;
            let depth = <P::Product as AtomSpec>::Shape::EXTENTS[2];
            *out = [
                own.iter().sum(),
                (P::ID.value() as usize * 1_000 + P::PLAN.txn_bytes * 10 + usize::from(<P::Stage as TileSpec>::Shape::RANK)) as f32,
                (rows * columns * planes + depth) as f32,
            ];
        }
    }

    /// A tile is written by rows and read by columns, of which a swizzle makes accesses that do not conflict.
    #[kernel]
    pub fn transposed(input: &[u32], mut out: DisjointSlice<u32>) {
        type Permutation = Swizzle<5, 0, 5>;
        const COLUMN: [usize; LANES] = swizzle::column_offsets(LANES, 0);
        const _: () = assert!(swizzle::conflict_degree(&COLUMN, 4) == LANES);
        static mut TILE: SharedArray<u32, { LANES * LANES }> = SharedArray::UNINIT;
        let lane = thread::threadIdx_x() as usize;
        // SAFETY: the address of a static.
        let tile = unsafe { SharedArray::as_raw_mut_ptr(&raw mut TILE) };
        for row in 0..LANES {
            // SAFETY: each lane writes a column of its own.
            unsafe { tile.add(Permutation::apply(row * LANES + lane)).write(input[row * LANES + lane]) };
        }
        thread::sync_threads();
        for row in 0..LANES {
            // SAFETY: everything is written, and each lane writes elements of its own.
            unsafe { *out.get_unchecked_mut(row * LANES + lane) = tile.add(Permutation::apply(COLUMN[lane] + row)).read() };
        }
    }
}

fn kinds<T: TileSpec>() -> (u8, Option<usize>)
where
    T::Layout: Layout,
    T::MemorySpace: MemorySpace,
    T::Scope: Scope,
{
    (T::Shape::RANK, T::Shape::ELEMENTS)
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let line = |threads: usize| LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads as u32, 1, 1), shared_mem_bytes: 0 };

    for stride in [1, 8, 31, 32, 33, 64] {
        let mut out = DeviceBuffer::<[usize; FACTS]>::zeroed(&stream, LANES).unwrap();
        // SAFETY: the kernel checks its indices.
        unsafe { module.compute(&stream, line(LANES), stride, &mut out) }.unwrap();
        for (lane, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
            assert_eq!(found, facts(lane, stride), "lane {lane}, stride {stride}");
        }
    }
    // Some of them by hand: a column in one bank and after the swizzle in eight of them; its 32 lines.
    let by_hand = facts(0, 32);
    assert_eq!((by_hand[0], by_hand[1], by_hand[5]), (32, 4, 32));
    assert_eq!((facts(5, 1)[11], facts(31, 32)[12], facts(31, 32)[13]), (102 + 1, 127, 996));

    let numbers: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let input = DeviceBuffer::from_host(&stream, &numbers).unwrap();
    let mut out = DeviceBuffer::<[f32; 3]>::zeroed(&stream, 32).unwrap();
    // SAFETY: as above.
    unsafe { module.tuned::<Narrow>(&stream, line(32), &input, &mut out) }.unwrap();
    let narrow: Vec<_> = (0..32).map(|i| [(4 * i + 1) as f32, 1_000.0 + 80.0 + 2.0, 64.0 + 8.0]).collect();
    assert_eq!(out.to_host_vec(&stream).unwrap(), narrow);
    let mut out = DeviceBuffer::<[f32; 3]>::zeroed(&stream, 64).unwrap();
    // SAFETY: as above.
    unsafe { module.tuned::<Wide>(&stream, line(64), &input, &mut out) }.unwrap();
    let wide: Vec<_> = (0..64).map(|i| [(16 * i + 6) as f32, 2_000.0 + 160.0 + 1.0, 256.0 + 16.0]).collect();
    assert_eq!(out.to_host_vec(&stream).unwrap(), wide);
    assert_eq!(kinds::<Tile<Shape2<3, 5>, Blocked, Register, Warp>>(), (2, Some(15)));

    let words: Vec<u32> = (0..1024).collect();
    let input = DeviceBuffer::from_host(&stream, &words).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 1024).unwrap();
    // SAFETY: one warp, and a whole tile.
    unsafe { module.transposed(&stream, line(LANES), &input, &mut out) }.unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), (0..1024).map(|i| i % 32 * 32 + i / 32).collect::<Vec<u32>>());
    println!("SUCCESS: banks, lines, fragments, and policies that tune a kernel");
}
