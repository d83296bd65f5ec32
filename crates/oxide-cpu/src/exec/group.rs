//! Blocks that are resident together, and the barriers of clusters and of the grid.

use std::{ptr::NonNull, time::Instant};

use super::{
    barrier::{BARRIERS, Barrier},
    block::BlockContext,
    check::race::Race,
    fiber::Fiber,
    shared_memory::Arena,
    thread::Thread,
    wait::{ThreadState, Wait, WaitReason},
};

/// A fiber with the thread that it runs.
pub struct Runner {
    pub fiber: Fiber,
    pub thread: NonNull<Thread>,
}

impl Drop for Runner {
    fn drop(&mut self) {
        // SAFETY: made from a box, and nobody else frees it; the fiber does not run.
        drop(unsafe { Box::from_raw(self.thread.as_ptr()) });
    }
}

impl Runner {
    pub fn thread(&mut self) -> &mut Thread {
        // SAFETY: alive as long as `self`; the fiber does not run while the scheduler does.
        unsafe { self.thread.as_mut() }
    }
}

/// A block that runs, with the states of its threads.
pub struct Block {
    pub context: Box<BlockContext>,
    pub states: Vec<ThreadState>,
    pub runners: Vec<Option<Runner>>,
    pub barriers: [Barrier; BARRIERS],
    /// The current phase of the cluster's barrier.
    pub cluster_phase: u64,
    /// The phase at which each thread has arrived and not waited; empty for kernels whose threads do not synchronize.
    pub cluster_phases: Vec<Option<u64>>,
    /// Threads that have not exited.
    pub alive: usize,
    /// Threads that spin.
    pub spinning: usize,
}

/// Blocks that are resident together.
pub struct Group {
    pub number: u64,
    pub arena: Box<Arena>,
    pub blocks: Vec<Block>,
    /// How often its threads have had their turn.
    pub passes: u32,
    /// Since when, and how often, its threads have only polled mbarriers.
    pub mbarrier_polls: Option<(Instant, u32)>,
}

impl Group {
    pub fn threads(&self) -> u64 {
        self.blocks.iter().map(|block| block.states.len() as u64).sum()
    }
}

impl Block {
    /// Lets the threads that spin poll again.
    pub fn wake(&mut self) {
        self.spinning = 0;
        self.states.iter_mut().filter(|state| state.spins()).for_each(|state| *state = ThreadState::Ready(0));
    }

    /// Counts the arrival of a thread at its cluster's barrier; `false` where it has arrived before.
    pub fn arrive_at_cluster(&mut self, thread: usize) -> bool {
        let is_new = self.cluster_phases[thread].is_none();
        self.cluster_phases[thread].get_or_insert(self.cluster_phase);
        is_new
    }
}

/// Completes the barriers of clusters; whether any thread may continue.
pub fn complete_cluster_barriers(group: &mut Group, in_cluster: usize, mut race: Option<&mut Race>) -> bool {
    let waits = |state: &ThreadState| matches!(state.waits(), Some(Wait { reason: WaitReason::ClusterWait, .. }));
    let mut any = false;
    for blocks in group.blocks.chunks_mut(in_cluster) {
        if !blocks.iter().any(|block| !block.cluster_phases.is_empty() && block.states.iter().any(waits)) {
            continue;
        }
        let has_arrived = |block: &Block| {
            let mut threads = block.states.iter().zip(&block.cluster_phases);
            threads.all(|(state, phase)| *state == ThreadState::Exited || *phase == Some(block.cluster_phase))
        };
        let is_complete = blocks.iter().all(has_arrived);
        for block in blocks {
            block.cluster_phase += u64::from(is_complete);
            let mut released = Vec::new();
            for (thread, (state, phase)) in block.states.iter_mut().zip(&mut block.cluster_phases).enumerate() {
                if waits(state) && phase.is_some_and(|phase| phase < block.cluster_phase) {
                    (*state, *phase) = (ThreadState::Ready(0), None);
                    released.push(block.context.id(thread));
                }
            }
            any |= !released.is_empty();
            if let Some(race) = &mut race {
                race.wait_at_cluster(&released, block.context.cluster, block.cluster_phase - 1);
            }
        }
    }
    any
}

/// Completes the grid's barrier of a cooperative launch, where all threads wait at it; whether they do.
pub fn complete_grid_barrier(group: &mut Group, race: Option<&mut Race>) -> bool {
    let waits = |state: &ThreadState| matches!(state.waits(), Some(Wait { reason: WaitReason::Grid, .. }));
    let all = group.blocks.iter().all(|block| block.states.iter().all(waits));
    if all {
        if let Some(race) = race {
            race.synchronize(group.blocks.iter().flat_map(|block| (0..block.states.len()).map(|thread| block.context.id(thread))));
        }
        group.blocks.iter_mut().for_each(|block| block.states.fill(ThreadState::Ready(0)));
    }
    all
}
