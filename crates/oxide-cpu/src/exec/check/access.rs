//! An access to memory that is checked.

use crate::exec::{launch::ThreadId, shared_memory::Arena};

/// How an access is made: what the image passes as one number (`packed` in `src/oxide/export/cpu.py`).
#[derive(Clone, Copy)]
pub struct AccessFlags(pub u32);

impl AccessFlags {
    pub const READ: Self = Self(0);
    pub const WRITE: Self = Self(1);
    /// A write of an asynchronous copy.
    pub const COPY: Self = Self(1 | 1 << 9);
    /// A relaxed atomic update.
    pub const UPDATE: Self = Self(2 | 1 << 4);

    pub fn writes(self) -> bool {
        self.0 & 3 != 0
    }

    pub fn reads(self) -> bool {
        !self.writes() || self.updates()
    }

    pub fn updates(self) -> bool {
        self.0 & 3 == 2
    }

    /// Volatile accesses are relaxed atomic ones (PTX ISA, "Volatile Operations").
    fn atomic(self) -> bool {
        self.0 & 4 != 0 || self.ordering().0 != 0
    }

    pub fn ordering(self) -> Ordering {
        Ordering(self.0 >> 4 & 7)
    }

    pub fn align(self) -> usize {
        1 << (self.0 >> 12 & 31)
    }

    pub fn kind(self) -> AccessKind {
        AccessKind { writes: self.writes(), atomic: self.atomic(), block_scope: self.0 >> 8 & 1 == 1, asynchronous: self.0 >> 9 & 1 == 1 }
    }

    /// What the access does, for a message.
    pub fn verb(self) -> &'static str {
        match (self.updates(), self.writes()) {
            (true, _) => "updates",
            (false, true) => "writes",
            (false, false) => "reads",
        }
    }
}

/// A memory ordering, by its number in [`AccessFlags`] and in the calls of fences.
#[derive(Clone, Copy)]
pub struct Ordering(pub u32);

impl Ordering {
    pub fn acquires(self) -> bool {
        matches!(self.0, 2 | 4 | 5)
    }

    pub fn releases(self) -> bool {
        matches!(self.0, 3..=5)
    }
}

/// The properties of an access by which it conflicts with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccessKind {
    pub writes: bool,
    pub atomic: bool,
    /// Whether it is atomic for threads of its block only.
    pub block_scope: bool,
    /// Whether it is made by an asynchronous copy, and ordered before nothing until the thread waits for that.
    pub asynchronous: bool,
}

impl AccessKind {
    /// What the access does, for a message.
    pub fn verb(self, updates: bool) -> &'static str {
        match self {
            Self { asynchronous: true, .. } => "copies asynchronously to",
            Self { atomic: false, writes: false, .. } => "reads",
            Self { atomic: false, writes: true, .. } => "writes",
            Self { block_scope: true, writes: true, .. } => "atomically writes, with block scope,",
            Self { block_scope: true, .. } => "atomically reads, with block scope,",
            Self { writes: true, .. } if updates => "atomically updates",
            Self { writes: true, .. } => "atomically writes",
            Self { .. } => "atomically reads",
        }
    }
}

/// An access that a thread is about to make.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    pub thread: ThreadId,
    /// The shared memory of the blocks that are resident together, and the slot of the thread's block.
    pub arena: &'a Arena,
    pub slot: usize,
    /// The start and the end of the thread's stack.
    pub stack: (usize, usize),
    pub call_stack: &'a [u32],
    /// The image's call that checks it.
    pub site: u32,
    pub address: usize,
    pub bytes: usize,
    pub flags: AccessFlags,
}
