//! Litmus tests of the memory model: what orderings forbid is never seen, and what relaxed accesses allow is.
//!
//! Groups of blocks run a test together, each block a role, each thread of the blocks another instance, round after round. A test in which
//! the weak outcome of relaxed accesses did not show would prove nothing, so that is an error too. On a GPU only: threads of the CPU
//! device take turns.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::atomic::{AtomicOrdering, AtomicOrdering::*, DeviceAtomicU32};
use cuda_device::{cuda_module, kernel, thread};

const THREADS: usize = 256;
/// Blocks that an H200 runs at a time, so that roles meet.
const BLOCKS: usize = 264;
const ROUNDS: usize = 64;

/// Which roles a test has, and the outcome that it is about.
#[derive(Clone, Copy, PartialEq)]
enum Test {
    /// A message is stored, then a flag; who sees the flag sees the message.
    MessagePassing,
    /// Two threads each store, then load what the other stores; one of them sees the other's.
    StoreBuffering,
    /// Two threads that load two variables in different order agree on which was stored first.
    IndependentReads,
}

impl Test {
    const fn roles(self) -> usize {
        match self {
            Self::MessagePassing | Self::StoreBuffering => 2,
            Self::IndependentReads => 4,
        }
    }
}

const TESTS: [Test; 3] = [Test::MessagePassing, Test::StoreBuffering, Test::IndependentReads];
const ORDERINGS: [AtomicOrdering; 4] = [Relaxed, Release, Acquire, SeqCst];

#[cuda_module]
mod kernels {
    use super::*;

    /// The variables of an instance.
    #[derive(Clone, Copy)]
    pub struct Memory {
        pub x: *mut u32,
        pub y: *mut u32,
        /// Two loaded values of up to two threads.
        pub seen: *mut u32,
        /// How many blocks of a group have come to a round.
        pub meeting: *mut u32,
    }

    fn at<'a>(variable: *mut u32) -> &'a DeviceAtomicU32 {
        // SAFETY: the variables lie in buffers, and only atomic accesses reach them.
        unsafe { DeviceAtomicU32::from_ptr(variable) }
    }

    /// Waits for the other blocks of the group, as closely as can be.
    fn meet(meeting: *mut u32, count: u32) {
        thread::sync_threads();
        if thread::threadIdx_x() == 0 {
            at(meeting).fetch_add(1, Relaxed);
            while at(meeting).load(Relaxed) < count {}
        }
        thread::sync_threads();
    }

    /// One kernel a test and a pair of orderings, all by their numbers.
    #[kernel]
    pub unsafe fn litmus<const TEST: usize, const STORE: usize, const LOAD: usize>(memory: Memory) {
        let (test, store, load) = (TESTS[TEST], ORDERINGS[STORE], ORDERINGS[LOAD]);
        let roles = test.roles();
        let (block, thread) = (thread::blockIdx_x() as usize, thread::threadIdx_x() as usize);
        let (group, role) = (block / roles, block % roles);
        for round in 0..ROUNDS {
            meet(memory.meeting.wrapping_add(32 * group), ((round + 1) * roles) as u32);
            let instance = (round * BLOCKS / roles + group) * THREADS + thread;
            let (x, y) = (at(memory.x.wrapping_add(instance)), at(memory.y.wrapping_add(instance)));
            let seen = |number: usize, value: u32| unsafe { *memory.seen.add(4 * instance + number) = value };
            match (test, role) {
                (Test::MessagePassing, 0) => {
                    x.store(1, Relaxed);
                    y.store(1, store);
                }
                (Test::MessagePassing, _) => {
                    let (flag, message) = (y.load(load), x.load(Relaxed));
                    seen(0, flag);
                    seen(1, message);
                }
                (Test::StoreBuffering, 0) => {
                    x.store(1, store);
                    seen(0, y.load(load));
                }
                (Test::StoreBuffering, _) => {
                    y.store(1, store);
                    seen(1, x.load(load));
                }
                (Test::IndependentReads, 0) => x.store(1, store),
                (Test::IndependentReads, 1) => y.store(1, store),
                (Test::IndependentReads, 2) => {
                    let (first, second) = (x.load(load), y.load(load));
                    seen(0, first);
                    seen(1, second);
                }
                (Test::IndependentReads, _) => {
                    let (first, second) = (y.load(load), x.load(load));
                    seen(2, first);
                    seen(3, second);
                }
            }
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = LaunchConfig { grid_dim: (BLOCKS as u32, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
    let instances = ROUNDS * BLOCKS * THREADS;
    let mut failed = false;
    let mut judge = |name: &str, test: Test, forbidden: bool, shows: bool, launch: &dyn Fn(kernels::Memory)| {
        let (mut trials, mut weak) = (0, 0);
        while trials < 1_000_000 || shows && weak == 0 && trials < 100_000_000 {
            let buffer = |count| DeviceBuffer::<u32>::zeroed(&stream, count).unwrap();
            let (x, y, seen, meeting) = (buffer(instances), buffer(instances), buffer(4 * instances), buffer(32 * BLOCKS));
            let address = |buffer: &DeviceBuffer<u32>| buffer.cu_deviceptr() as *mut u32;
            launch(kernels::Memory { x: address(&x), y: address(&y), seen: address(&seen), meeting: address(&meeting) });
            let count = ROUNDS * (BLOCKS / test.roles()) * THREADS;
            let is_weak = |seen: &&[u32]| match test {
                Test::MessagePassing => seen[..2] == [1, 0],
                Test::StoreBuffering => seen[..2] == [0, 0],
                Test::IndependentReads => seen[..4] == [1, 0, 1, 0],
            };
            weak += seen.to_host_vec(&stream).unwrap()[..4 * count].chunks(4).filter(is_weak).count();
            trials += count;
        }
        println!("{name:<18} {weak:>9} weak of {trials}");
        failed |= forbidden && weak > 0 || shows && weak == 0;
    };
    macro_rules! judge {
        ($($name:literal: $test:literal $store:literal $load:literal $(forbidden $forbidden:literal)? $(shows $shows:literal)?;)*) => {$(
            let (forbidden, shows) = (false $(|| $forbidden)?, false $(|| $shows)?);
            judge($name, TESTS[$test], forbidden, shows, &|memory| {
                unsafe { module.litmus::<$test, $store, $load>(&stream, config, memory) }.unwrap();
            });
        )*};
    }
    judge! {
        "messages relaxed": 0 0 0 shows true;
        "messages ordered": 0 1 2 forbidden true;
        "messages strict": 0 3 3 forbidden true;
        "buffers relaxed": 1 0 0 shows true;
        "buffers ordered": 1 1 2;
        "buffers strict": 1 3 3 forbidden true;
        "reads relaxed": 2 0 0 shows true;
        "reads ordered": 2 1 2;
        "reads strict": 2 3 3 forbidden true;
    }
    assert!(!failed, "a forbidden outcome was seen, or a weak one was not");
    println!("SUCCESS: 9 litmus tests");
}
