//! The barriers of a block (PTX ISA, `barrier.cta`).
//!
//! They count threads, whole warps at a time: all of the block, or a given number. Hardware since Volta completes a barrier when all threads
//! that have not exited have arrived, which hides that some never arrive; here a thread that exits without reaching it is an error. The
//! `aligned` form, the only one here, takes all threads of a warp to one instruction.

use super::{limits::WARP, wait::Reduce};

/// Barriers of a block.
pub const BARRIERS: usize = 16;

/// Threads of a block, one bit each.
type Threads = [u64; 16];

/// One of the barriers of a block.
#[derive(Clone, Copy, Default)]
pub struct Barrier {
    /// The number of threads that complete it, which all threads that have arrived agree on.
    count: u32,
    arrived: Threads,
}

/// An error of a thread that arrives at a barrier of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The barrier has no such number.
    Number,
    /// The count is not a multiple of the warp's size, or 0.
    Count,
    /// Threads before it arrived with this count.
    OtherCount(u32),
    /// It has arrived before, and the barrier is not complete.
    Twice,
    /// The barrier is complete without its whole warp.
    TooMany,
}

impl Barrier {
    /// Counts the arrival of a thread that expects `count` threads, of a block of `threads`; returns whether the barrier is complete.
    ///
    /// # Errors
    ///
    /// The misuse.
    pub fn arrive(&mut self, thread: usize, count: u32, threads: usize) -> Result<bool, Misuse> {
        if count == 0 || !count.is_multiple_of(WARP as u32) {
            return Err(Misuse::Count);
        }
        if self.count != 0 && self.count != count {
            return Err(Misuse::OtherCount(self.count));
        }
        self.count = count;
        let bit = 1 << (thread % 64);
        if self.arrived[thread / 64] & bit != 0 {
            return Err(Misuse::Twice);
        }
        self.arrived[thread / 64] |= bit;
        let arrived: usize = self.arrived.iter().map(|word| word.count_ones() as usize).sum();
        // A warp that is not full counts as one that is.
        let last = threads % WARP;
        let first = threads - last;
        let is_last_here = last > 0 && (first..threads).all(|thread| self.has(thread));
        let arrived = arrived + if is_last_here { WARP - last } else { 0 };
        if arrived > count as usize { Err(Misuse::TooMany) } else { Ok(arrived == count as usize) }
    }

    pub fn has(&self, thread: usize) -> bool {
        self.arrived[thread / 64] >> (thread % 64) & 1 == 1
    }
}

/// The result of a block barrier that combines the predicates of its threads.
pub fn reduce_predicates(reduce: Reduce, predicates: impl Iterator<Item = bool>) -> u32 {
    let (mut count, mut true_ones) = (0, 0);
    for predicate in predicates {
        count += 1;
        true_ones += u32::from(predicate);
    }
    match reduce {
        Reduce::Count => true_ones,
        Reduce::And => (true_ones == count).into(),
        Reduce::Or => (true_ones > 0).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_counts_whole_warps() {
        let mut barrier = Barrier::default();
        assert_eq!(barrier.arrive(0, 31, 48), Err(Misuse::Count));
        for thread in 0..32 {
            assert_eq!(barrier.arrive(thread, 64, 48), Ok(false));
        }
        assert_eq!(barrier.arrive(3, 64, 48), Err(Misuse::Twice));
        assert_eq!(barrier.arrive(40, 32, 48), Err(Misuse::OtherCount(64)));
        for thread in 32..47 {
            assert_eq!(barrier.arrive(thread, 64, 48), Ok(false));
        }
        assert_eq!(barrier.arrive(47, 64, 48), Ok(true));
    }

    #[test]
    fn predicates_are_combined() {
        let result = |reduce| reduce_predicates(reduce, [true, false, true].into_iter());
        assert_eq!([Reduce::Count, Reduce::And, Reduce::Or].map(result), [2, 0, 1]);
    }
}
