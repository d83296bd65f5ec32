operations! {
    /// Begins to copy 4 bytes, through all caches.
    ///
    /// # Safety
    ///
    /// The addresses are valid and aligned, and neither place is written until the copy is waited for.
    unsafe fn cp_async_ca_4(shared_dst: *mut u32, global_src: *const u32);
    /// Begins to copy 8 bytes, through all caches.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_ca_4`].
    unsafe fn cp_async_ca_8(shared_dst: *mut u32, global_src: *const u32);
    /// Begins to copy 16 bytes, through all caches.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_ca_4`].
    unsafe fn cp_async_ca_16(shared_dst: *mut u32, global_src: *const u32);
    /// Begins to copy 16 bytes, past the first-level cache.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_ca_4`].
    unsafe fn cp_async_cg_16(shared_dst: *mut u32, global_src: *const u32);
    /// Begins to copy `src_size` bytes, and zeros up to 4.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_ca_4`], for so many bytes; `src_size` is at most 4.
    unsafe fn cp_async_ca_zfill_4(shared_dst: *mut u32, global_src: *const u8, src_size: u32);
    /// Begins to copy `src_size` bytes, and zeros up to 8.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_ca_zfill_4`], at most 8.
    unsafe fn cp_async_ca_zfill_8(shared_dst: *mut u32, global_src: *const u8, src_size: u32);
    /// Begins to copy `src_size` bytes, and zeros up to 16.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_ca_zfill_4`], at most 16.
    unsafe fn cp_async_ca_zfill_16(shared_dst: *mut u32, global_src: *const u8, src_size: u32);
    /// Begins to copy `src_size` bytes, and zeros up to 16, past the first-level cache.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_ca_zfill_4`], at most 16.
    unsafe fn cp_async_cg_zfill_16(shared_dst: *mut u32, global_src: *const u8, src_size: u32);
    /// Makes the copies begun since the last group a group of their own.
    ///
    /// # Safety
    ///
    /// None beyond that of the copies.
    unsafe fn cp_async_commit_group();
    /// Waits for all copies of this thread.
    ///
    /// # Safety
    ///
    /// None beyond that of the copies.
    unsafe fn cp_async_wait_all();
    /// Waits until at most the last `max_pending` groups, a constant, are under way.
    ///
    /// # Safety
    ///
    /// None beyond that of the copies.
    unsafe fn cp_async_wait_group(max_pending: u32);
    /// Arrives at an mbarrier once this thread's copies are done; the arrival is one more than the barrier counts.
    ///
    /// # Safety
    ///
    /// The barrier is initialised.
    unsafe fn cp_async_mbarrier_arrive(barrier: *mut Barrier);
    /// [`cp_async_mbarrier_arrive`], the arrival being one that the barrier counts.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_mbarrier_arrive`].
    unsafe fn cp_async_mbarrier_arrive_noinc(barrier: *mut Barrier);
    /// [`cp_async_mbarrier_arrive`] of a barrier that is known to lie in shared memory.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_mbarrier_arrive`].
    unsafe fn cp_async_mbarrier_arrive_shared(barrier: *mut Barrier);
    /// [`cp_async_mbarrier_arrive_noinc`] of a barrier that is known to lie in shared memory.
    ///
    /// # Safety
    ///
    /// As of [`cp_async_mbarrier_arrive`].
    unsafe fn cp_async_mbarrier_arrive_noinc_shared(barrier: *mut Barrier);
}
