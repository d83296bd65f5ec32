//! Arithmetic of memory accesses: how wide a thread's accesses can be, and how many lines of memory a warp's accesses touch.
//!
//! All of it is constant: a kernel chooses its loop when it is compiled.
//!
//! ```
//! use cuda_device::access::{self, AccessPlan};
//!
//! // 128 threads fill 1024 floats with accesses of 16 bytes, in two passes.
//! const PLAN: AccessPlan = access::widest::<f32>(1024, 128).unwrap();
//! assert_eq!((PLAN.txn_bytes, PLAN.elems_per_thread, PLAN.passes_for_tile(1024)), (16, 4, Some(2)));
//! ```

use crate::swizzle::WARP_LANES;

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

/// How the threads of a block move elements that lie side by side: each of them one access a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessPlan {
    /// Bytes of one access.
    pub txn_bytes: usize,
    /// What addresses must be a multiple of: `txn_bytes`.
    pub align: usize,
    /// Elements of one access, which is one thread's share of a pass.
    pub elems_per_thread: usize,
    /// The threads that take part.
    pub threads: usize,
    /// Elements that all threads together move in one pass.
    pub elems_per_block: usize,
}

impl AccessPlan {
    /// The least extent of a tile that one pass fills, where its other extent is `other`: `None` where a pass is not a whole number of those.
    #[inline]
    pub const fn min_extent(&self, other: usize) -> Option<usize> {
        if other != 0 && self.elems_per_block.is_multiple_of(other) { Some(self.elems_per_block / other) } else { None }
    }

    /// Whether whole passes move a tile of this many elements, with no thread left over in any.
    #[inline]
    pub const fn fits_tile(&self, elems: usize) -> bool {
        elems != 0 && elems.is_multiple_of(self.elems_per_block)
    }

    /// The passes that move a tile of this many elements: `None` where it does not [fit](Self::fits_tile).
    #[inline]
    pub const fn passes_for_tile(&self, elems: usize) -> Option<usize> {
        if self.fits_tile(elems) { Some(elems / self.elems_per_block) } else { None }
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
    let elems_per_thread = txn_bytes / elem_size;
    match elems_per_thread.checked_mul(threads) {
        Some(elems_per_block) => Some(AccessPlan { txn_bytes, align: txn_bytes, elems_per_thread, threads, elems_per_block }),
        None => None,
    }
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

/// The lines that a warp touches where each lane moves the element at its offset, in elements of `elem_size` bytes from the start of a line.
pub const fn lines_touched(elem_offsets: &[usize; WARP_LANES], elem_size: usize) -> usize {
    let mut touched = 0;
    let mut lane = 0;
    while lane < WARP_LANES && elem_size != 0 {
        let (mut line, last) = lines_of(elem_offsets[lane], elem_size);
        while line <= last {
            let mut earlier = 0;
            while earlier < lane {
                let (first, last) = lines_of(elem_offsets[earlier], elem_size);
                if first <= line && line <= last {
                    break;
                }
                earlier += 1;
            }
            if earlier == lane {
                touched += 1;
            }
            line += 1;
        }
        lane += 1;
    }
    touched
}

/// The first and the last line of an element.
const fn lines_of(elem_offset: usize, elem_size: usize) -> (usize, usize) {
    let start = elem_offset * elem_size;
    (start / LINE_BYTES, (start + elem_size - 1) / LINE_BYTES)
}

/// The lines that so many bytes take where they lie side by side from the start of a line.
#[inline]
pub const fn minimum_lines(total_bytes: usize) -> usize {
    total_bytes.div_ceil(LINE_BYTES)
}

/// The lines [touched](lines_touched) beyond the least that the elements of 32 lanes take; 0 also where lanes share elements.
pub const fn wasted_lines(elem_offsets: &[usize; WARP_LANES], elem_size: usize) -> usize {
    lines_touched(elem_offsets, elem_size).saturating_sub(minimum_lines(WARP_LANES * elem_size))
}

/// Whether no line is wasted.
pub const fn is_fully_coalesced(elem_offsets: &[usize; WARP_LANES], elem_size: usize) -> bool {
    wasted_lines(elem_offsets, elem_size) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans() {
        let plan = plan::<u16>(TXN_64, 32).unwrap();
        assert_eq!(plan, AccessPlan { txn_bytes: 8, align: 8, elems_per_thread: 4, threads: 32, elems_per_block: 128 });
        assert_eq!([16, 128, 3, 256, 0].map(|other| plan.min_extent(other)), [Some(8), Some(1), None, None, None]);
        assert!(plan.fits_tile(256) && !plan.fits_tile(192) && !plan.fits_tile(0));
        assert_eq!([256, 257, 0].map(|elems| plan.passes_for_tile(elems)), [Some(2), None, None]);
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
        assert_eq!(widest::<[u64; 2]>(128, 128).unwrap().elems_per_thread, 1);
        assert_eq!(widest::<u8>(128, 128), None);
    }

    #[test]
    fn lines() {
        let strided = |start: usize, stride: usize| core::array::from_fn::<usize, WARP_LANES, _>(|lane| start + lane * stride);
        // start and stride in elements, bytes of an element: touched, wasted
        for (start, stride, size, touched, wasted) in [
            (0, 1, 4, 1, 0),
            (1, 1, 4, 2, 1),
            (0, 2, 4, 2, 1),
            (0, 32, 4, 32, 31),
            (0, 1, 16, 4, 0),
            (4, 1, 16, 5, 1),
            (0, 0, 4, 1, 0),
            (0, 0, 16, 1, 0),
            (10, 1, 12, 4, 1),
            (0, 1, 200, 50, 0),
            (0, 1, 0, 0, 0),
        ] {
            let offsets = strided(start, stride);
            assert_eq!((lines_touched(&offsets, size), wasted_lines(&offsets, size)), (touched, wasted), "{start} {stride} {size}");
            assert_eq!(is_fully_coalesced(&offsets, size), wasted == 0);
            let mut backwards = offsets;
            backwards.reverse();
            assert_eq!(lines_touched(&backwards, size), touched);
        }
        assert_eq!([0, 1, 128, 129].map(minimum_lines), [0, 1, 1, 2]);
    }
}
