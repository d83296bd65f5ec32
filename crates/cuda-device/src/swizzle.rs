//! Permutations of shared memory that keep the threads of a warp out of each other's banks.
//!
//! Shared memory has 32 banks of 4 bytes; threads that touch different words of one bank wait for each other (CUDA C++ Programming Guide,
//! "Shared Memory"). A tile whose rows are as long as the banks has each column in one bank. Permuted, it has not:
//!
//! ```
//! use cuda_device::swizzle::{Swizzle, column_offsets, conflict_degree};
//!
//! const COLUMN: [usize; 32] = column_offsets(0, 32);
//! assert_eq!(conflict_degree(&COLUMN, 4), 32);
//! assert_eq!(conflict_degree(&COLUMN.map(Swizzle::<5, 0, 5>::apply), 4), 1);
//! ```

/// The number of banks of shared memory.
pub const BANKS: usize = 32;

/// Bytes of a bank's word.
const BANK_BYTES: usize = 4;

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
    elem_offset * elem_size / BANK_BYTES % BANKS
}

/// The most different words of one bank among these elements, each of one thread: the number of steps that their access takes, and 1 where
/// no two get in each other's way. Offsets are in elements of `elem_size` bytes, of which the first word counts.
pub const fn conflict_degree(elem_offsets: &[usize], elem_size: usize) -> usize {
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

/// The number of banks that these elements lie in.
pub const fn banks_used(elem_offsets: &[usize], elem_size: usize) -> usize {
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
const fn words_by_bank(elem_offsets: &[usize], elem_size: usize) -> [usize; BANKS] {
    let mut words = [0; BANKS];
    let mut index = 0;
    while index < elem_offsets.len() {
        let word = elem_offsets[index] * elem_size / BANK_BYTES;
        let mut earlier = 0;
        while earlier < index && elem_offsets[earlier] * elem_size / BANK_BYTES != word {
            earlier += 1;
        }
        if earlier == index {
            words[word % BANKS] += 1;
        }
        index += 1;
    }
    words
}

/// The offsets of the first `N` elements of a column, in rows of `stride` elements.
pub const fn column_offsets<const N: usize>(column: usize, stride: usize) -> [usize; N] {
    let mut offsets = [0; N];
    let mut row = 0;
    while row < N {
        offsets[row] = row * stride + column;
        row += 1;
    }
    offsets
}

/// The offsets of the first `N` elements of a row, in rows of `stride` elements.
pub const fn row_offsets<const N: usize>(row: usize, stride: usize) -> [usize; N] {
    let mut offsets = [0; N];
    let mut column = 0;
    while column < N {
        offsets[column] = row * stride + column;
        column += 1;
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
        let row: [usize; 32] = row_offsets(3, 32);
        assert_eq!((row[0], row[31], conflict_degree(&row, 4), banks_used(&row, 4)), (96, 127, 1, 32));
        let padded: [usize; 32] = column_offsets(5, 33);
        assert_eq!((padded[2], conflict_degree(&padded, 4)), (71, 1));
        // Two halves of one word are one word.
        assert_eq!((conflict_degree(&[0, 1], 2), banks_used(&[0, 1], 2)), (1, 1));
        assert_eq!((conflict_degree(&[0, 64, 1], 2), banks_used(&[0, 64, 1], 2)), (2, 1));
        assert_eq!((conflict_degree(&[], 4), banks_used(&[], 4)), (0, 0));
    }
}
