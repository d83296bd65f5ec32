//! The messages of launches that fail because of what a thread did, or of what threads wait for.
//!
//! ```text
//! kernel `k`: threads of block (0, 0, 0) are in a deadlock: some wait for others that never arrive
//!   at block barrier 0 in `k`: at k.rs:14:13: 32 threads, (0, 0, 0) to (31, 0, 0)
//!   exited: 32 threads, (32, 0, 0) to (63, 0, 0)
//! ```

use std::{fmt::Write, iter, time::Duration};

use super::{
    barrier,
    block::BlockContext,
    failure::{Cause, Failure},
    fault::Fault,
    launch::{Launch, position, triple},
    limits::WARP,
    mbarrier::Mbarrier,
    thread::Thread,
    wait::{Collective, Spin, ThreadState, Wait, WaitReason},
};

/// Ranges of threads, and blocks, that a message names.
const MAX_RANGES: usize = 8;
const MAX_BLOCKS: usize = 4;

impl Launch<'_> {
    /// The start of a message about a thread.
    pub fn thread_prefix(&self, thread: &Thread) -> String {
        format!("kernel `{}`: {}", self.kernel_name(), self.thread_name(thread.id()))
    }

    pub fn panicked(&self, thread: &Thread, site: u32) -> Failure {
        let message = format!("{} panicked in {}", self.thread_prefix(thread), self.site(site));
        Failure { cause: Cause::LaunchFailed, message }
    }

    /// A panic at an index that is out of bounds, in Rust's words.
    pub fn out_of_bounds(&self, thread: &Thread, site: u32, index: u64, length: u64) -> Failure {
        const MESSAGE: &str = "index out of bounds";
        let Failure { cause, message } = self.panicked(thread, site);
        Failure { cause, message: message.replacen(MESSAGE, &format!("{MESSAGE}: the len is {length} but the index is {index}"), 1) }
    }

    /// A fault of the processor.
    pub fn faulted(&self, thread: &Thread, fault: Fault) -> Failure {
        let (cause, what) = match fault {
            Fault::Address(address) => {
                (Cause::IllegalAddress, format!("accessed {address:#x}, {}", self.describe_address(thread, address)))
            }
            Fault::NoAddress => (Cause::IllegalAddress, "accessed an address that is misaligned or invalid".into()),
            Fault::Stack => (Cause::LaunchFailed, "overflowed its stack".into()),
            Fault::Arithmetic => (Cause::IllegalInstruction, "divided by zero, or the quotient overflowed".into()),
            Fault::Instruction => (Cause::IllegalInstruction, "reached unreachable code".into()),
        };
        Failure { cause, message: format!("{} {what}", self.thread_prefix(thread)) }
    }

    /// The location of an address that faulted.
    fn describe_address(&self, thread: &Thread, address: usize) -> String {
        let block = thread.context();
        let Some((slot, offset)) = block.arena().find(address) else { return self.memory.describe(address as u64) };
        let whose = if slot == block.slot { "the block's" } else { "another block's" };
        let bytes = block.arena().bytes();
        let dynamic = match self.shape.dynamic_shared {
            0 => String::new(),
            dynamic => format!(" ({dynamic} of them dynamic)"),
        };
        match usize::try_from(offset) {
            Err(_) => format!("{} bytes before {whose} shared memory", -offset),
            Ok(offset) => {
                format!("{} bytes past the end of {whose} shared memory of {bytes} bytes{dynamic}", offset.saturating_sub(bytes))
            }
        }
    }

    /// A failure that a function of the device has stored in the thread.
    pub fn failed(&self, thread: &mut Thread, site: u32) -> Failure {
        let failure = thread.failure.take().unwrap_or(Failure { cause: Cause::LaunchFailed, message: String::new() });
        let Failure { cause, message } = failure;
        if cause == Cause::Assert {
            return Failure { cause, message };
        }
        let site = if site == u32::MAX { String::new() } else { format!(", in {}", self.site(site)) };
        Failure { cause, message: format!("{} {message}{site}", self.thread_prefix(thread)) }
    }

    /// A thread that misuses a barrier of its block.
    pub fn barrier_misuse(&self, thread: &Thread, wait: Wait, misuse: barrier::Misuse) -> Failure {
        use barrier::Misuse;
        let count = match wait.reason {
            WaitReason::Barrier { count, .. } | WaitReason::Arrive { count, .. } => count,
            _ => 0,
        };
        let error = match misuse {
            Misuse::Number => "but barriers have the numbers 0 to 15".to_owned(),
            Misuse::Count => format!("with a count of {count}, which is not a positive multiple of 32"),
            Misuse::OtherCount(other) => format!("with a count of {count}, but other threads arrived with a count of {other}"),
            Misuse::Twice => "a second time before the barrier is complete".to_owned(),
            Misuse::TooMany => format!("whose count of {count} threads is exceeded"),
        };
        let message = format!("{} arrives at {}, {error}", self.thread_prefix(thread), self.describe_wait(wait));
        Failure { cause: Cause::LaunchFailed, message }
    }

    /// A thread that arrives where it may not.
    pub fn illegal_arrival(&self, thread: &Thread, wait: Wait, error: &str) -> Failure {
        let message = format!("{} arrives at {} {error}", self.thread_prefix(thread), self.describe_wait(wait));
        Failure { cause: Cause::LaunchFailed, message }
    }

    pub fn outside_mask(&self, thread: &Thread, state: ThreadState) -> Failure {
        let what = match state {
            ThreadState::Waits(wait) => self.describe_wait(wait),
            ThreadState::New | ThreadState::Ready(_) | ThreadState::Exited => String::new(),
        };
        let message = format!("{}, lane {}, is at {what}, but its mask does not include it", self.thread_prefix(thread), thread.lane);
        Failure { cause: Cause::LaunchFailed, message }
    }

    /// None of the threads can continue: the reason of each wait, and the threads that have exited.
    pub fn deadlock<'b>(&self, blocks: impl Iterator<Item = (&'b BlockContext, &'b [ThreadState])>) -> Failure {
        self.threads_report("are in a deadlock: some wait for others that never arrive", blocks)
    }

    /// All threads poll memory that no thread changes.
    pub fn spin_timeout<'b>(&self, blocks: impl Iterator<Item = (&'b BlockContext, &'b [ThreadState])>) -> Failure {
        self.threads_report("spin on memory that no thread writes", blocks)
    }

    /// Threads that loop over a barrier, where it is known, without a write.
    pub fn barrier_timeout(&self, block: &BlockContext, at: Option<Wait>, timeout: Duration) -> Failure {
        let message = self.barrier_loop(block, at, timeout, ", and no thread has written to memory");
        Failure { cause: Cause::LaunchFailed, message }
    }

    /// The message about threads that loop over a barrier, where it is known.
    pub fn barrier_loop(&self, block: &BlockContext, at: Option<Wait>, timeout: Duration, more: &str) -> String {
        let (kernel, block, seconds) = (self.kernel_name(), triple(block.position), timeout.as_secs());
        let mut message = format!("kernel `{kernel}`: threads of block {block} have looped over barriers for {seconds} seconds{more}");
        if let Some(wait) = at {
            let _ = write!(message, "\n  at {}", self.describe_wait(wait));
        }
        message
    }

    /// Lanes of a warp that arrive at one barrier of the block at different calls.
    pub fn diverged(&self, block: &BlockContext, states: &[ThreadState]) -> Failure {
        self.threads_report("have diverged at a barrier that takes whole warps", iter::once((block, states)))
    }

    /// A message about the threads of blocks, with the state of each.
    fn threads_report<'b>(&self, what: &str, blocks: impl Iterator<Item = (&'b BlockContext, &'b [ThreadState])>) -> Failure {
        let mut message = String::new();
        let blocks = blocks.filter(|(_, states)| states.iter().any(|state| *state != ThreadState::Exited));
        for (number, (block, states)) in blocks.enumerate() {
            let block = triple(block.position);
            if number == MAX_BLOCKS {
                message.push_str("\nand other blocks");
                break;
            }
            let _ = match number {
                0 => write!(message, "kernel `{}`: threads of block {block} {what}", self.kernel_name()),
                _ => write!(message, "\nof block {block}"),
            };
            self.write_states(&mut message, states);
        }
        Failure { cause: Cause::LaunchFailed, message }
    }

    fn write_states(&self, message: &mut String, states: &[ThreadState]) {
        let mut reported: Vec<ThreadState> = Vec::new();
        for state in states.iter().map(|state| state.without_operands()) {
            if reported.contains(&state) {
                continue;
            }
            reported.push(state);
            let threads = self.ranges(states.iter().map(|other| other.without_operands() == state));
            let what = match state {
                ThreadState::Waits(wait) => format!("at {}", self.describe_wait(wait)),
                ThreadState::Exited => "exited".into(),
                ThreadState::New => "not started".into(),
                ThreadState::Ready(_) => "can run".into(),
            };
            let _ = write!(message, "\n  {what}: {threads}");
        }
        if has_diverged(states) {
            message.push_str("\n  lanes of one mask are at different calls: they have diverged");
        }
    }

    fn describe_wait(&self, wait: Wait) -> String {
        let what = match wait.reason {
            WaitReason::Trap | WaitReason::OutOfBounds { .. } => "a panic".into(),
            WaitReason::Failure => "a failure".into(),
            WaitReason::Exited => "its end".into(),
            WaitReason::Barrier { number, count, .. } | WaitReason::Arrive { number, count } => {
                let all = self.shape.threads().next_multiple_of(WARP) == count as usize;
                if all || count == 0 { format!("block barrier {number}") } else { format!("block barrier {number} for {count} threads") }
            }
            WaitReason::ClusterArrive { .. } | WaitReason::ClusterWait => "the cluster's barrier".into(),
            WaitReason::Grid => "the grid's barrier".into(),
            WaitReason::Spin { what: Spin::Memory, .. } => "a loop that polls memory".into(),
            WaitReason::Spin { what: Spin::Sleep, .. } => "a loop that sleeps".into(),
            WaitReason::Spin { what: Spin::Mbarrier, value, .. } => mbarrier(value),
            WaitReason::ActiveMask => "activemask".into(),
            WaitReason::Collective { mask, collective } => format!("warp {} with mask {mask:#010x}", collective_name(collective)),
        };
        format!("{what} in {}", self.site(wait.site))
    }

    /// The threads of a block for which `chosen` holds, as ranges.
    fn ranges(&self, chosen: impl Iterator<Item = bool>) -> String {
        let chosen: Vec<bool> = chosen.chain(iter::once(false)).collect();
        let mut ranges: Vec<String> = Vec::new();
        let mut start = None;
        for (number, &is_in) in chosen.iter().enumerate() {
            match (start, is_in) {
                (None, true) => start = Some(number),
                (Some(first), false) => {
                    let last = number - 1;
                    let (from, to) =
                        (triple(position(first as u64, self.shape.block_dim)), triple(position(last as u64, self.shape.block_dim)));
                    ranges.push(if first == last { from } else { format!("{from} to {to}") });
                    start = None;
                }
                _ => {}
            }
        }
        let more = ranges.len().saturating_sub(MAX_RANGES);
        ranges.truncate(MAX_RANGES);
        let more = if more > 0 { format!(" and {more} more ranges") } else { String::new() };
        let count = chosen.iter().filter(|is_in| **is_in).count();
        let threads = if count == 1 { "thread" } else { "threads" };
        format!("{count} {threads}, {}{more}", ranges.join(", "))
    }
}

/// The arrivals and bytes that an mbarrier waits for.
fn mbarrier(bits: u64) -> String {
    let Ok(barrier) = Mbarrier::from_bits(bits) else { return "an mbarrier".into() };
    let Mbarrier { count, pending, bytes, .. } = barrier;
    let bytes = if bytes == 0 { String::new() } else { format!(" and {bytes} bytes") };
    format!("an mbarrier with {pending} of {count} arrivals{bytes} pending")
}

fn collective_name(collective: Collective) -> &'static str {
    match collective {
        Collective::Barrier => "barrier",
        Collective::Shuffle { .. } => "shuffle",
        Collective::Vote { .. } => "vote",
        Collective::Match { .. } => "match",
        Collective::Redux { .. } => "reduction",
        Collective::Elect => "election",
    }
}

/// Whether lanes of a warp wait for each other at two calls of the same operation.
fn has_diverged(states: &[ThreadState]) -> bool {
    states.chunks(WARP).any(|warp| {
        let at = |state: &ThreadState| match state.waits() {
            Some(Wait { site, reason: WaitReason::Collective { mask, collective } }) if collective != Collective::Barrier => {
                Some((site, mask, collective))
            }
            _ => None,
        };
        let calls: Vec<_> = warp.iter().filter_map(at).collect();
        calls.iter().any(|one| calls.iter().any(|other| one.0 != other.0 && one.1 == other.1 && one.2.matches(other.2)))
    })
}
