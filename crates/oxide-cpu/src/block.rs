//! Runs the threads of one block: a plain loop where none waits for another, else a fiber for each and a scheduler.

use std::{ffi::CStr, fmt::Write, iter, ptr};

use rustc_demangle::demangle;

use crate::{
    abi::{Image, Kernel, Thread},
    error::Error,
    fault::Fault,
    fiber::{Exit, Fiber, Step, Suspender},
    meeting::{self, Exchange, State, WARP, Wait, Why},
    memory,
};

/// A kernel with its shape and parameters.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub image: &'a Image,
    pub kernel: &'a Kernel,
    pub grid_dim: [u32; 3],
    pub block_dim: [u32; 3],
    pub parameters: &'a [u128],
}

// SAFETY: what an image's table points to is never written.
unsafe impl Sync for Launch<'_> {}

/// Why a launch failed, for the program and for people.
#[derive(Debug)]
pub struct Failure {
    pub error: Error,
    pub message: String,
}

impl Launch<'_> {
    /// Runs the blocks that `next` gives, one after another.
    pub fn run_blocks(&self, mut next: impl FnMut() -> Option<[u32; 3]>) -> Result<(), Failure> {
        if self.kernel.meets == 0 {
            return self.run_loop(next);
        }
        // Not made for a grid whose blocks others have taken.
        let Some(mut block) = next() else { return Ok(()) };
        let mut threads = self.threads();
        let mut fibers = self.fibers(&mut threads)?;
        loop {
            self.run_fibers(block, &mut threads, &mut fibers)?;
            let Some(following) = next() else { return Ok(()) };
            block = following;
        }
    }

    /// Runs threads one after another, on one fiber, since any may panic or fault.
    fn run_loop(&self, mut next: impl FnMut() -> Option<[u32; 3]>) -> Result<(), Failure> {
        let mut thread = self.thread(0);
        let current = &raw mut thread;
        // SAFETY: the fiber is dropped before `thread`, `next` and the image; the kernel and `next` own nothing that is dropped.
        let fiber = unsafe {
            Fiber::new(|suspender| {
                (*current).suspender = suspender;
                self.make_current(current);
                while let Some(block) = next() {
                    (*current).block = block;
                    for number in 0..self.thread_count() {
                        ((*current).thread, (*current).lane) = (self.position(number), (number % WARP) as u32);
                        (self.kernel.entry)(self.parameters.as_ptr().cast());
                    }
                }
            })
        };
        match fiber.ok_or_else(no_memory)?.resume(0) {
            Step::Ended(Exit::Returned) => Ok(()),
            Step::Ended(Exit::Fault(fault)) => Err(self.faulted(&thread, fault)),
            Step::Waits(Wait { site, .. }) => Err(self.panicked(&thread, site)),
        }
    }

    /// Runs one block whose threads meet.
    fn run_fibers(&self, block: [u32; 3], threads: &mut [Thread], fibers: &mut [Fiber]) -> Result<(), Failure> {
        threads.iter_mut().for_each(|thread| thread.block = block);
        let mut states = vec![State::Ready(0); threads.len()];
        loop {
            for (warp, states) in states.chunks_mut(WARP).enumerate() {
                self.run_warp(warp * WARP, states, threads, fibers)?;
            }
            if states.iter().all(|state| *state == State::Exited) {
                return Ok(());
            }
            if !meeting::meet_block(&mut states) {
                return Err(self.stuck(block, &states));
            }
        }
    }

    /// Runs the threads of a warp, whose first has the number `first`, until none can go on by itself.
    fn run_warp(&self, first: usize, states: &mut [State], threads: &mut [Thread], fibers: &mut [Fiber]) -> Result<(), Failure> {
        loop {
            for (lane, state) in states.iter_mut().enumerate() {
                let State::Ready(answer) = *state else { continue };
                let thread = &raw mut threads[first + lane];
                self.make_current(thread);
                let step = fibers[first + lane].resume(answer);
                *state = match step {
                    Step::Waits(Wait { why: Why::NextBlock, .. }) => State::Exited,
                    Step::Waits(Wait { why: Why::Trap, site }) => return Err(self.panicked(&threads[first + lane], site)),
                    Step::Waits(wait) => State::Waits(wait),
                    Step::Ended(Exit::Fault(fault)) => return Err(self.faulted(&threads[first + lane], fault)),
                    Step::Ended(Exit::Returned) => State::Exited,
                };
            }
            let met = meeting::meet_lanes(states).map_err(|lane| self.outside_mask(&threads[first + lane], states[lane]))?;
            if !met && !meeting::meet_active(states) {
                return Ok(());
            }
        }
    }

    /// The threads of a block, each in its place.
    fn threads(&self) -> Vec<Thread> {
        (0..self.thread_count()).map(|number| self.thread(number)).collect()
    }

    /// A fiber for each thread, which runs its kernel once for each block.
    fn fibers(&self, threads: &mut [Thread]) -> Result<Vec<Fiber>, Failure> {
        let (entry, parameters) = (self.kernel.entry, self.parameters.as_ptr().cast());
        let fiber = |thread: *mut Thread| {
            // SAFETY: the fibers are dropped before the threads and the parameters; kernels own nothing that is dropped.
            unsafe {
                Fiber::new(move |suspender: &Suspender| {
                    (*thread).suspender = suspender;
                    loop {
                        entry(parameters);
                        suspender.suspend(Wait { site: 0, why: Why::NextBlock });
                    }
                })
            }
        };
        threads.iter_mut().map(|thread| fiber(thread).ok_or_else(no_memory)).collect()
    }

    fn thread(&self, number: usize) -> Thread {
        Thread {
            suspender: ptr::null(),
            thread: self.position(number),
            block: [0; 3],
            block_dim: self.block_dim,
            grid_dim: self.grid_dim,
            lane: (number % WARP) as u32,
        }
    }

    fn thread_count(&self) -> usize {
        self.block_dim.iter().map(|&count| count as usize).product()
    }

    /// The position in the block of a thread, by its number.
    fn position(&self, number: usize) -> [u32; 3] {
        position(number as u64, self.block_dim)
    }

    /// Makes `thread` the one that the image's code runs as, on this thread of the system.
    fn make_current(&self, thread: *mut Thread) {
        // SAFETY: the image gives the address of a variable of this thread of the system.
        unsafe { *(self.image.current)() = thread };
    }

    // What goes wrong, in words.

    fn kernel_name(&self) -> String {
        // SAFETY: the image's names are strings.
        name(unsafe { CStr::from_ptr(self.kernel.name) })
    }

    /// The function that a call is in and, where the image says so, what the call is for and where.
    fn site(&self, site: u32) -> String {
        // SAFETY: the image numbers its own calls, and its names are strings.
        let text = unsafe { CStr::from_ptr(*self.image.sites.add(site as usize)) }.to_string_lossy();
        let (function, note) = text.split_once('\n').unwrap_or((&text, ""));
        let function = demangle(function);
        if note.is_empty() { format!("`{function:#}`") } else { format!("`{function:#}`: {note}") }
    }

    fn place(&self, thread: &Thread) -> String {
        format!("kernel `{}`: thread {} of block {}", self.kernel_name(), triple(thread.thread), triple(thread.block))
    }

    fn panicked(&self, thread: &Thread, site: u32) -> Failure {
        let message = format!("{} panicked in {}", self.place(thread), self.site(site));
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    fn faulted(&self, thread: &Thread, fault: Fault) -> Failure {
        let (error, what) = match fault {
            Fault::Address(address) => (Error::ILLEGAL_ADDRESS, format!("accessed {address:#x}, {}", memory::describe(address as u64))),
            Fault::NoAddress => (Error::ILLEGAL_ADDRESS, "accessed an address that is misaligned or can be none".into()),
            Fault::Stack => (Error::LAUNCH_FAILED, "used up its stack".into()),
            Fault::Arithmetic => (Error::ILLEGAL_INSTRUCTION, "divided by zero or beyond the type's range".into()),
            Fault::Instruction => (Error::ILLEGAL_INSTRUCTION, "reached code that the compiler takes for unreachable".into()),
        };
        Failure { error, message: format!("{} {what}", self.place(thread)) }
    }

    fn outside_mask(&self, thread: &Thread, state: State) -> Failure {
        let what = match state {
            State::Waits(wait) => self.describe(wait),
            State::Ready(_) | State::Exited => String::new(),
        };
        let message = format!("{}, lane {}, is at {what}, which its mask leaves out", self.place(thread), thread.lane);
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    /// None of the threads can go on: who waits where, and who has exited.
    fn stuck(&self, block: [u32; 3], states: &[State]) -> Failure {
        let mut message = format!("kernel `{}`: threads of block {} wait for others that never come", self.kernel_name(), triple(block));
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
                State::Ready(_) => "can run".into(),
            };
            let _ = write!(message, "\n  {what}: {who}");
        }
        Failure { error: Error::LAUNCH_FAILED, message }
    }

    fn describe(&self, wait: Wait) -> String {
        let what = match wait.why {
            Why::Trap => "a panic".into(),
            Why::NextBlock => "its end".into(),
            Why::Barrier(number) => format!("block barrier {number}"),
            Why::ActiveMask => "activemask".into(),
            Why::Lanes { mask, exchange } => {
                let what = match exchange {
                    Exchange::Barrier => "barrier",
                    Exchange::Shuffle { .. } => "shuffle",
                    Exchange::Vote { .. } => "vote",
                };
                format!("warp {what} with mask {mask:#010x}")
            }
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

/// Ranges of threads that a message names.
const MOST_RANGES: usize = 8;

/// The position of a thread or block, by its number.
pub fn position(number: u64, dim: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(dim[0]), u64::from(dim[1])];
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// A function's name as its author wrote it.
fn name(symbol: &CStr) -> String {
    format!("{:#}", demangle(&symbol.to_string_lossy()))
}

fn no_memory() -> Failure {
    Failure { error: Error::OUT_OF_MEMORY, message: "the system has no memory for the stacks of a block's threads".into() }
}
