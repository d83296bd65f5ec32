//! Clusters: blocks that run at the same time on neighbouring multiprocessors and reach each other's shared memory (sm_90).
//!
//! A kernel says how many blocks make a cluster with `#[cluster_launch(x, y, z)]`. Meanings are those of `barrier.cluster` and `mapa` in
//! the PTX ISA.

device_operations! {
    /// The block's x position in its cluster.
    #[expect(non_snake_case)]
    fn cluster_ctaidX() -> u32;
    /// The block's y position in its cluster.
    #[expect(non_snake_case)]
    fn cluster_ctaidY() -> u32;
    /// The block's z position in its cluster.
    #[expect(non_snake_case)]
    fn cluster_ctaidZ() -> u32;
    /// The blocks of a cluster along x.
    #[expect(non_snake_case)]
    fn cluster_nctaidX() -> u32;
    /// The blocks of a cluster along y.
    #[expect(non_snake_case)]
    fn cluster_nctaidY() -> u32;
    /// The blocks of a cluster along z.
    #[expect(non_snake_case)]
    fn cluster_nctaidZ() -> u32;
    #[doc(hidden)]
    fn clusterid_x() -> u32;
    #[doc(hidden)]
    fn clusterid_y() -> u32;
    #[doc(hidden)]
    fn clusterid_z() -> u32;
    #[doc(hidden)]
    fn nclusterid_x() -> u32;
    #[doc(hidden)]
    fn nclusterid_y() -> u32;
    #[doc(hidden)]
    fn nclusterid_z() -> u32;
    /// The block's number in its cluster, x first.
    fn block_rank() -> u32;
    /// The blocks of a cluster.
    fn cluster_size() -> u32;
    /// Comes to the cluster's barrier, and releases this thread's memory accesses.
    ///
    /// # Safety
    ///
    /// Every thread of the cluster that has not exited alternates between arriving and waiting.
    unsafe fn barrier_cluster_arrive();
    /// [`barrier_cluster_arrive`] by all threads of the warp together.
    ///
    /// # Safety
    ///
    /// As of [`barrier_cluster_arrive`], and all threads of the warp are here.
    unsafe fn barrier_cluster_arrive_aligned();
    /// [`barrier_cluster_arrive`] without ordering memory.
    ///
    /// # Safety
    ///
    /// As of [`barrier_cluster_arrive`].
    unsafe fn barrier_cluster_arrive_relaxed();
    /// [`barrier_cluster_arrive_relaxed`] by all threads of the warp together.
    ///
    /// # Safety
    ///
    /// As of [`barrier_cluster_arrive_aligned`].
    unsafe fn barrier_cluster_arrive_relaxed_aligned();
    /// Waits until all threads of the cluster have arrived, and acquires what they released.
    ///
    /// # Safety
    ///
    /// This thread has arrived.
    unsafe fn barrier_cluster_wait();
    /// [`barrier_cluster_wait`] by all threads of the warp together.
    ///
    /// # Safety
    ///
    /// As of [`barrier_cluster_wait`], and all threads of the warp are here.
    unsafe fn barrier_cluster_wait_aligned();
    #[doc(hidden)]
    fn mapa(address: *const u8, rank: u32) -> *const u8;
}

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
/// As of [`map_shared_rank`], and nobody writes there meanwhile.
#[inline]
pub unsafe fn dsmem_read_u32(local_ptr: *const u32, target_rank: u32) -> u32 {
    // SAFETY: the caller vouches for the address.
    unsafe { map_shared_rank(local_ptr, target_rank).read_volatile() }
}
