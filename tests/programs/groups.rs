//! Cooperative groups: tiles of a warp, the active lanes, and blocks whose last warp lacks lanes.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice, SharedArray,
    cooperative_groups::{
        ThreadGroup, WarpCollective, block_reduce, block_scan, coalesced_threads,
        ops::{BitAnd, BitOr, BitXor, Max, Min, ReduceOp, Sum},
        this_grid, this_thread_block, warp_reduce, warp_scan,
    },
    cuda_module, kernel, thread,
};

const TILE_RESULTS: usize = 18;
const SHUFFLES: usize = 15;

#[cuda_module]
mod kernels {
    use super::*;

    /// All collectives of a tile of `N` lanes.
    #[kernel]
    pub fn tiles<const N: u32>(values: &[u32], out: &mut [[u32; TILE_RESULTS]]) {
        let block = this_thread_block();
        let tile = block.tiled_partition::<N>();
        let i = block.thread_rank() as usize;
        let value = values[i];
        let float = value as f32;
        out[i] = [
            tile.size(),
            tile.thread_rank(),
            tile.ballot(value % 3 == 0),
            u32::from(tile.all(value < 20)),
            u32::from(tile.any(value == 5)),
            tile.shfl(value, 1),
            tile.shfl(value, N),
            tile.shfl_xor(value, 2),
            tile.shfl_down(value, 3),
            tile.shfl_up(value, u32::MAX),
            tile.shfl_up_f32(float, 1) as u32,
            tile.shfl_xor_f32(float, 1) as u32,
            tile.match_any(value % 4),
            tile.match_all_i64(u64::from(value / 32) << 40),
            warp_reduce::<u32, Sum, N>(&tile, value),
            warp_reduce::<i32, Min, N>(&tile, 10 - value as i32).cast_unsigned(),
            warp_scan::<f32, Sum, N>(&tile, float) as u32,
            warp_scan::<u32, BitXor, N>(&tile, 1 << (value % 32)),
        ];
        tile.sync();
    }

    /// The lanes whose value is odd, and the others, one after the other.
    #[kernel]
    pub fn coalesced(values: &[u32], out: &mut [[u32; 6]]) {
        let i = thread::index_2d_col();
        let value = values[i];
        if value % 2 == 1 {
            let group = coalesced_threads();
            out[i] = [
                group.raw_mask(),
                group.size(),
                group.thread_rank(),
                group.shfl(value, group.size() - 1),
                group.shfl_down(value, 1),
                group.ballot(value > 9),
            ];
            group.sync();
        }
    }

    /// Shuffles by ranks and by lanes among every second lane, every third, and so on.
    #[kernel]
    pub fn shuffles(values: &[u32], step: u32, out: &mut [[u32; SHUFFLES]]) {
        let i = thread::index_2d_col();
        if i as u32 % step != 0 {
            return;
        }
        let value = values[i];
        let group = coalesced_threads();
        out[i] = [
            group.raw_mask(),
            group.shfl(value, 2),
            group.shfl(value, group.size()),
            group.shfl_xor(value, 1),
            group.shfl_xor(value, 6),
            group.shfl_xor(value, 32),
            group.shfl_down(value, 1),
            group.shfl_down(value, 2),
            group.shfl_down(value, u32::MAX),
            group.shfl_up(value, 2),
            group.shfl_up(value, 3),
            group.shfl_xor_f32(value as f32, 4) as u32,
            group.shfl_down_f32(value as f32, 4) as u32,
            group.shfl_up_f32(value as f32, 1) as u32,
            group.shfl_f32(value as f32, 3) as u32,
        ];
    }

    /// Blocks of every shape, in two of which the last warp lacks lanes.
    #[kernel]
    pub fn blocks(values: &[u32], mut out: DisjointSlice<[u32; 6]>) {
        static mut FIRST: SharedArray<u32, 4> = SharedArray::UNINIT;
        static mut SECOND: SharedArray<f32, 8> = SharedArray::UNINIT;
        let (block, grid) = (this_thread_block(), this_grid());
        let rank = grid.thread_rank() as usize;
        let value = values[rank];
        let sum = block_reduce::<u32, Sum, 4>(&block, value, &raw mut FIRST);
        block.sync();
        let bits = block_reduce::<u32, BitOr, 4>(&block, 1 << (value % 32), &raw mut FIRST);
        let most = block_reduce::<f32, Max, 8>(&block, value as f32, &raw mut SECOND) as u32;
        block.sync();
        let before = block_scan::<u32, Sum, 4>(&block, value, &raw mut FIRST);
        // SAFETY: each thread has a rank of its own.
        *unsafe { out.get_unchecked_mut(rank) } = [sum, bits, most, before, block.size(), grid.num_blocks() * 1000 + grid.block_rank()];
    }
}

/// What a lane of a group should see in `shuffles`.
fn expected_of_lanes(values: &[u32], mask: u32, lane: usize) -> [u32; SHUFFLES] {
    let members: Vec<usize> = (0..32).filter(|lane| mask >> lane & 1 == 1).collect();
    let of_lane = |other: usize| values[if members.contains(&other) { other } else { lane }];
    let of_rank = |rank: usize| values[members.get(rank).copied().unwrap_or(lane)];
    [
        mask,
        of_rank(2),
        values[lane],
        of_lane(lane ^ 1),
        of_lane(lane ^ 6),
        values[lane],
        of_lane(lane + 1),
        of_lane(lane + 2),
        values[lane],
        of_lane(lane.wrapping_sub(2)),
        of_lane(lane.wrapping_sub(3)),
        of_lane(lane ^ 4),
        of_lane(lane + 4),
        of_lane(lane.wrapping_sub(1)),
        of_rank(3),
    ]
}

/// What the tiles should find out about `values` of one warp, thread by thread.
fn expected_of_tiles(values: &[u32], n: usize) -> Vec<[u32; TILE_RESULTS]> {
    let fold = |values: &[u32], f: &dyn Fn(u32, u32) -> u32| values.iter().copied().reduce(f).unwrap();
    (0..values.len())
        .map(|i| {
            let (first, rank, value) = (i / n * n, i % n, values[i]);
            let tile = &values[first..first + n];
            let of = |rank: usize| tile.get(rank).copied().unwrap_or(value);
            let bits = |holds: &dyn Fn(u32) -> bool| (0..n).filter(|&k| holds(tile[k])).map(|k| 1 << k).sum::<u32>();
            [
                n as u32,
                rank as u32,
                bits(&|v| v % 3 == 0),
                u32::from(tile.iter().all(|v| *v < 20)),
                u32::from(tile.contains(&5)),
                of(1),
                value,
                of(rank ^ 2),
                of(rank + 3),
                value,
                if rank == 0 { value } else { of(rank - 1) },
                of(rank ^ 1),
                bits(&|v| v % 4 == value % 4) << (first % 32),
                if tile.iter().all(|v| v / 32 == tile[0] / 32) { bits(&|_| true) << (first % 32) } else { 0 },
                fold(tile, &|a, b| a + b),
                (10 - fold(tile, &u32::max) as i32).cast_unsigned(),
                fold(&tile[..=rank], &|a, b| a + b),
                fold(&tile[..=rank].iter().map(|v| 1 << (v % 32)).collect::<Vec<_>>(), &|a, b| a ^ b),
            ]
        })
        .collect()
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let numbers: Vec<u32> = (0..240u32).map(|i| i * 7 % 23 + i / 64 * 16).collect();
    let values = DeviceBuffer::from_host(&stream, &numbers).unwrap();
    let warps = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 3, 1), shared_mem_bytes: 0 };

    macro_rules! check_tiles {
        ($($n:literal)*) => {$({
            let mut out = DeviceBuffer::<[u32; TILE_RESULTS]>::zeroed(&stream, 96).unwrap();
            // SAFETY: each thread writes an element of its own.
            unsafe { module.tiles::<$n>(&stream, warps, &values, &mut out) }.unwrap();
            for (i, (found, expected)) in out.to_host_vec(&stream).unwrap().iter().zip(expected_of_tiles(&numbers[..96], $n)).enumerate() {
                assert_eq!(*found, expected, "tiles of {}, thread {i}", $n);
            }
        })*};
    }
    check_tiles!(1 2 4 8 16 32);

    let mut out = DeviceBuffer::<[u32; 6]>::zeroed(&stream, 64).unwrap();
    let line = LaunchConfig { block_dim: (32, 1, 1), grid_dim: (2, 1, 1), ..warps };
    // SAFETY: as above.
    unsafe { module.coalesced(&stream, line, &values, &mut out) }.unwrap();
    for (i, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
        let warp = &numbers[i / 32 * 32..i / 32 * 32 + 32];
        if numbers[i] % 2 == 0 {
            assert_eq!(found, [0; 6]);
            continue;
        }
        // Lanes of one way may run in several groups: what a group says of itself must fit together.
        let [mask, size, rank, last, next, ballot] = found;
        let lanes: Vec<usize> = (0..32).filter(|lane| mask >> lane & 1 == 1).collect();
        assert!(lanes.iter().all(|lane| warp[*lane] % 2 == 1) && lanes.contains(&(i % 32)), "{mask:b}");
        let own = lanes.iter().position(|lane| *lane == i % 32).unwrap();
        assert_eq!((size as usize, rank as usize, last), (lanes.len(), own, warp[lanes[lanes.len() - 1]]));
        assert_eq!(next, warp[if lanes.contains(&(i % 32 + 1)) { i % 32 + 1 } else { i % 32 }]);
        assert_eq!(ballot, lanes.iter().enumerate().map(|(rank, lane)| u32::from(warp[*lane] > 9) << rank).sum());
    }

    for step in 1..6 {
        let mut out = DeviceBuffer::<[u32; SHUFFLES]>::zeroed(&stream, 32).unwrap();
        // SAFETY: as above.
        unsafe { module.shuffles(&stream, LaunchConfig { grid_dim: (1, 1, 1), ..line }, &values, step, &mut out) }.unwrap();
        for (lane, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
            if lane as u32 % step != 0 {
                assert_eq!(found, [0; SHUFFLES]);
                continue;
            }
            let mask = found[0];
            assert!(mask >> lane & 1 == 1 && (0..32).all(|other| mask >> other & 1 == 0 || other % step == 0), "{mask:b}");
            assert_eq!(found, expected_of_lanes(&numbers, mask, lane), "every lane of {step}, lane {lane}");
        }
    }

    for (grid_dim, block_dim) in [((2, 1, 1), (100, 1, 1)), ((1, 2, 2), (5, 4, 3)), ((3, 1, 1), (64, 1, 1)), ((6, 1, 1), (1, 1, 1))] {
        let size = (block_dim.0 * block_dim.1 * block_dim.2) as usize;
        let blocks = grid_dim.0 * grid_dim.1 * grid_dim.2;
        let total = size * blocks as usize;
        let mut out = DeviceBuffer::<[u32; 6]>::zeroed(&stream, total).unwrap();
        // SAFETY: as above.
        unsafe { module.blocks(&stream, LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0 }, &values, &mut out) }.unwrap();
        for (i, found) in out.to_host_vec(&stream).unwrap().into_iter().enumerate() {
            let block = &numbers[i / size * size..i / size * size + size];
            let bits = block.iter().fold(0, |bits, v| <BitOr as ReduceOp<u32>>::combine(bits, 1 << (v % 32)));
            let before = block[..=i % size].iter().sum();
            let expected = [block.iter().sum(), bits, *block.iter().max().unwrap(), before, size as u32, blocks * 1000 + (i / size) as u32];
            assert_eq!(found, expected, "{block_dim:?} {i}");
        }
    }
    assert_eq!(<BitAnd as ReduceOp<u32>>::combine(6, 3), 2);
    println!("SUCCESS: tiles of 1 to 32 lanes, active lanes, blocks with a short warp");
}
