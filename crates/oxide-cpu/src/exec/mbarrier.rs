//! The 64 bits of an mbarrier in shared memory (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
//!
//! A phase is complete when all expected arrivals have occurred and all expected bytes have been copied; then the next begins, with the same
//! count. A token is the barrier's value before the arrival, of which a wait uses the phase.

/// Most arrivals, and most pending bytes, of a phase.
pub const MAX: u32 = (1 << 20) - 1;

const MARK: u64 = 0b10 << 62;
const MARK_BITS: u64 = 0b11 << 62;
/// The value of an mbarrier that was invalidated.
pub const INVALIDATED: u64 = 0b01 << 62 | 0xdead;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mbarrier {
    /// That of the current phase: 0 or 1.
    pub parity: u64,
    /// Expected arrivals of a phase.
    pub count: u32,
    /// Pending arrivals.
    pub pending: u32,
    /// Pending bytes (tx-count).
    pub bytes: i32,
}

/// An error of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    NotInitialised,
    Invalidated,
    Count,
    TooManyArrivals,
    TooManyBytes,
}

impl Misuse {
    pub fn text(self) -> &'static str {
        match self {
            Self::NotInitialised => "which is not an mbarrier: it was not initialised",
            Self::Invalidated => "which is not an mbarrier any more: it was invalidated",
            Self::Count => "for an mbarrier with a count that is not between 1 and 1048575",
            Self::TooManyArrivals => "an mbarrier with more arrivals than its count",
            Self::TooManyBytes => "an mbarrier with more pending bytes than its limit of 1048575",
        }
    }
}

impl Mbarrier {
    pub fn new(count: u32) -> Result<Self, Misuse> {
        if (1..=MAX).contains(&count) { Ok(Self { parity: 0, count, pending: count, bytes: 0 }) } else { Err(Misuse::Count) }
    }

    pub fn from_bits(bits: u64) -> Result<Self, Misuse> {
        if bits == INVALIDATED {
            return Err(Misuse::Invalidated);
        }
        let field = |at: u32| (bits >> at) as u32 & MAX;
        let (pending, count, bytes) = (field(0), field(20), (bits >> 40) as u32 & 0x1f_ffff);
        if bits & MARK_BITS != MARK || count == 0 || pending > count {
            return Err(Misuse::NotInitialised);
        }
        Ok(Self { parity: bits >> 61 & 1, count, pending, bytes: (bytes << 11) as i32 >> 11 })
    }

    pub fn to_bits(self) -> u64 {
        MARK | self.parity << 61 | u64::from(self.bytes as u32 & 0x1f_ffff) << 40 | u64::from(self.count) << 20 | u64::from(self.pending)
    }

    /// Counts one arrival, after expecting `bytes` more.
    ///
    /// # Errors
    ///
    /// The misuse.
    pub fn arrive(&mut self, bytes: u32) -> Result<(), Misuse> {
        self.expect(bytes)?;
        self.pending = self.pending.checked_sub(1).ok_or(Misuse::TooManyArrivals)?;
        self.complete();
        Ok(())
    }

    /// Expects bytes.
    ///
    /// # Errors
    ///
    /// The misuse.
    pub fn expect(&mut self, bytes: u32) -> Result<(), Misuse> {
        let bytes = i32::try_from(bytes).ok().and_then(|bytes| self.bytes.checked_add(bytes));
        self.bytes = bytes.filter(|&bytes| bytes <= MAX as i32).ok_or(Misuse::TooManyBytes)?;
        Ok(())
    }

    /// Whether the phase of this parity is complete: the current one, or the one before it.
    pub fn is_complete(self, parity: u64) -> bool {
        self.parity != parity & 1
    }

    fn complete(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.parity ^= 1;
            self.pending = self.count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_one_another() {
        let mut barrier = Mbarrier::new(2).unwrap();
        assert!(barrier.is_complete(1) && !barrier.is_complete(0));
        barrier.arrive(0).unwrap();
        assert!(!barrier.is_complete(0));
        barrier.arrive(0).unwrap();
        assert!(barrier.is_complete(0) && !barrier.is_complete(1));
        assert_eq!(barrier, Mbarrier { parity: 1, count: 2, pending: 2, bytes: 0 });
    }

    #[test]
    fn bytes_are_waited_for() {
        let mut barrier = Mbarrier::new(1).unwrap();
        barrier.arrive(64).unwrap();
        assert!(!barrier.is_complete(0));
        assert_eq!(barrier.arrive(0), Err(Misuse::TooManyArrivals));
        assert_eq!(barrier.expect(MAX), Err(Misuse::TooManyBytes));
    }

    #[test]
    fn bits_hold_all_of_it() {
        for barrier in [
            Mbarrier { parity: 1, count: MAX, pending: 1, bytes: -(MAX as i32) },
            Mbarrier { parity: 0, count: 3, pending: 0, bytes: MAX as i32 },
        ] {
            assert_eq!(Mbarrier::from_bits(barrier.to_bits()), Ok(barrier));
        }
        assert_eq!(Mbarrier::from_bits(0), Err(Misuse::NotInitialised));
        assert_eq!(Mbarrier::from_bits(0xcbcb_cbcb_cbcb_cbcb), Err(Misuse::NotInitialised));
        assert_eq!(Mbarrier::from_bits(INVALIDATED), Err(Misuse::Invalidated));
        assert_eq!(Mbarrier::new(0), Err(Misuse::Count));
    }
}
