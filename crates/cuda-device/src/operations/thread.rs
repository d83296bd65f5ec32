operations! {
    /// The thread's x position in its block.
    register fn threadIdx_x() -> u32 as thread_idx_x;
    /// The thread's y position in its block.
    register fn threadIdx_y() -> u32 as thread_idx_y;
    /// The thread's z position in its block.
    register fn threadIdx_z() -> u32 as thread_idx_z;
    /// The block's x position in the grid.
    register fn blockIdx_x() -> u32 as block_idx_x;
    /// The block's y position in the grid.
    register fn blockIdx_y() -> u32 as block_idx_y;
    /// The block's z position in the grid.
    register fn blockIdx_z() -> u32 as block_idx_z;
    /// The threads of a block along x.
    register fn blockDim_x() -> u32 as block_dim_x;
    /// The threads of a block along y.
    register fn blockDim_y() -> u32 as block_dim_y;
    /// The threads of a block along z.
    register fn blockDim_z() -> u32 as block_dim_z;
    /// The blocks of the grid along x.
    register fn gridDim_x() -> u32 as grid_dim_x;
    /// The blocks of the grid along y.
    register fn gridDim_y() -> u32 as grid_dim_y;
    /// The blocks of the grid along z.
    register fn gridDim_z() -> u32 as grid_dim_z;
    /// The multiprocessor, which may change while the thread runs.
    register fn smid() -> u32;
    /// One more than the greatest number of a multiprocessor.
    register fn nsmid() -> u32;
    /// The number of the launch.
    register fn gridid() -> u64;
    /// [`sync_threads`], and the number of threads in which `predicate` holds.
    convergent fn sync_threads_count(predicate: bool) -> u32;
    /// [`sync_threads`], and whether `predicate` holds in every thread.
    convergent fn sync_threads_and(predicate: bool) -> bool;
    /// [`sync_threads`], and whether `predicate` holds in a thread.
    convergent fn sync_threads_or(predicate: bool) -> bool;
    /// Waits for all threads of the block and orders their accesses to shared and global memory (`bar.sync 0`).
    convergent fn sync_threads();
}
