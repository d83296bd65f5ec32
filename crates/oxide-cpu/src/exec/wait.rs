//! What threads wait for, and the state that this leaves them in.
//!
//! ```text
//! bar.sync 0    →    Wait { site, reason: Barrier { number: 0, count: 256, reduce: None } }
//! ```

/// A wait of a thread, at the call site numbered `site`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub site: u32,
    pub reason: WaitReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// Nothing: the kernel has panicked, which ends the launch.
    Trap,
    /// Nothing: it has panicked at an index that is out of bounds.
    OutOfBounds { index: u64, length: u64 },
    /// Nothing: a function of the device has stored a failure in the thread, which ends the launch.
    Failure,
    /// Nothing: it has exited, and its fiber may run another thread.
    Exited,
    /// A barrier of the block, for so many threads, whole warps of them.
    Barrier { number: u32, count: u32, reduce: Option<(Reduce, bool)> },
    /// Nothing: it has arrived at a barrier of the block and continues.
    Arrive { number: u32, count: u32 },
    /// Nothing: it has arrived at the cluster's barrier and continues; its writes are visible to those that wait there where it `releases`.
    ClusterArrive { releases: bool },
    /// The cluster's barrier, at which it has arrived before.
    ClusterWait,
    /// The grid's barrier of a cooperative launch.
    Grid,
    /// A write of another thread: the address that it polls, and the value there.
    Spin { what: Spin, address: usize, value: u64 },
    /// The other lanes of its mask.
    Collective { mask: u32, collective: Collective },
    /// The lanes that are active with it.
    ActiveMask,
}

/// An operation that the lanes of a mask execute together, with this lane's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    Barrier,
    Shuffle { mode: Shuffle, value: u32, lane: u32, clamp: u32 },
    Vote { mode: Vote, predicate: bool },
    Match { mode: Match, value: u64 },
    Redux { mode: Redux, value: u32 },
    Elect,
}

/// What a thread that spins polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spin {
    Memory,
    Mbarrier,
    /// Nothing: it sleeps.
    Sleep,
}

/// How a block barrier combines the predicates of its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    Count,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Any,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redux {
    Add,
    And,
    Or,
    Xor,
    MinUnsigned,
    MinSigned,
    MaxUnsigned,
    MaxSigned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Up,
    Down,
    Xor,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Ballot,
}

/// A thread, as the scheduler sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadState {
    /// It has not started, and can run.
    New,
    /// It can run, with this result of what it waited for.
    Ready(u32),
    Waits(Wait),
    Exited,
}

impl ThreadState {
    pub fn waits(&self) -> Option<Wait> {
        if let Self::Waits(wait) = self { Some(*wait) } else { None }
    }

    pub fn spins(&self) -> bool {
        matches!(self, Self::Waits(Wait { reason: WaitReason::Spin { .. }, .. }))
    }

    /// The state without operands, for messages: threads that differ only in their operands are reported as one group.
    pub fn without_operands(self) -> Self {
        let Self::Waits(Wait { site, reason }) = self else { return if let Self::Ready(_) = self { Self::Ready(0) } else { self } };
        let reason = match reason {
            WaitReason::Collective { mask, collective } => WaitReason::Collective { mask, collective: collective.without_operands() },
            WaitReason::Barrier { number, count, reduce } => {
                WaitReason::Barrier { number, count, reduce: reduce.map(|(reduce, _)| (reduce, false)) }
            }
            WaitReason::Spin { what: Spin::Memory, .. } => WaitReason::Spin { what: Spin::Memory, address: 0, value: 0 },
            other => other,
        };
        Self::Waits(Wait { site, reason })
    }
}

impl Collective {
    fn without_operands(self) -> Self {
        match self {
            Self::Barrier | Self::Elect => self,
            Self::Shuffle { mode, .. } => Self::Shuffle { mode, value: 0, lane: 0, clamp: 0 },
            Self::Vote { mode, .. } => Self::Vote { mode, predicate: false },
            Self::Match { mode, .. } => Self::Match { mode, value: 0 },
            Self::Redux { mode, .. } => Self::Redux { mode, value: 0 },
        }
    }

    /// Whether two lanes execute the same operation, each with its own operands.
    pub fn matches(self, other: Self) -> bool {
        self.without_operands() == other.without_operands()
    }
}
