operations! {
    /// Bytes of dynamic shared memory of this launch.
    register fn dynamic_smem_size() -> u32;
    /// Bytes of shared memory of a block of this launch.
    register fn total_smem_size() -> u32;
    /// An address in shared memory as the number that descriptors and instructions take.
    ///
    /// # Safety
    ///
    /// `ptr` points into shared memory.
    unsafe fn cvta_generic_to_shared_offset(ptr: *const u8) -> u64;
}
