//! Permutations of shared memory that keep the threads of a warp out of each other's banks.
//!
//! Shared memory has 32 banks of 4 bytes; threads that touch different words of one bank wait for each other (CUDA C++ Programming Guide,
//! "Shared Memory"). A tile whose rows are as long as the banks has each column in one bank. Permuted, it has not:
//!
//! ```
//! use cuda_device::swizzle::{Swizzle, column_offsets, conflict_degree};
//!
//! const COLUMN: [usize; 32] = column_offsets(32, 0);
//! assert_eq!(conflict_degree(&COLUMN, 4), 32);
//! assert_eq!(conflict_degree(&COLUMN.map(Swizzle::<5, 0, 5>::apply), 4), 1);
//! ```

/// The number of banks of shared memory.
pub const BANKS: usize = 32;

/// Bytes of a bank's word.
pub const BANK_WIDTH_BYTES: usize = 4;

/// The number of threads of a warp, whose accesses meet in the banks.
pub const WARP_LANES: usize = 32;

/// The permutation that xors the `B` bits of an offset from bit `M` on with the `B` bits that lie `S` bits above them. Its unit is that of
/// the offset.
///
/// Where the two runs of bits overlap it would not be its own inverse, and does not compile:
///
/// ```compile_fail,E0080
/// # use cuda_device::swizzle::Swizzle;
/// Swizzle::<3, 0, 2>::apply(1);
/// ```
pub struct Swizzle<const B: u32, const M: u32, const S: u32>;

impl<const B: u32, const M: u32, const S: u32> Swizzle<B, M, S> {
    /// The number of bits that change.
    pub const BITS: u32 = {
        crate::check(S >= B, "the bits that change would overlap those they are changed by");
        crate::check(M + S + B <= usize::BITS, "there are no such bits");
        B
    };

    /// The number of places that an offset can be moved to: `1 << BITS`.
    pub const SPREAD: usize = 1 << Self::BITS;

    /// Where `offset` goes.
    #[inline]
    pub const fn apply(offset: usize) -> usize {
        if Self::BITS == 0 {
            return offset;
        }
        offset ^ (((offset >> (M + S)) & (Self::SPREAD - 1)) << M)
    }

    /// What goes to `offset`.
    #[inline]
    pub const fn undo(offset: usize) -> usize {
        Self::apply(offset)
    }
}

/// The bank of the element at `elem_offset` elements of `elem_size` bytes: of its first word where it has several.
#[inline]
pub const fn bank_of(elem_offset: usize, elem_size: usize) -> usize {
    elem_offset * elem_size / BANK_WIDTH_BYTES % BANKS
}

/// The most different words of one bank among these elements, one of each lane: the number of steps that the warp's access takes, and 1 where
/// no two lanes get in each other's way. Offsets are in elements of `elem_size` bytes, of which the first word counts.
pub const fn conflict_degree(elem_offsets: &[usize; WARP_LANES], elem_size: usize) -> usize {
    let words = words_by_bank(elem_offsets, elem_size);
    let (mut most, mut bank) = (0, 0);
    while bank < BANKS {
        if words[bank] > most {
            most = words[bank];
        }
        bank += 1;
    }
    most
}

/// The number of banks that these elements lie in, one of each lane.
pub const fn banks_used(elem_offsets: &[usize; WARP_LANES], elem_size: usize) -> usize {
    let words = words_by_bank(elem_offsets, elem_size);
    let (mut used, mut bank) = (0, 0);
    while bank < BANKS {
        if words[bank] != 0 {
            used += 1;
        }
        bank += 1;
    }
    used
}

/// The number of different words in each bank.
const fn words_by_bank(elem_offsets: &[usize; WARP_LANES], elem_size: usize) -> [usize; BANKS] {
    let mut words = [0; BANKS];
    let mut lane = 0;
    while lane < WARP_LANES {
        let word = elem_offsets[lane] * elem_size / BANK_WIDTH_BYTES;
        let mut earlier = 0;
        while earlier < lane && elem_offsets[earlier] * elem_size / BANK_WIDTH_BYTES != word {
            earlier += 1;
        }
        if earlier == lane {
            words[word % BANKS] += 1;
        }
        lane += 1;
    }
    words
}

/// The offsets of the first 32 elements of column `col`, one for each lane, in rows of `row_stride` elements.
pub const fn column_offsets(row_stride: usize, col: usize) -> [usize; WARP_LANES] {
    let mut offsets = [0; WARP_LANES];
    let mut lane = 0;
    while lane < WARP_LANES {
        offsets[lane] = lane * row_stride + col;
        lane += 1;
    }
    offsets
}

/// The offsets of the first 32 elements of row `row`, one for each lane, in rows of `row_stride` elements.
pub const fn row_offsets(row: usize, row_stride: usize) -> [usize; WARP_LANES] {
    let mut offsets = [0; WARP_LANES];
    let mut lane = 0;
    while lane < WARP_LANES {
        offsets[lane] = row * row_stride + lane;
        lane += 1;
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swizzle_is_a_permutation_and_its_own_inverse() {
        fn check<const B: u32, const M: u32, const S: u32>() {
            let mut seen = [false; 4096];
            for offset in 0..4096 {
                let moved = Swizzle::<B, M, S>::apply(offset);
                assert!(!core::mem::replace(&mut seen[moved], true), "{offset}");
                assert_eq!(Swizzle::<B, M, S>::undo(moved), offset);
                assert_eq!(moved >> (M + S), offset >> (M + S));
            }
        }
        check::<3, 4, 3>();
        check::<2, 4, 3>();
        check::<1, 4, 3>();
        check::<0, 4, 3>();
        check::<5, 0, 5>();
        check::<3, 2, 6>();
        assert_eq!(Swizzle::<3, 4, 3>::apply(0b10_1000_1010), 0b10_1101_1010);
        assert_eq!((Swizzle::<3, 4, 3>::BITS, Swizzle::<3, 4, 3>::SPREAD), (3, 8));
    }

    #[test]
    fn banks() {
        assert_eq!([bank_of(31, 4), bank_of(32, 4), bank_of(1, 2), bank_of(16, 8)], [31, 0, 0, 0]);
        let row = row_offsets(3, 32);
        assert_eq!((row[0], row[31], conflict_degree(&row, 4), banks_used(&row, 4)), (96, 127, 1, 32));
        let column = column_offsets(32, 5);
        assert_eq!((column[2], conflict_degree(&column, 4), banks_used(&column, 4)), (69, 32, 1));
        assert_eq!(conflict_degree(&column_offsets(33, 5), 4), 1);
        // Two halves of one word are one word, and so is a word that all lanes read.
        assert_eq!((conflict_degree(&row, 2), banks_used(&row, 2)), (1, 16));
        assert_eq!((conflict_degree(&[7; 32], 4), banks_used(&[7; 32], 4)), (1, 1));
        // Of 8 bytes the first words lie in every second bank.
        assert_eq!((conflict_degree(&row, 8), banks_used(&row, 8)), (2, 16));
    }
}
