//! A block that runs: its position, and what its threads share.

use std::cell::Cell;

use super::{
    check::Check,
    launch::{Shape, ThreadId},
    shared_memory::Arena,
};

/// The position of a block, and what its threads share.
pub struct BlockContext {
    pub shape: Shape,
    pub position: [u32; 3],
    /// The block's number in its cluster, and the cluster's position in the grid.
    pub rank: u32,
    pub cluster: [u32; 3],
    /// The block's number among those that are resident together, whose shared memory is in `arena`.
    pub slot: usize,
    pub arena: *const Arena,
    /// The device's worker that runs it.
    pub worker: u32,
    /// The first thread that has not started.
    pub next: Cell<usize>,
    /// The checks of accesses, or null.
    pub check: *mut Check<'static>,
}

impl BlockContext {
    /// The shared memory of the blocks that are resident together.
    pub fn arena(&self) -> &Arena {
        // SAFETY: the arena lives as long as the blocks.
        unsafe { &*self.arena }
    }

    /// The block's number in the grid.
    pub fn number(&self) -> u32 {
        let ([x, y, z], [x_count, y_count, _]) = (self.position, self.shape.grid_dim);
        (u64::from(x) + u64::from(x_count) * (u64::from(y) + u64::from(y_count) * u64::from(z))) as u32
    }

    /// One of its threads.
    pub fn id(&self, thread: usize) -> ThreadId {
        ThreadId { block: self.number(), thread: thread as u32 }
    }
}
