//! A launch, the blocks of it that run, and what goes wrong with them in words.

use std::{cell::Cell, ffi::CStr, fmt::Write, iter, ptr, time::Duration};

use rustc_demangle::demangle;

use crate::{
    abi::{CALLS, Image, Kernel, Thread},
    check::Check,
    error::Error,
    fault::Fault,
    mbarrier::Mbarrier,
    meeting::{Exchange, Misuse, Spin, State, WARP, Wait, Why},
    memory::{self, Reach},
    shared::Arena,
    spots::Chains,
};

/// What is the same for all threads of a launch.
#[derive(Clone, Copy)]
pub struct Shape {
    /// How many launches there were before.
    pub number: u64,
    pub grid_dim: [u32; 3],
    pub block_dim: [u32; 3],
    /// Blocks of a cluster.
    pub cluster_dim: [u32; 3],
    /// Whether all blocks run together, so that they may wait for one another.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory of a block.
    pub dynamic_shared: u32,
    /// Bytes of shared variables of a block.
    pub shared: u32,
}

impl Shape {
    pub fn threads(&self) -> usize {
        self.block_dim.iter().map(|&count| count as usize).product()
    }

    pub fn blocks(&self) -> u64 {
        self.grid_dim.iter().map(|&count| u64::from(count)).product()
    }

    /// Blocks of a cluster.
    pub fn in_cluster(&self) -> u64 {
        self.cluster_dim.iter().map(|&count| u64::from(count)).product()
    }

    /// Blocks that run together.
    pub fn group(&self) -> u64 {
        if self.cooperative { self.blocks() } else { self.in_cluster() }
    }

    /// Clusters along each axis.
    pub fn clusters(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis| self.grid_dim[axis] / self.cluster_dim[axis])
    }
}

/// A kernel with its shape and parameters.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub image: &'a Image,
    pub kernel: &'a Kernel,
    pub shape: Shape,
    pub parameters: &'a [u128],
    /// The places that calls lead to; they are numbered on behind the image's calls.
    pub chains: &'a Chains,
    /// What memory of other devices it may access.
    pub reach: &'a Reach,
}

// SAFETY: what an image's table points to is never written.
unsafe impl Sync for Launch<'_> {}

/// Why a launch failed, for the program and for people.
#[derive(Debug)]
pub struct Failure {
    pub error: Error,
    pub message: String,
}

/// Where a block is, and what its threads share.
pub struct Place {
    pub shape: Shape,
    pub position: [u32; 3],
    /// The block's number in its cluster, and the cluster's position in the grid.
    pub rank: u32,
    pub cluster: [u32; 3],
    /// The block's number among those that run together, which have their shared memory in `arena`.
    pub slot: usize,
    pub arena: *const Arena,
    /// Which of the device's threads runs it.
    pub worker: u32,
    /// The first thread that has not started.
    pub next: Cell<usize>,
    /// What checks accesses, or null.
    pub check: *mut Check<'static>,
}

impl Place {
    /// The shared memory of the blocks that run together.
    pub fn arena(&self) -> &Arena {
        // SAFETY: the arena lives as long as the blocks.
        unsafe { &*self.arena }
    }

    /// The block's number in the grid.
    pub fn number(&self) -> u32 {
        let ([x, y, z], [x_count, y_count, _]) = (self.position, self.shape.grid_dim);
        (u64::from(x) + u64::from(x_count) * (u64::from(y) + u64::from(y_count) * u64::from(z))) as u32
    }
}

impl Thread {
    /// A thread that is at no place yet.
    pub fn new() -> Self {
        Self {
            suspender: ptr::null(),
            thread: [0; 3],
            block: [0; 3],
            block_dim: [1; 3],
            grid_dim: [1; 3],
            lane: 0,
            spins: 0,
            shared: ptr::null_mut(),
            depth: 0,
            calls: [0; CALLS],
            stack: (0, 0),
            number: 0,
            place: ptr::null(),
            looked_at: None,
            failure: None,
        }
    }

    /// Makes it the next thread of a block that has not started; `false` where all have.
    pub fn start_next(&mut self, place: &Place) -> bool {
        let number = place.next.get();
        if number == place.shape.threads() {
            return false;
        }
        place.next.set(number + 1);
        self.number = number as u32;
        self.thread = position(number as u64, place.shape.block_dim);
        self.lane = (number % WARP) as u32;
        self.looked_at = None;
        self.depth = 0;
        true
    }

    /// Makes it a thread of another block.
    pub fn move_to(&mut self, place: &Place) {
        self.block = place.position;
        self.block_dim = place.shape.block_dim;
        self.grid_dim = place.shape.grid_dim;
        self.shared = ptr::with_exposed_provenance_mut(place.arena().base(place.slot));
        self.place = place;
    }
}

impl Launch<'_> {
    // What goes wrong, in words.

    pub fn kernel_name(&self) -> String {
        // SAFETY: the image's names are strings.
        name(unsafe { CStr::from_ptr(self.kernel.name) })
    }

    /// The position in the block of a thread, by its number.
    fn position(&self, number: usize) -> [u32; 3] {
        position(number as u64, self.shape.block_dim)
    }

    /// The function that a call is in and, where the image says so, what the call is for and where.
    pub fn site(&self, site: u32) -> String {
        if let Some(number) = site.checked_sub(self.image.site_count) {
            let Some(chain) = self.chains.get(number) else { return format!("`{}`", self.kernel_name()) };
            let calls: Vec<String> = chain.iter().rev().map(|site| self.site(*site)).collect();
            return calls.join(", called in ");
        }
        // SAFETY: the image numbers its own calls, and its names are strings.
        let text = unsafe { CStr::from_ptr(*self.image.sites.add(site as usize)) }.to_string_lossy();
        let (function, note) = text.split_once('\n').unwrap_or((&text, ""));
        let function = demangle(function);
        if note.is_empty() { format!("`{function:#}`") } else { format!("`{function:#}`: {note}") }
    }

    pub fn place(&self, thread: &Thread) -> String {
        format!("kernel `{}`: thread {} of block {}", self.kernel_name(), triple(thread.thread), triple(thread.block))
    }

    pub fn panicked(&self, thread: &Thread, site: u32) -> Failure {
        let message = format!("{} panicked in {}", self.place(thread), self.site(site));
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    /// A panic that says which index was beyond which length, in Rust's words.
    pub fn out_of_bounds(&self, thread: &Thread, site: u32, index: u64, length: u64) -> Failure {
        const MESSAGE: &str = "index out of bounds";
        let Failure { error, message } = self.panicked(thread, site);
        Failure { error, message: message.replacen(MESSAGE, &format!("{MESSAGE}: the len is {length} but the index is {index}"), 1) }
    }

    pub fn faulted(&self, thread: &Thread, fault: Fault) -> Failure {
        let (error, what) = match fault {
            Fault::Address(address) => (Error::ILLEGAL_ADDRESS, format!("accessed {address:#x}, {}", self.address(thread, address))),
            Fault::NoAddress => (Error::ILLEGAL_ADDRESS, "accessed an address that is misaligned or can be none".into()),
            Fault::Stack => (Error::LAUNCH_FAILED, "used up its stack".into()),
            Fault::Arithmetic => (Error::ILLEGAL_INSTRUCTION, "divided by zero or beyond the type's range".into()),
            Fault::Instruction => (Error::ILLEGAL_INSTRUCTION, "reached code that the compiler takes for unreachable".into()),
        };
        Failure { error, message: format!("{} {what}", self.place(thread)) }
    }

    /// What an address that faulted is near to.
    fn address(&self, thread: &Thread, address: usize) -> String {
        // SAFETY: a thread's place lives while it runs.
        let place = unsafe { &*thread.place };
        let Some((block, from)) = place.arena().find(address) else { return memory::describe(address as u64) };
        let whose = if block == place.slot { "the block's" } else { "another block's" };
        let bytes = place.arena().bytes();
        let dynamic = match self.shape.dynamic_shared {
            0 => String::new(),
            dynamic => format!(" ({dynamic} of them dynamic)"),
        };
        match usize::try_from(from) {
            Err(_) => format!("{} bytes before {whose} shared memory", -from),
            Ok(from) => format!("{} bytes past the end of {whose} shared memory of {bytes} bytes{dynamic}", from.saturating_sub(bytes)),
        }
    }

    /// A failure that a function of the device has found.
    pub fn failed(&self, thread: &mut Thread, site: u32) -> Failure {
        let (error, message) = thread.failure.take().unwrap_or((Error::LAUNCH_FAILED, String::new()));
        if error == Error::ASSERT {
            return Failure { error, message };
        }
        let site = if site == u32::MAX { String::new() } else { format!(", in {}", self.site(site)) };
        Failure { error, message: format!("{} {message}{site}", self.place(thread)) }
    }

    /// A thread that uses a barrier of its block wrongly.
    pub fn misused(&self, thread: &Thread, wait: Wait, misuse: Misuse) -> Failure {
        let count = match wait.why {
            Why::Barrier { count, .. } | Why::Arrive { count, .. } => count,
            _ => 0,
        };
        let why = match misuse {
            Misuse::Number => "of which a block has only 0 to 15".to_owned(),
            Misuse::Count => format!("with a count of {count}, which is no multiple of 32 above 0"),
            Misuse::OtherCount(other) => format!("with a count of {count}, while others came for {other}"),
            Misuse::Twice => "a second time before the others have come".to_owned(),
            Misuse::TooMany => format!("which {count} threads complete, and finds more there"),
        };
        let message = format!("{} comes to {}, {why}", self.place(thread), self.describe(wait));
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    /// A thread that comes where it may not.
    pub fn failed_at(&self, thread: &Thread, wait: Wait, why: &str) -> Failure {
        let message = format!("{} comes to {} {why}", self.place(thread), self.describe(wait));
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    pub fn outside_mask(&self, thread: &Thread, state: State) -> Failure {
        let what = match state {
            State::Waits(wait) => self.describe(wait),
            State::New | State::Ready(_) | State::Exited => String::new(),
        };
        let message = format!("{}, lane {}, is at {what}, which its mask leaves out", self.place(thread), thread.lane);
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    /// None of the threads can go on: who waits where, and who has exited.
    pub fn stuck<'b>(&self, blocks: impl Iterator<Item = (&'b Place, &'b [State])>) -> Failure {
        self.waiting("wait for others that never come", blocks)
    }

    /// All threads look again and again at what nobody changes.
    pub fn spinning<'b>(&self, blocks: impl Iterator<Item = (&'b Place, &'b [State])>) -> Failure {
        self.waiting("wait for what no thread writes", blocks)
    }

    /// Threads that meet again and again at a barrier, if it is known which, while none writes anything.
    pub fn meeting_in_vain(&self, place: &Place, at: Option<Wait>, patience: Duration) -> Failure {
        let message = self.meeting(place, at, patience, ", and none has written anything");
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    /// What is known of threads that meet again and again at a barrier, if it is known which.
    pub fn meeting(&self, place: &Place, at: Option<Wait>, patience: Duration, more: &str) -> String {
        let (kernel, block, seconds) = (self.kernel_name(), triple(place.position), patience.as_secs());
        let mut message = format!("kernel `{kernel}`: threads of block {block} have met again and again for {seconds} seconds{more}");
        if let Some(wait) = at {
            let _ = write!(message, "\n  at {}", self.describe(wait));
        }
        message
    }

    fn waiting<'b>(&self, how: &str, blocks: impl Iterator<Item = (&'b Place, &'b [State])>) -> Failure {
        let mut message = String::new();
        let blocks = blocks.filter(|(_, states)| states.iter().any(|state| *state != State::Exited));
        for (number, (place, states)) in blocks.enumerate() {
            let block = triple(place.position);
            if number == MOST_BLOCKS {
                message.push_str("\nand other blocks");
                break;
            }
            let _ = match number {
                0 => write!(message, "kernel `{}`: threads of block {block} {how}", self.kernel_name()),
                _ => write!(message, "\nof block {block}"),
            };
            self.tell_states(&mut message, states);
        }
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    fn tell_states(&self, message: &mut String, states: &[State]) {
        let mut told: Vec<State> = Vec::new();
        for state in states.iter().map(|state| state.without_values()) {
            if told.contains(&state) {
                continue;
            }
            told.push(state);
            let who = self.ranges(states.iter().map(|other| other.without_values() == state));
            let what = match state {
                State::Waits(wait) => format!("at {}", self.describe(wait)),
                State::Exited => "exited".into(),
                State::New => "not started".into(),
                State::Ready(_) => "can run".into(),
            };
            let _ = write!(message, "\n  {what}: {who}");
        }
        if has_diverged(states) {
            message.push_str("\n  lanes of one mask are at two calls: they have diverged");
        }
    }

    /// Lanes of a warp that come to one barrier of the block at two calls.
    pub fn diverged(&self, place: &Place, states: &[State]) -> Failure {
        let mut failure = self.waiting("have diverged before a barrier that takes whole warps", iter::once((place, states)));
        failure.error = Error::LAUNCH_FAILED;
        failure
    }

    pub fn describe(&self, wait: Wait) -> String {
        let what = match wait.why {
            Why::Trap | Why::OutOfBounds { .. } => "a panic".into(),
            Why::Failure => "a failure".into(),
            Why::NextThread => "its end".into(),
            Why::Barrier { number, count, .. } | Why::Arrive { number, count } => {
                let all = self.shape.threads().next_multiple_of(WARP) == count as usize;
                if all || count == 0 { format!("block barrier {number}") } else { format!("block barrier {number} for {count} threads") }
            }
            Why::ClusterArrive { .. } | Why::ClusterWait => "the cluster's barrier".into(),
            Why::Grid => "the grid's barrier".into(),
            Why::Spin { what: Spin::Memory, .. } => "a loop that looks at memory".into(),
            Why::Spin { what: Spin::Sleep, .. } => "a loop that sleeps".into(),
            Why::Spin { what: Spin::Mbarrier, value, .. } => mbarrier(value),
            Why::ActiveMask => "activemask".into(),
            Why::Lanes { mask, exchange } => format!("warp {} with mask {mask:#010x}", exchange_name(exchange)),
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
                    let (from, to) = (triple(self.position(first)), triple(self.position(last)));
                    ranges.push(if first == last { from } else { format!("{from} to {to}") });
                    start = None;
                }
                _ => {}
            }
        }
        let more = ranges.len().saturating_sub(MOST_RANGES);
        ranges.truncate(MOST_RANGES);
        let more = if more > 0 { format!(" and {more} more ranges") } else { String::new() };
        let count = chosen.iter().filter(|is_in| **is_in).count();
        let threads = if count == 1 { "thread" } else { "threads" };
        format!("{count} {threads}, {}{more}", ranges.join(", "))
    }
}

/// What an mbarrier waits for.
fn mbarrier(bits: u64) -> String {
    let Ok(barrier) = Mbarrier::from_bits(bits) else { return "an mbarrier".into() };
    let Mbarrier { count, pending, bytes, .. } = barrier;
    let bytes = if bytes == 0 { String::new() } else { format!(" and {bytes} bytes") };
    format!("an mbarrier that lacks {pending} of {count} arrivals{bytes}")
}

fn exchange_name(exchange: Exchange) -> &'static str {
    match exchange {
        Exchange::Barrier => "barrier",
        Exchange::Shuffle { .. } => "shuffle",
        Exchange::Vote { .. } => "vote",
        Exchange::Match { .. } => "match",
        Exchange::Redux { .. } => "reduction",
        Exchange::Elect => "election",
    }
}

/// Whether lanes of a warp wait for each other at two calls that do the same.
fn has_diverged(states: &[State]) -> bool {
    states.chunks(WARP).any(|warp| {
        let at = |state: &State| match state.waits() {
            Some(Wait { site, why: Why::Lanes { mask, exchange } }) if exchange != Exchange::Barrier => Some((site, mask, exchange)),
            _ => None,
        };
        let calls: Vec<_> = warp.iter().filter_map(at).collect();
        calls.iter().any(|one| calls.iter().any(|other| one.0 != other.0 && one.1 == other.1 && one.2.meets(other.2)))
    })
}

/// Ranges of threads, and blocks, that a message names.
const MOST_RANGES: usize = 8;
const MOST_BLOCKS: usize = 4;

/// The position of a thread or block, by its number.
pub fn position(number: u64, dim: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(dim[0]), u64::from(dim[1])];
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

pub fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// Why a kernel is not launched: what it can reach, the function that this is in and, after newlines, where.
pub fn refusal(kernel: &CStr, reason: &CStr) -> String {
    let reason = reason.to_string_lossy();
    let mut parts = reason.split('\n');
    let (what, function) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let place = parts.next().map_or_else(String::new, |place| format!(": {place}"));
    format!("kernel `{}` cannot run on the CPU device: {what} in `{:#}`{place}", name(kernel), demangle(function))
}

/// A function's name as its author wrote it.
fn name(symbol: &CStr) -> String {
    format!("{:#}", demangle(&symbol.to_string_lossy()))
}

pub fn no_memory() -> Failure {
    Failure { error: Error::OUT_OF_MEMORY, message: "the system has no memory for the stacks of a block's threads".into() }
}
