operations! {
    /// The block's x position in its cluster.
    register fn cluster_ctaidX() -> u32 as cluster_ctaid_x;
    /// The block's y position in its cluster.
    register fn cluster_ctaidY() -> u32 as cluster_ctaid_y;
    /// The block's z position in its cluster.
    register fn cluster_ctaidZ() -> u32 as cluster_ctaid_z;
    /// The blocks of a cluster along x.
    register fn cluster_nctaidX() -> u32 as cluster_nctaid_x;
    /// The blocks of a cluster along y.
    register fn cluster_nctaidY() -> u32 as cluster_nctaid_y;
    /// The blocks of a cluster along z.
    register fn cluster_nctaidZ() -> u32 as cluster_nctaid_z;
    /// The cluster's x position in the grid.
    #[doc(hidden)]
    register fn clusterid_x() -> u32;
    /// The cluster's y position in the grid.
    #[doc(hidden)]
    register fn clusterid_y() -> u32;
    /// The cluster's z position in the grid.
    #[doc(hidden)]
    register fn clusterid_z() -> u32;
    /// The clusters of the grid along x.
    #[doc(hidden)]
    register fn nclusterid_x() -> u32;
    /// The clusters of the grid along y.
    #[doc(hidden)]
    register fn nclusterid_y() -> u32;
    /// The clusters of the grid along z.
    #[doc(hidden)]
    register fn nclusterid_z() -> u32;
    /// The block's number in its cluster, x first.
    register fn block_rank() -> u32 as cluster_block_rank;
    /// The blocks of a cluster.
    register fn cluster_size() -> u32 as cluster_block_count;
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
    /// The corresponding address in the shared memory of the cluster's block of this rank (`mapa`).
    #[doc(hidden)]
    fn mapa(address: *const u8, rank: u32) -> *const u8;
}
