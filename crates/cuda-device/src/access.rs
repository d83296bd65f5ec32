//! Arithmetic of memory accesses: how wide a thread's accesses can be, and how many lines of memory a warp's accesses touch.
//!
//! All of it is constant: a kernel chooses its loop when it is compiled.
//!
//! ```
//! use cuda_device::access::{self, AccessPlan};
//!
//! // 128 threads fill 1024 floats with accesses of 16 bytes, in two passes.
//! const PLAN: AccessPlan = access::widest::<f32>(1024, 128).unwrap();
//! assert_eq!((PLAN.txn_bytes, PLAN.elems_per_txn, PLAN.passes_for_tile(1024)), (16, 4, 2));
//! ```

/// Bytes of an access of 32 bits.
pub const TXN_32: usize = 4;
/// Bytes of an access of 64 bits, such as `ld.v2.f32`.
pub const TXN_64: usize = 8;
/// Bytes of an access of 128 bits, such as `ld.v4.f32`: the widest that a thread can make on all targets.
pub const TXN_128: usize = 16;

/// Bytes of a line of the cache, whose sectors one request can ask for together.
pub const LINE_BYTES: usize = 128;
/// Bytes of a sector: the least that is moved between memory and the cache.
pub const SECTOR_BYTES: usize = 32;

/// How threads side by side move elements: each of them one access a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessPlan {
    /// Bytes of an element.
    pub elem_size: usize,
    /// Bytes of one access.
    pub txn_bytes: usize,
    /// Elements of one access.
    pub elems_per_txn: usize,
    /// The threads that take part.
    pub threads: usize,
}

impl AccessPlan {
    /// The elements that all threads together move in one pass: the least tile that the plan fits.
    #[inline]
    pub const fn min_extent(&self) -> usize {
        self.elems_per_txn * self.threads
    }

    /// Whether whole passes move a tile of this many elements, with no thread left over in any.
    #[inline]
    pub const fn fits_tile(&self, tile_elems: usize) -> bool {
        tile_elems != 0 && tile_elems.is_multiple_of(self.min_extent())
    }

    /// The passes that move a tile of this many elements; in the last, threads are left over where the plan does not fit.
    #[inline]
    pub const fn passes_for_tile(&self, tile_elems: usize) -> usize {
        tile_elems.div_ceil(self.min_extent())
    }
}

/// The plan of `threads` threads that move `T` in accesses of `txn_bytes` bytes: `None` as for [`plan_for_elem_size`].
#[inline]
pub const fn plan<T>(txn_bytes: usize, threads: usize) -> Option<AccessPlan> {
    plan_for_elem_size(size_of::<T>(), txn_bytes, threads)
}

/// [`plan`] of elements of `elem_size` bytes: `None` where an access is not of 4, 8 or 16 bytes, holds no whole number of elements, or
/// there is no thread.
#[inline]
pub const fn plan_for_elem_size(elem_size: usize, txn_bytes: usize, threads: usize) -> Option<AccessPlan> {
    if !matches!(txn_bytes, TXN_32 | TXN_64 | TXN_128) || threads == 0 || elem_size == 0 || !txn_bytes.is_multiple_of(elem_size) {
        return None;
    }
    let elems_per_txn = txn_bytes / elem_size;
    if elems_per_txn.checked_mul(threads).is_none() {
        return None;
    }
    Some(AccessPlan { elem_size, txn_bytes, elems_per_txn, threads })
}

/// The plan with the widest accesses that [fits](AccessPlan::fits_tile) a tile of `tile_elems` elements of `T`, if any does.
#[inline]
pub const fn widest<T>(tile_elems: usize, threads: usize) -> Option<AccessPlan> {
    let mut txn_bytes = TXN_128;
    while txn_bytes >= TXN_32 {
        if let Some(plan) = plan::<T>(txn_bytes, threads)
            && plan.fits_tile(tile_elems)
        {
            return Some(plan);
        }
        txn_bytes /= 2;
    }
    None
}

/// The lines that `threads` threads touch, the first at byte `start` and each `stride` bytes after the one before, with accesses of `bytes`
/// bytes.
#[inline]
pub const fn lines_touched(start: usize, stride: usize, bytes: usize, threads: usize) -> usize {
    let mut lines = 0;
    // Starts rise, so a line that was touched before is not behind this.
    let mut next = 0;
    let mut thread = 0;
    while bytes != 0 && thread < threads {
        let first = start + thread * stride;
        let (first_line, last_line) = (first / LINE_BYTES, (first + bytes - 1) / LINE_BYTES);
        let first_new = if first_line > next { first_line } else { next };
        if first_new <= last_line {
            lines += last_line - first_new + 1;
            next = last_line + 1;
        }
        thread += 1;
    }
    lines
}

/// The lines that the same number of bytes takes where they lie side by side from the start of a line.
#[inline]
pub const fn minimum_lines(bytes: usize, threads: usize) -> usize {
    (bytes * threads).div_ceil(LINE_BYTES)
}

/// The lines touched beyond the least that is possible; 0 also where threads share bytes.
#[inline]
pub const fn wasted_lines(start: usize, stride: usize, bytes: usize, threads: usize) -> usize {
    lines_touched(start, stride, bytes, threads).saturating_sub(minimum_lines(bytes, threads))
}

/// Whether no line is wasted.
#[inline]
pub const fn is_fully_coalesced(start: usize, stride: usize, bytes: usize, threads: usize) -> bool {
    wasted_lines(start, stride, bytes, threads) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans() {
        let plan = plan::<u16>(TXN_64, 32).unwrap();
        assert_eq!((plan.elems_per_txn, plan.min_extent()), (4, 128));
        assert!(plan.fits_tile(256) && !plan.fits_tile(192) && !plan.fits_tile(0));
        assert_eq!([plan.passes_for_tile(256), plan.passes_for_tile(257)], [2, 3]);
        for (size, txn, threads) in [(0, 4, 1), (3, 4, 1), (8, 4, 1), (4, 4, 0), (4, 32, 1), (4, 12, 1), (1, 16, usize::MAX)] {
            assert_eq!(plan_for_elem_size(size, txn, threads), None, "{size} {txn} {threads}");
        }
    }

    #[test]
    fn the_widest_that_fits() {
        assert_eq!(widest::<f32>(512, 128).unwrap().txn_bytes, TXN_128);
        assert_eq!(widest::<f32>(256, 128).unwrap().txn_bytes, TXN_64);
        assert_eq!(widest::<f32>(384, 128).unwrap().txn_bytes, TXN_32);
        assert_eq!(widest::<f32>(100, 128), None);
        assert_eq!(widest::<[u64; 2]>(128, 128).unwrap().elems_per_txn, 1);
        assert_eq!(widest::<u8>(128, 128), None);
    }

    #[test]
    fn lines() {
        // start, stride, bytes: touched
        for (start, stride, bytes, touched) in
            [(0, 4, 4, 1), (4, 4, 4, 2), (0, 8, 4, 2), (0, 128, 4, 32), (0, 512, 16, 32), (0, 16, 16, 4), (0, 0, 4, 1), (126, 128, 4, 33)]
        {
            assert_eq!(lines_touched(start, stride, bytes, 32), touched, "{start} {stride} {bytes}");
        }
        assert_eq!([minimum_lines(4, 32), minimum_lines(16, 32), minimum_lines(2, 32)], [1, 4, 1]);
        assert_eq!([wasted_lines(0, 8, 4, 32), wasted_lines(0, 0, 16, 32), lines_touched(0, 4, 0, 32)], [1, 0, 0]);
        assert!(is_fully_coalesced(0, 16, 16, 32) && !is_fully_coalesced(64, 16, 16, 32));
    }
}
