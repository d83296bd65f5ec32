//! A GPU thread: the registers that its image accesses, and the device's own data of it.

use std::{
    ops::{Deref, DerefMut},
    ptr,
};

use super::{
    abi::Registers,
    block::BlockContext,
    failure::Failure,
    fiber::Suspender,
    launch::{ThreadId, position},
    limits::WARP,
    wait::Spin,
};

/// A GPU thread. An image has its address as that of the registers.
#[repr(C)]
pub struct Thread {
    registers: Registers,
    /// Suspends the thread's fiber; set while it runs.
    pub suspender: *const Suspender,
    /// The start and the end of its fiber's stack.
    pub stack: (usize, usize),
    /// The thread's number in its block.
    pub number: u32,
    pub block_context: *const BlockContext,
    /// The last poll: call site, kind, address and value.
    pub last_poll: Option<(u32, Spin, usize, u64)>,
    /// The failure that ends the launch.
    pub failure: Option<Failure>,
}

impl Deref for Thread {
    type Target = Registers;

    fn deref(&self) -> &Registers {
        &self.registers
    }
}

impl DerefMut for Thread {
    fn deref_mut(&mut self) -> &mut Registers {
        &mut self.registers
    }
}

impl Thread {
    /// A thread that is not in a block yet.
    pub fn new() -> Self {
        Self {
            registers: Registers::new(),
            suspender: ptr::null(),
            stack: (0, 0),
            number: 0,
            block_context: ptr::null(),
            last_poll: None,
            failure: None,
        }
    }

    /// Its block, which it must be in.
    pub fn context(&self) -> &BlockContext {
        // SAFETY: a block lives while its threads run.
        unsafe { &*self.block_context }
    }

    pub fn id(&self) -> ThreadId {
        self.context().id(self.number as usize)
    }

    /// Makes it the next thread of a block that has not started; `false` where all have.
    pub fn start_next(&mut self, block: &BlockContext) -> bool {
        let number = block.next.get();
        if number == block.shape.threads() {
            return false;
        }
        block.next.set(number + 1);
        self.number = number as u32;
        self.thread = position(number as u64, block.shape.block_dim);
        self.lane = (number % WARP) as u32;
        self.last_poll = None;
        self.depth = 0;
        true
    }

    /// Makes it a thread of another block.
    pub fn move_to(&mut self, block: &BlockContext) {
        self.block = block.position;
        self.block_dim = block.shape.block_dim;
        self.grid_dim = block.shape.grid_dim;
        self.shared = ptr::with_exposed_provenance_mut(block.arena().base(block.slot));
        self.block_context = block;
    }
}
