operations! {
    /// Makes the barrier one whose phases so many arrivals complete, 1 to 2^20 - 1.
    ///
    /// # Safety
    ///
    /// `bar` points to shared memory; others use it only after a barrier of the block.
    unsafe fn mbarrier_init(bar: *mut Barrier, expected_count: u32);
    /// Ends the barrier; its memory is free for other use.
    ///
    /// # Safety
    ///
    /// The barrier is initialised, and no thread uses it any more.
    unsafe fn mbarrier_inval(bar: *mut Barrier);
    /// Arrives, releases this thread's memory accesses to the block, and returns the token of the phase.
    ///
    /// # Safety
    ///
    /// The barrier is initialised and expects the arrival.
    unsafe fn mbarrier_arrive(bar: *const Barrier) -> u64;
    /// Whether the phase of `token` is complete; if so, what was released to it is seen.
    ///
    /// # Safety
    ///
    /// The barrier is initialised, and the token is that of its current or last phase.
    unsafe fn mbarrier_test_wait(bar: *const Barrier, token: u64) -> bool;
    /// [`mbarrier_test_wait`] that may wait a while first (sm_90).
    ///
    /// # Safety
    ///
    /// As of [`mbarrier_test_wait`].
    unsafe fn mbarrier_try_wait(bar: *const Barrier, token: u64) -> bool;
    /// Whether the phase of this parity is complete, after waiting a while (sm_90).
    ///
    /// # Safety
    ///
    /// The barrier is initialised, and the parity is that of its current or last phase.
    unsafe fn mbarrier_try_wait_parity(bar: *const Barrier, parity: u32) -> bool;
    /// [`mbarrier_try_wait_parity`] that sees what the cluster's threads released.
    ///
    /// # Safety
    ///
    /// As of [`mbarrier_try_wait_parity`].
    unsafe fn mbarrier_try_wait_parity_cluster(bar: *const Barrier, parity: u32) -> bool;
    /// Expects `bytes` more of copies, arrives, and returns the token of the phase (sm_90).
    ///
    /// # Safety
    ///
    /// As of [`mbarrier_arrive`].
    #[doc(hidden)]
    unsafe fn arrive_expect_tx(bar: *const Barrier, bytes: u32) -> u64;
    /// [`arrive_expect_tx`] for a barrier of the cluster, without ordering memory.
    ///
    /// # Safety
    ///
    /// As of [`mbarrier_arrive`].
    #[doc(hidden)]
    unsafe fn arrive_expect_tx_cluster(bar: *const Barrier, bytes: u32) -> u64;
    /// Arrives at a barrier of another block of the cluster, by the number of the address that `map_shared_rank` returns (sm_90).
    ///
    /// # Safety
    ///
    /// The barrier is initialised and expects the arrival, and its block has not exited.
    unsafe fn mbarrier_arrive_cluster(remote_bar_addr: u64);
    /// Orders this thread's writes to shared memory before copies that the copy engine makes of it (sm_90).
    ///
    /// # Safety
    ///
    /// None of its own: it is only of use beside operations that have.
    unsafe fn fence_proxy_async_shared_cta();
    /// Shows initialised barriers to the cluster (sm_90).
    ///
    /// # Safety
    ///
    /// None of its own.
    unsafe fn fence_mbarrier_init_release_cluster();
    /// Releases this block's shared memory to copies by engines of the cluster (sm_90).
    ///
    /// # Safety
    ///
    /// None of its own.
    unsafe fn fence_proxy_async_generic_release_shared_cta_cluster();
    /// Acquires what engines have copied into the cluster's shared memory (sm_90).
    ///
    /// # Safety
    ///
    /// None of its own.
    unsafe fn fence_proxy_async_generic_acquire_shared_cluster_cluster();
    /// Pauses the thread for up to twice so many nanoseconds, at most a millisecond.
    ///
    /// # Safety
    ///
    /// None of its own.
    unsafe fn nanosleep(ns: u32);
    /// Waits at the block's barrier `number`, 0 to 15, until `threads` threads have arrived (`bar.sync`).
    ///
    /// # Safety
    ///
    /// All come with the same `threads`, a multiple of 32, whole warps together. Barrier 0 is that of `sync_threads`.
    unsafe fn bar_sync(number: u32, threads: u32);
    /// Comes to the block's barrier `number` and goes on (`bar.arrive`).
    ///
    /// # Safety
    ///
    /// As of [`bar_sync`].
    unsafe fn bar_arrive(number: u32, threads: u32);
}
