//! Clusters: blocks that run at the same time on neighbouring multiprocessors and reach each other's shared memory (sm_90).
//!
//! `#[cluster_launch(x, y, z)]` sets the blocks of a kernel's clusters. Meanings are those of `barrier.cluster` and `mapa` in
//! the PTX ISA.

include!("operations/cluster.rs");

/// The cluster's number in the grid, x first.
#[inline]
pub fn cluster_idx() -> u32 {
    clusterid_x() + nclusterid_x() * (clusterid_y() + nclusterid_y() * clusterid_z())
}

/// The clusters of the grid.
#[inline]
pub fn num_clusters() -> u32 {
    nclusterid_x() * nclusterid_y() * nclusterid_z()
}

/// Waits for all threads of the cluster and orders their memory accesses.
#[inline]
pub fn cluster_sync() {
    // SAFETY: every arrival is followed by its wait.
    unsafe {
        barrier_cluster_arrive_aligned();
        barrier_cluster_wait_aligned();
    }
}

/// The address, in the shared memory of block `target_rank` of the cluster, of what `local_ptr` is in this block's.
///
/// # Safety
///
/// `local_ptr` points into shared memory, the cluster has that block, and the block does not exit while the result is used.
#[inline]
pub unsafe fn map_shared_rank<T>(local_ptr: *const T, target_rank: u32) -> *const T {
    mapa(local_ptr.cast(), target_rank).cast()
}

/// [`map_shared_rank`], to write there.
///
/// # Safety
///
/// As of [`map_shared_rank`].
#[inline]
pub unsafe fn map_shared_rank_mut<T>(local_ptr: *mut T, target_rank: u32) -> *mut T {
    mapa(local_ptr.cast_const().cast(), target_rank).cast_mut().cast()
}

/// Reads what lies at `local_ptr` in the shared memory of block `target_rank` of the cluster.
///
/// # Safety
///
/// As of [`map_shared_rank`], and no thread writes there meanwhile.
#[inline]
pub unsafe fn dsmem_read_u32(local_ptr: *const u32, target_rank: u32) -> u32 {
    // SAFETY: the caller vouches for the address.
    unsafe { map_shared_rank(local_ptr, target_rank).read_volatile() }
}
