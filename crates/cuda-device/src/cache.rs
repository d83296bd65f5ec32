//! Accesses to global memory with cache hints, by the names of CUDA's intrinsics.
//!
//! ```text
//! let value = unsafe { cache::ldg(table.as_ptr().add(i)) };
//! unsafe { cache::stcs(out.as_mut_ptr().add(i), value) };
//! ```
//!
//! Values have 2, 4, 8 or 16 bytes, as many as they are aligned to. Meanings are those of the cache operators of `ld` and `st` in the PTX ISA.

use core::mem::transmute_copy;

use crate::check;

operations! {
    #[doc(hidden)]
    unsafe fn(address: *const u16) -> u16: load_nc_b16 load_ca_b16 load_cg_b16 load_cs_b16 load_lu_b16 load_cv_b16;
    #[doc(hidden)]
    unsafe fn(address: *const u32) -> u32: load_nc_b32 load_ca_b32 load_cg_b32 load_cs_b32 load_lu_b32 load_cv_b32;
    #[doc(hidden)]
    unsafe fn(address: *const u64) -> u64: load_nc_b64 load_ca_b64 load_cg_b64 load_cs_b64 load_lu_b64 load_cv_b64;
    #[doc(hidden)]
    unsafe fn(address: *const u128) -> u128: load_nc_b128 load_ca_b128 load_cg_b128 load_cs_b128 load_lu_b128 load_cv_b128;
    #[doc(hidden)]
    unsafe fn(address: *mut u16, value: u16): store_wb_b16 store_cg_b16 store_cs_b16 store_wt_b16;
    #[doc(hidden)]
    unsafe fn(address: *mut u32, value: u32): store_wb_b32 store_cg_b32 store_cs_b32 store_wt_b32;
    #[doc(hidden)]
    unsafe fn(address: *mut u64, value: u64): store_wb_b64 store_cg_b64 store_cs_b64 store_wt_b64;
    #[doc(hidden)]
    unsafe fn(address: *mut u128, value: u128): store_wb_b128 store_cg_b128 store_cs_b128 store_wt_b128;
}

/// Whether a value is moved by one instruction.
const fn fits<T>() -> bool {
    matches!(size_of::<T>(), 2 | 4 | 8 | 16) && align_of::<T>() == size_of::<T>()
}

macro_rules! loads {
    ($($(#[$about:meta])* $name:ident = $b16:ident $b32:ident $b64:ident $b128:ident;)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        ///
        /// `address` points to a value in global memory, as for a read through it.
        #[inline]
        pub unsafe fn $name<T: Copy>(address: *const T) -> T {
            const { check(fits::<T>(), "a value of 2, 4, 8 or 16 bytes, aligned to its size") };
            // SAFETY: the caller vouches for the value; as bits it has the same bytes.
            unsafe {
                match size_of::<T>() {
                    2 => transmute_copy(&$b16(address.cast())),
                    4 => transmute_copy(&$b32(address.cast())),
                    8 => transmute_copy(&$b64(address.cast())),
                    _ => transmute_copy(&$b128(address.cast())),
                }
            }
        }
    )*};
}

loads! {
    /// Reads memory that is not written during the launch, through the read-only cache.
    ldg = load_nc_b16 load_nc_b32 load_nc_b64 load_nc_b128;
    /// Reads through all caches.
    ldca = load_ca_b16 load_ca_b32 load_ca_b64 load_ca_b128;
    /// Reads past the first-level cache.
    ldcg = load_cg_b16 load_cg_b32 load_cg_b64 load_cg_b128;
    /// Reads memory that is used once, so that caches give it up first.
    ldcs = load_cs_b16 load_cs_b32 load_cs_b64 load_cs_b128;
    /// Reads memory that is not used again.
    ldlu = load_lu_b16 load_lu_b32 load_lu_b64 load_lu_b128;
    /// Reads memory that others write, past all caches.
    ldcv = load_cv_b16 load_cv_b32 load_cv_b64 load_cv_b128;
}

macro_rules! stores {
    ($($(#[$about:meta])* $name:ident = $b16:ident $b32:ident $b64:ident $b128:ident;)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        ///
        /// `address` points to a value in global memory, as for a write through it.
        #[inline]
        pub unsafe fn $name<T: Copy>(address: *mut T, value: T) {
            const { check(fits::<T>(), "a value of 2, 4, 8 or 16 bytes, aligned to its size") };
            // SAFETY: the caller vouches for the place; as bits the value has the same bytes.
            unsafe {
                match size_of::<T>() {
                    2 => $b16(address.cast(), transmute_copy(&value)),
                    4 => $b32(address.cast(), transmute_copy(&value)),
                    8 => $b64(address.cast(), transmute_copy(&value)),
                    _ => $b128(address.cast(), transmute_copy(&value)),
                }
            }
        }
    )*};
}

stores! {
    /// Writes through all caches.
    stwb = store_wb_b16 store_wb_b32 store_wb_b64 store_wb_b128;
    /// Writes past the first-level cache.
    stcg = store_cg_b16 store_cg_b32 store_cg_b64 store_cg_b128;
    /// Writes memory that is used once, so that caches give it up first.
    stcs = store_cs_b16 store_cs_b32 store_cs_b64 store_cs_b128;
    /// Writes through the caches to the system's memory.
    stwt = store_wt_b16 store_wt_b32 store_wt_b64 store_wt_b128;
}
