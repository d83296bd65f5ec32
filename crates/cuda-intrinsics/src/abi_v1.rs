//! The first version of the intrinsics' paths. What a path means never changes in it; new ones may come.

/// Special registers.
pub mod sreg {
    intrinsics! {
        /// The thread's position in its block, x.
        fn thread_idx_x() -> u32;
        /// The thread's position in its block, y.
        fn thread_idx_y() -> u32;
        /// The thread's position in its block, z.
        fn thread_idx_z() -> u32;
        /// The block's position in the grid, x.
        fn block_idx_x() -> u32;
        /// The block's position in the grid, y.
        fn block_idx_y() -> u32;
        /// The block's position in the grid, z.
        fn block_idx_z() -> u32;
        /// Threads of a block, x.
        fn block_dim_x() -> u32;
        /// Threads of a block, y.
        fn block_dim_y() -> u32;
        /// Threads of a block, z.
        fn block_dim_z() -> u32;
        /// Blocks of the grid, x.
        fn grid_dim_x() -> u32;
        /// Blocks of the grid, y.
        fn grid_dim_y() -> u32;
        /// Blocks of the grid, z.
        fn grid_dim_z() -> u32;
        /// The thread's position in its warp.
        fn lane_id() -> u32;
        /// The lanes before this one.
        fn lanemask_lt() -> u32;
        /// The lanes up to this one.
        fn lanemask_le() -> u32;
        /// The lanes that are this one.
        fn lanemask_eq() -> u32;
        /// The lanes from this one.
        fn lanemask_ge() -> u32;
        /// The lanes after this one.
        fn lanemask_gt() -> u32;
        /// The warp's place on its multiprocessor, which may change.
        fn warpid() -> u32;
        /// Most warps of a multiprocessor.
        fn nwarpid() -> u32;
        /// The multiprocessor, which may change.
        fn smid() -> u32;
        /// One more than the greatest number of a multiprocessor.
        fn nsmid() -> u32;
        /// Cycles, counted in 32 bits.
        fn clock() -> u32;
        /// Bytes of dynamic shared memory of the launch.
        fn dynamic_smem_size() -> u32;
        /// Bytes of shared memory of the launch.
        fn total_smem_size() -> u32;
        /// A register that the driver fills.
        fn envreg1() -> u32;
        /// A register that the driver fills.
        fn envreg2() -> u32;
        /// The block's position in its cluster, x.
        fn cluster_ctaid_x() -> u32;
        /// The block's position in its cluster, y.
        fn cluster_ctaid_y() -> u32;
        /// The block's position in its cluster, z.
        fn cluster_ctaid_z() -> u32;
        /// Blocks of a cluster, x.
        fn cluster_nctaid_x() -> u32;
        /// Blocks of a cluster, y.
        fn cluster_nctaid_y() -> u32;
        /// Blocks of a cluster, z.
        fn cluster_nctaid_z() -> u32;
        /// The cluster's position in the grid, x.
        fn clusterid_x() -> u32;
        /// The cluster's position in the grid, y.
        fn clusterid_y() -> u32;
        /// The cluster's position in the grid, z.
        fn clusterid_z() -> u32;
        /// Clusters of the grid, x.
        fn nclusterid_x() -> u32;
        /// Clusters of the grid, y.
        fn nclusterid_y() -> u32;
        /// Clusters of the grid, z.
        fn nclusterid_z() -> u32;
        /// The block's number in its cluster.
        fn cluster_block_rank() -> u32;
        /// Blocks of a cluster.
        fn cluster_block_count() -> u32;
        /// The number of the launch.
        fn gridid() -> u64;
        /// Cycles.
        fn clock64() -> u64;
        /// Nanoseconds.
        fn globaltimer() -> u64;
    }
}

/// What the threads of a block do together.
pub mod thread {
    pub use super::sreg::{
        block_dim_x, block_dim_y, block_dim_z, block_idx_x, block_idx_y, block_idx_z, grid_dim_x, grid_dim_y, grid_dim_z, gridid, nsmid,
        smid, thread_idx_x, thread_idx_y, thread_idx_z,
    };

    intrinsics! {
        /// Wait until every thread of the block is here; their memory is then seen by all (`bar.sync 0`).
        unsafe fn sync_threads();
        /// A block barrier; the number of threads in which the predicate holds.
        unsafe fn sync_threads_count(predicate: bool) -> u32;
        /// A block barrier; whether the predicate holds in every thread.
        unsafe fn sync_threads_and(predicate: bool) -> bool;
        /// A block barrier; whether the predicate holds in a thread.
        unsafe fn sync_threads_or(predicate: bool) -> bool;
    }
}

/// What the lanes of a warp do together.
pub mod warp {
    pub use super::sreg::{lane_id, lanemask_eq, lanemask_ge, lanemask_gt, lanemask_le, lanemask_lt, nwarpid, warpid};

    intrinsics! {
        /// Wait until the lanes of the mask are here (`bar.warp.sync`).
        unsafe fn sync_mask(mask: u32);
        /// The lanes that run this instruction together.
        unsafe fn active_mask() -> u32;
        /// Another lane's value, by its number.
        unsafe fn shuffle_sync(mask: u32, value: u32, source: u32) -> u32;
        /// The value of the lane whose number differs in these bits.
        unsafe fn shuffle_xor_sync(mask: u32, value: u32, lanes: u32) -> u32;
        /// The value of the lane this much further on, or one's own.
        unsafe fn shuffle_down_sync(mask: u32, value: u32, delta: u32) -> u32;
        /// The value of the lane this much before, or one's own.
        unsafe fn shuffle_up_sync(mask: u32, value: u32, delta: u32) -> u32;
        /// Another lane's value, by its number.
        unsafe fn shuffle_f32_sync(mask: u32, value: f32, source: u32) -> f32;
        /// The value of the lane whose number differs in these bits.
        unsafe fn shuffle_xor_f32_sync(mask: u32, value: f32, lanes: u32) -> f32;
        /// The value of the lane this much further on, or one's own.
        unsafe fn shuffle_down_f32_sync(mask: u32, value: f32, delta: u32) -> f32;
        /// The value of the lane this much before, or one's own.
        unsafe fn shuffle_up_f32_sync(mask: u32, value: f32, delta: u32) -> f32;
        /// Whether the predicate holds in every lane of the mask.
        unsafe fn all_sync(mask: u32, predicate: bool) -> bool;
        /// Whether the predicate holds in a lane of the mask.
        unsafe fn any_sync(mask: u32, predicate: bool) -> bool;
        /// The lanes of the mask in which the predicate holds.
        unsafe fn ballot_sync(mask: u32, predicate: bool) -> u32;
        /// The lanes with this lane's value.
        unsafe fn match_any_sync(mask: u32, value: u32) -> u32;
        /// The mask where all its lanes have one value, else 0.
        unsafe fn match_all_sync(mask: u32, value: u32) -> u32;
        /// The sum over the lanes of the mask.
        unsafe fn redux_sync_add(mask: u32, value: u32) -> u32;
        /// The bits set in all lanes of the mask.
        unsafe fn redux_sync_and(mask: u32, value: u32) -> u32;
        /// The bits set in a lane of the mask.
        unsafe fn redux_sync_or(mask: u32, value: u32) -> u32;
        /// The bits set in an odd number of lanes of the mask.
        unsafe fn redux_sync_xor(mask: u32, value: u32) -> u32;
        /// The least over the lanes of the mask.
        unsafe fn redux_sync_min_u32(mask: u32, value: u32) -> u32;
        /// The greatest over the lanes of the mask.
        unsafe fn redux_sync_max_u32(mask: u32, value: u32) -> u32;
        /// The lanes with this lane's value.
        unsafe fn match_any_i64_sync(mask: u32, value: u64) -> u32;
        /// The mask where all its lanes have one value, else 0.
        unsafe fn match_all_i64_sync(mask: u32, value: u64) -> u32;
        /// The least over the lanes of the mask.
        unsafe fn redux_sync_min_i32(mask: u32, value: i32) -> i32;
        /// The greatest over the lanes of the mask.
        unsafe fn redux_sync_max_i32(mask: u32, value: i32) -> i32;
        /// The lane that is elected of a mask, and whether it is this one.
        unsafe fn elect(mask: u32) -> [u32; 2];
    }
}

/// Barriers of a block, by number and in shared memory.
pub mod barrier {
    intrinsics! {
        /// Wait at the barrier of this number, 0 to 15, until so many threads, a multiple of 32, have come.
        unsafe fn bar_sync(number: u32, threads: u32);
        /// Come to the barrier of this number for so many threads, and go on.
        unsafe fn bar_arrive(number: u32, threads: u32);
        /// Order shared memory for the copy engine.
        unsafe fn fence_proxy_async_shared_cta();
        /// Show mbarriers to the cluster.
        unsafe fn fence_mbarrier_init_release_cluster();
        /// Release own shared memory to the copy engines of the cluster.
        unsafe fn fence_proxy_async_generic_release_shared_cta_cluster();
        /// Acquire what copy engines wrote to the cluster's shared memory.
        unsafe fn fence_proxy_async_generic_acquire_shared_cluster_cluster();
        /// Make an mbarrier that so many arrivals complete.
        unsafe fn mbarrier_init(bar: *mut u64, expected_count: u32);
        /// End an mbarrier; its memory is free for other use.
        unsafe fn mbarrier_inval(bar: *mut u64);
        /// Arrive; the token of the phase.
        unsafe fn mbarrier_arrive(bar: *const u64) -> u64;
        /// Whether the token's phase is complete.
        unsafe fn mbarrier_test_wait(bar: *const u64, token: u64) -> bool;
        /// Whether the token's phase is complete, after waiting a while.
        unsafe fn mbarrier_try_wait(bar: *const u64, token: u64) -> bool;
        /// Whether the phase of this parity is complete, after waiting a while.
        unsafe fn mbarrier_try_wait_parity(bar: *const u64, parity: u32) -> bool;
        /// The same; what the cluster's threads did before they arrived is then seen.
        unsafe fn mbarrier_try_wait_parity_cluster(bar: *const u64, parity: u32) -> bool;
        /// Expect so many bytes more, and arrive; the token of the phase.
        unsafe fn arrive_expect_tx(bar: *const u64, bytes: u32) -> u64;
        /// The same, without ordering memory, in the cluster.
        unsafe fn arrive_expect_tx_cluster(bar: *const u64, bytes: u32) -> u64;
        /// Arrive at an mbarrier of the cluster, given its generic address as a number.
        unsafe fn mbarrier_arrive_cluster(remote_bar_addr: u64);
        /// Wait for up to twice so many nanoseconds.
        unsafe fn nanosleep(ns: u32);
    }
}

/// What the blocks of a cluster do together.
pub mod cluster {
    pub use super::sreg::{
        cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z, cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z, clusterid_x, clusterid_y,
        clusterid_z, nclusterid_x, nclusterid_y, nclusterid_z,
    };

    intrinsics! {
        /// Come to the cluster's barrier and release memory.
        unsafe fn barrier_cluster_arrive();
        /// The same, by all threads of the warp together.
        unsafe fn barrier_cluster_arrive_aligned();
        /// Come to the cluster's barrier without ordering memory.
        unsafe fn barrier_cluster_arrive_relaxed();
        /// The same, by all threads of the warp together.
        unsafe fn barrier_cluster_arrive_relaxed_aligned();
        /// Wait until all threads of the cluster have come to its barrier.
        unsafe fn barrier_cluster_wait();
        /// The same, by all threads of the warp together.
        unsafe fn barrier_cluster_wait_aligned();
        /// The address of what lies there in the shared memory of another block of the cluster, by its rank.
        fn mapa(address: *const u8, rank: u32) -> *const u8;
    }
}

/// What all blocks of a grid do together.
pub mod grid {
    pub use super::sreg::{envreg1, envreg2};

    intrinsics! {
        /// Wait for all threads of a cooperative launch.
        unsafe fn sync();
    }
}

/// Fences.
pub mod fence {
    intrinsics! {
        /// Order memory for the block (`membar.cta`).
        fn threadfence_block();
        /// Order memory for the device (`membar.gl`).
        fn threadfence();
        /// Order memory for the host and other devices too (`membar.sys`).
        fn threadfence_system();
    }
}

/// Copies from global into shared memory that run beside the threads.
pub mod async_copy {
    intrinsics! {
        /// Begin to copy 4 bytes.
        unsafe fn cp_async_ca_4(shared_dst: *mut u32, global_src: *const u32);
        /// Begin to copy 8 bytes.
        unsafe fn cp_async_ca_8(shared_dst: *mut u32, global_src: *const u32);
        /// Begin to copy 16 bytes.
        unsafe fn cp_async_ca_16(shared_dst: *mut u32, global_src: *const u32);
        /// Begin to copy 16 bytes.
        unsafe fn cp_async_cg_16(shared_dst: *mut u32, global_src: *const u32);
        /// Begin to copy so many bytes, and zeros up to 4.
        unsafe fn cp_async_ca_zfill_4(shared_dst: *mut u32, global_src: *const u8, src_size: u32);
        /// Begin to copy so many bytes, and zeros up to 8.
        unsafe fn cp_async_ca_zfill_8(shared_dst: *mut u32, global_src: *const u8, src_size: u32);
        /// Begin to copy so many bytes, and zeros up to 16.
        unsafe fn cp_async_ca_zfill_16(shared_dst: *mut u32, global_src: *const u8, src_size: u32);
        /// Begin to copy so many bytes, and zeros up to 16.
        unsafe fn cp_async_cg_zfill_16(shared_dst: *mut u32, global_src: *const u8, src_size: u32);
        /// Make the copies begun since the last one a group.
        unsafe fn cp_async_commit_group();
        /// Wait until all copies of this thread are done.
        unsafe fn cp_async_wait_all();
        /// Wait until at most so many of the last groups are under way.
        unsafe fn cp_async_wait_group(max_pending: u32);
        /// Arrive at an mbarrier when this thread's copies are done.
        unsafe fn cp_async_mbarrier_arrive(barrier: *mut u64);
        /// Arrive at an mbarrier when this thread's copies are done.
        unsafe fn cp_async_mbarrier_arrive_noinc(barrier: *mut u64);
        /// Arrive at an mbarrier when this thread's copies are done.
        unsafe fn cp_async_mbarrier_arrive_shared(barrier: *mut u64);
        /// Arrive at an mbarrier when this thread's copies are done.
        unsafe fn cp_async_mbarrier_arrive_noinc_shared(barrier: *mut u64);
    }
}

/// Addresses in shared memory.
pub mod shared {
    pub use super::sreg::{dynamic_smem_size, total_smem_size};

    intrinsics! {
        /// The address in shared memory, as the number that descriptors and instructions want.
        unsafe fn cvta_generic_to_shared_offset(ptr: *const u8) -> u64;
    }
}

/// Atomic additions of packed halves in global memory.
pub mod atomic {
    intrinsics! {
        /// Add two half numbers to those at an address; the result is what was there.
        unsafe fn atom_add_f16x2(addr: *mut u32, val: u32) -> u32;
        /// Add two bfloat16 numbers to those at an address; the result is what was there.
        unsafe fn atom_add_bf16x2(addr: *mut u32, val: u32) -> u32;
    }
}

/// Arithmetic whose rounding is chosen, and approximations.
pub mod float {
    intrinsics! {
        /// As `cuda_device::float` says.
        fn(a: f32, b: f32) -> f32:
            add_rn_f32 add_rn_sat_f32 mul_rn_f32 div_rn_f32 add_rn_ftz_f32 add_rn_ftz_sat_f32 mul_rn_ftz_f32
            div_rn_ftz_f32 add_rz_f32 add_rz_sat_f32 mul_rz_f32 div_rz_f32 add_rz_ftz_f32 add_rz_ftz_sat_f32
            mul_rz_ftz_f32 div_rz_ftz_f32 add_rm_f32 add_rm_sat_f32 mul_rm_f32 div_rm_f32 add_rm_ftz_f32
            add_rm_ftz_sat_f32 mul_rm_ftz_f32 div_rm_ftz_f32 add_rp_f32 add_rp_sat_f32 mul_rp_f32 div_rp_f32
            add_rp_ftz_f32 add_rp_ftz_sat_f32 mul_rp_ftz_f32 div_rp_ftz_f32 min_xorsign_abs_f32 min_nan_xorsign_abs_f32
            min_ftz_xorsign_abs_f32 min_ftz_nan_xorsign_abs_f32 max_xorsign_abs_f32 max_nan_xorsign_abs_f32
            max_ftz_xorsign_abs_f32 max_ftz_nan_xorsign_abs_f32;
        /// As `cuda_device::float` says.
        fn(a: f32, b: f32, c: f32) -> f32:
            fma_rn_f32 fma_rn_sat_f32 fma_rn_ftz_f32 fma_rn_ftz_sat_f32 fma_rz_f32 fma_rz_sat_f32 fma_rz_ftz_f32
            fma_rz_ftz_sat_f32 fma_rm_f32 fma_rm_sat_f32 fma_rm_ftz_f32 fma_rm_ftz_sat_f32 fma_rp_f32 fma_rp_sat_f32
            fma_rp_ftz_f32 fma_rp_ftz_sat_f32;
        /// As `cuda_device::float` says.
        fn(a: f32) -> f32:
            rcp_rn_f32 sqrt_rn_f32 rcp_rn_ftz_f32 sqrt_rn_ftz_f32 rcp_rz_f32 sqrt_rz_f32 rcp_rz_ftz_f32 sqrt_rz_ftz_f32
            rcp_rm_f32 sqrt_rm_f32 rcp_rm_ftz_f32 sqrt_rm_ftz_f32 rcp_rp_f32 sqrt_rp_f32 rcp_rp_ftz_f32 sqrt_rp_ftz_f32
            sin_approx_f32 sin_approx_ftz_f32 cos_approx_f32 cos_approx_ftz_f32 ex2_approx_f32 ex2_approx_ftz_f32
            lg2_approx_f32 lg2_approx_ftz_f32 rsqrt_approx_f32 rsqrt_approx_ftz_f32 sqrt_approx_f32 sqrt_approx_ftz_f32
            rcp_approx_ftz_f32 tanh_approx_f32;
        /// As `cuda_device::float` says.
        fn(a: f64, b: f64) -> f64:
            add_rn_f64 add_rz_f64 add_rm_f64 add_rp_f64 mul_rn_f64 mul_rz_f64 mul_rm_f64 mul_rp_f64 div_rn_f64
            div_rz_f64 div_rm_f64 div_rp_f64;
        /// As `cuda_device::float` says.
        fn(a: f64, b: f64, c: f64) -> f64:
            fma_rn_f64 fma_rz_f64 fma_rm_f64 fma_rp_f64;
        /// As `cuda_device::float` says.
        fn(a: f64) -> f64:
            rcp_rn_f64 rcp_rz_f64 rcp_rm_f64 rcp_rp_f64 sqrt_rn_f64 sqrt_rz_f64 sqrt_rm_f64 sqrt_rp_f64 rsqrt_approx_f64
            rcp_approx_ftz_f64;
    }
}

/// Numbers of half precision, as their bits.
pub mod f16 {
    intrinsics! {
        /// As `cuda_device::f16` says.
        fn(a: u16, b: u16) -> u16:
            min_f16 min_xorsign_abs_f16 min_nan_f16 min_nan_xorsign_abs_f16 min_ftz_f16 min_ftz_xorsign_abs_f16
            min_ftz_nan_f16 min_ftz_nan_xorsign_abs_f16 max_f16 max_xorsign_abs_f16 max_nan_f16 max_nan_xorsign_abs_f16
            max_ftz_f16 max_ftz_xorsign_abs_f16 max_ftz_nan_f16 max_ftz_nan_xorsign_abs_f16;
    }
}

/// Pairs of half precision, the first in the low half.
pub mod f16x2 {
    intrinsics! {
        /// As `cuda_device::f16x2` says.
        fn(a: u32, b: u32) -> u32:
            add_f16x2 sub_f16x2 mul_f16x2 min_f16x2 min_xorsign_abs_f16x2 min_nan_f16x2 min_nan_xorsign_abs_f16x2
            min_ftz_f16x2 min_ftz_xorsign_abs_f16x2 min_ftz_nan_f16x2 min_ftz_nan_xorsign_abs_f16x2 max_f16x2
            max_xorsign_abs_f16x2 max_nan_f16x2 max_nan_xorsign_abs_f16x2 max_ftz_f16x2 max_ftz_xorsign_abs_f16x2
            max_ftz_nan_f16x2 max_ftz_nan_xorsign_abs_f16x2;
        /// As `cuda_device::f16x2` says.
        fn(a: u32, b: u32, c: u32) -> u32:
            fma_f16x2 fma_ftz_f16x2 fma_sat_f16x2 fma_ftz_sat_f16x2 fma_relu_f16x2 fma_ftz_relu_f16x2;
        /// As `cuda_device::f16x2` says.
        fn(a: u32) -> u32:
            neg_f16x2 abs_f16x2;
    }
}

/// Numbers of bfloat16, as their bits.
pub mod bf16 {
    intrinsics! {
        /// As `cuda_device::bf16` says.
        fn(a: u16, b: u16) -> u16:
            min_bf16 min_xorsign_abs_bf16 min_nan_bf16 min_nan_xorsign_abs_bf16 max_bf16 max_xorsign_abs_bf16
            max_nan_bf16 max_nan_xorsign_abs_bf16;
    }
}

/// Pairs of bfloat16, the first in the low half.
pub mod bf16x2 {
    intrinsics! {
        /// As `cuda_device::bf16x2` says.
        fn(a: u32, b: u32) -> u32:
            add_bf16x2 sub_bf16x2 mul_bf16x2 min_bf16x2 min_xorsign_abs_bf16x2 min_nan_bf16x2 min_nan_xorsign_abs_bf16x2
            max_bf16x2 max_xorsign_abs_bf16x2 max_nan_bf16x2 max_nan_xorsign_abs_bf16x2;
        /// As `cuda_device::bf16x2` says.
        fn(a: u32, b: u32, c: u32) -> u32:
            fma_bf16x2 fma_relu_bf16x2;
        /// As `cuda_device::bf16x2` says.
        fn(a: u32) -> u32:
            neg_bf16x2 abs_bf16x2;
    }
}

/// Dot products of packed integers.
pub mod dotprod {
    intrinsics! {
        /// The dot product of four 8-bit integers, and a third number.
        fn dp4a_s32(a: u32, b: u32, c: i32) -> i32;
        /// The dot product of two 16-bit integers and the first two 8-bit integers, and a third number.
        fn dp2a_s32(a: u32, b: u32, c: i32) -> i32;
        /// The dot product of four 8-bit integers, and a third number.
        fn dp4a_u32(a: u32, b: u32, c: u32) -> u32;
        /// The dot product of two 16-bit integers and the first two 8-bit integers, and a third number.
        fn dp2a_u32(a: u32, b: u32, c: u32) -> u32;
    }
}

/// Bytes of two words in another order.
pub mod prmt {
    intrinsics! {
        /// Bytes chosen by a selector.
        fn prmt(a: u32, b: u32, selector: u32) -> u32;
        /// Bytes chosen by a selector.
        fn prmt_f4e(a: u32, b: u32, selector: u32) -> u32;
        /// Bytes chosen by a selector.
        fn prmt_b4e(a: u32, b: u32, selector: u32) -> u32;
        /// Bytes chosen by a selector.
        fn prmt_rc8(a: u32, selector: u32) -> u32;
        /// Bytes chosen by a selector.
        fn prmt_ecl(a: u32, selector: u32) -> u32;
        /// Bytes chosen by a selector.
        fn prmt_ecr(a: u32, selector: u32) -> u32;
        /// Bytes chosen by a selector.
        fn prmt_rc16(a: u32, selector: u32) -> u32;
    }
}

/// Breakpoints and counters for tools.
pub mod debug {
    pub use super::sreg::{clock, clock64, globaltimer};

    intrinsics! {
        /// Stop under a debugger.
        fn breakpoint();
        /// Count an event, 0 to 15, for a profiler.
        fn pmevent(number: u32);
    }
}
