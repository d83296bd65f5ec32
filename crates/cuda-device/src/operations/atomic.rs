operations! {
    /// Adds two `f16`, each in one piece, to those at an address of global memory; returns what was there.
    ///
    /// # Safety
    ///
    /// The address is valid and aligned to 4 bytes.
    unsafe fn atom_add_f16x2(addr: *mut u32, val: u32) -> u32;
    /// Adds two `bf16`, each in one piece, to those at an address of global memory; returns what was there (sm_90).
    ///
    /// # Safety
    ///
    /// The address is valid and aligned to 4 bytes.
    unsafe fn atom_add_bf16x2(addr: *mut u32, val: u32) -> u32;
}
