//! Barriers in shared memory (mbarriers), and the numbered barriers of a block.
//!
//! An mbarrier counts arrivals in phases: when as many have arrived as it was initialised for, and as many bytes have been copied as were
//! expected, its phase is complete and the next begins. A token names a phase, and so does a parity, 0 for the first phase. Meanings are
//! those of `mbarrier` in the PTX ISA. [`ManagedBarrier`] keeps its use in order by types.

use core::{borrow::Borrow, cell::UnsafeCell, marker::PhantomData};

use crate::thread::{blockDim_x, blockDim_y, sync_threads, threadIdx_x, threadIdx_y, threadIdx_z};

/// An mbarrier's 8 bytes, as a static in shared memory.
///
/// ```
/// # use cuda_device::Barrier;
/// # fn kernel() {
/// static mut BARRIER: Barrier = Barrier::UNINIT;
/// # }
/// ```
#[repr(C, align(8))]
pub struct Barrier {
    state: UnsafeCell<u64>,
}

impl Barrier {
    /// The initial value of the static: none, until [`mbarrier_init`].
    #[expect(clippy::declare_interior_mutable_const, reason = "a static is made of it, nothing else")]
    pub const UNINIT: Self = Self { state: UnsafeCell::new(0) };
}

// SAFETY: threads reach its state only through mbarrier operations.
unsafe impl Sync for Barrier {}

include!("operations/barrier.rs");

/// Arrives, and drops the token.
///
/// # Safety
///
/// As of [`mbarrier_arrive`].
#[inline]
pub unsafe fn mbarrier_arrive_no_complete(bar: *const Barrier) {
    // SAFETY: passed on.
    let _ = unsafe { mbarrier_arrive(bar) };
}

/// Waits until the phase of `token` is complete.
///
/// # Safety
///
/// As of [`mbarrier_test_wait`].
#[inline]
pub unsafe fn mbarrier_wait(bar: *const Barrier, token: u64) {
    // SAFETY: passed on.
    while !unsafe { mbarrier_test_wait(bar, token) } {}
}

/// Arrives, and waits until the phase is complete.
///
/// # Safety
///
/// As of [`mbarrier_arrive`].
#[inline]
pub unsafe fn mbarrier_arrive_and_wait(bar: *const Barrier) {
    // SAFETY: passed on; the token is that of this phase.
    unsafe { mbarrier_wait(bar, mbarrier_arrive(bar)) }
}

/// Expects `bytes` more to be copied in this phase, arrives, and returns the phase's token. The middle argument has no meaning (sm_90).
///
/// # Safety
///
/// As of [`mbarrier_arrive`].
#[inline]
pub unsafe fn mbarrier_arrive_expect_tx(bar: *const Barrier, _tx_count: u32, bytes: u32) -> u64 {
    // SAFETY: passed on.
    unsafe { arrive_expect_tx(bar, bytes) }
}

/// [`mbarrier_arrive_expect_tx`] without ordering memory, for copies in the cluster (sm_90).
///
/// # Safety
///
/// As of [`mbarrier_arrive`].
#[inline]
pub unsafe fn mbarrier_arrive_expect_tx_cluster(bar: *const Barrier, _tx_count: u32, bytes: u32) -> u64 {
    // SAFETY: passed on.
    unsafe { arrive_expect_tx_cluster(bar, bytes) }
}

/// A phase of a barrier, which its arrival gave.
#[derive(Clone, Copy)]
#[must_use = "without its token a phase can only be waited for by its parity"]
pub struct BarrierToken {
    raw: u64,
}

impl BarrierToken {
    /// The token as the hardware has it.
    #[inline]
    pub fn raw(&self) -> u64 {
        self.raw
    }

    /// A token from what the hardware gave.
    #[inline]
    pub fn from_raw(raw: u64) -> Self {
        Self { raw }
    }
}

/// State of a [`ManagedBarrier`]: memory only.
pub enum Uninit {}
/// State of a [`ManagedBarrier`]: initialised.
pub enum Ready {}
/// State of a [`ManagedBarrier`]: ended.
pub enum Invalidated {}

/// Kind of a [`ManagedBarrier`]: bulk copies complete it.
pub enum TmaBarrier {}
/// Kind of a [`ManagedBarrier`]: matrix operations complete it.
pub enum MmaBarrier {}
/// Kind of a [`ManagedBarrier`]: threads complete it.
pub enum GeneralBarrier {}

/// A barrier whose type is its state: to be initialised, in use, ended, in this order. `Kind` and `ID` keep barriers apart.
///
/// ```text
/// let barrier = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER);
/// let barrier = unsafe { barrier.init(blockDim_x()) };       // all threads of the block together
/// let token = barrier.arrive();
/// barrier.wait(token);
/// unsafe { barrier.inval() };
/// ```
pub struct ManagedBarrier<State, Kind, const ID: usize = 0> {
    barrier: *mut Barrier,
    state: PhantomData<(State, Kind)>,
}

/// A barrier that bulk copies complete.
pub type TmaBarrierHandle<State> = ManagedBarrier<State, TmaBarrier>;
/// The first of two barriers that bulk copies complete.
pub type TmaBarrier0<State> = ManagedBarrier<State, TmaBarrier, 0>;
/// The second of two barriers that bulk copies complete.
pub type TmaBarrier1<State> = ManagedBarrier<State, TmaBarrier, 1>;
/// A barrier that matrix operations complete.
pub type MmaBarrierHandle<State> = ManagedBarrier<State, MmaBarrier>;

impl<State, Kind, const ID: usize> ManagedBarrier<State, Kind, ID> {
    #[inline]
    fn of(barrier: *mut Barrier) -> Self {
        Self { barrier, state: PhantomData }
    }
}

/// The thread's number in its block.
#[inline]
fn thread_number() -> u32 {
    threadIdx_x() + blockDim_x() * (threadIdx_y() + blockDim_y() * threadIdx_z())
}

impl<Kind, const ID: usize> ManagedBarrier<Uninit, Kind, ID> {
    /// A barrier in the memory of a static.
    #[inline]
    pub fn from_static(ptr: *mut Barrier) -> Self {
        Self::of(ptr)
    }

    /// Initialises the barrier for `count` arrivals, and waits for the block (`sync_threads`).
    ///
    /// # Safety
    ///
    /// All threads of the block call it together, once for this memory.
    #[inline]
    pub unsafe fn init(self, count: u32) -> ManagedBarrier<Ready, Kind, ID> {
        // SAFETY: passed on.
        unsafe { self.init_by(count, 0) }
    }

    /// [`Self::init`], by thread `thread` of the block.
    ///
    /// # Safety
    ///
    /// As of [`Self::init`].
    #[inline]
    pub unsafe fn init_by(self, count: u32, thread: u32) -> ManagedBarrier<Ready, Kind, ID> {
        if thread_number() == thread {
            // SAFETY: one thread does this, and all others wait below.
            unsafe { mbarrier_init(self.barrier, count) };
            crate::fence::threadfence_block();
        }
        sync_threads();
        ManagedBarrier::of(self.barrier)
    }
}

impl<Kind, const ID: usize> ManagedBarrier<Ready, Kind, ID> {
    /// The barrier's address.
    #[inline]
    pub fn as_ptr(&self) -> *mut Barrier {
        self.barrier
    }

    /// Arrives.
    #[inline]
    pub fn arrive(&self) -> BarrierToken {
        // SAFETY: the barrier is initialised.
        BarrierToken { raw: unsafe { mbarrier_arrive(self.barrier) } }
    }

    /// Expects `bytes` more to be copied in this phase, and arrives (sm_90).
    #[inline]
    pub fn arrive_expect_tx(&self, bytes: u32) -> BarrierToken {
        // SAFETY: the barrier is initialised.
        BarrierToken { raw: unsafe { arrive_expect_tx(self.barrier, bytes) } }
    }

    /// Waits until the phase is complete.
    #[inline]
    pub fn wait(&self, token: impl Borrow<BarrierToken>) {
        // SAFETY: the barrier is initialised.
        unsafe { mbarrier_wait(self.barrier, token.borrow().raw) };
    }

    /// Whether the phase is complete, after waiting a while (sm_90).
    #[inline]
    pub fn try_wait(&self, token: impl Borrow<BarrierToken>) -> bool {
        // SAFETY: the barrier is initialised.
        unsafe { mbarrier_try_wait(self.barrier, token.borrow().raw) }
    }

    /// Whether the phase is complete.
    #[inline]
    pub fn test_wait(&self, token: impl Borrow<BarrierToken>) -> bool {
        // SAFETY: the barrier is initialised.
        unsafe { mbarrier_test_wait(self.barrier, token.borrow().raw) }
    }

    /// Whether the phase of this parity is complete, after waiting a while (sm_90).
    #[inline]
    pub fn try_wait_parity(&self, parity: u32) -> bool {
        // SAFETY: the barrier is initialised.
        unsafe { mbarrier_try_wait_parity(self.barrier, parity) }
    }

    /// Waits for the block (`sync_threads`), and ends the barrier.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together, and nothing else uses the barrier any more.
    #[inline]
    pub unsafe fn inval(self) -> ManagedBarrier<Invalidated, Kind, ID> {
        // SAFETY: passed on.
        unsafe { self.inval_by(0) }
    }

    /// [`Self::inval`], by thread `thread` of the block.
    ///
    /// # Safety
    ///
    /// As of [`Self::inval`].
    #[inline]
    pub unsafe fn inval_by(self, thread: u32) -> ManagedBarrier<Invalidated, Kind, ID> {
        sync_threads();
        if thread_number() == thread {
            // SAFETY: all threads are past their last use.
            unsafe { mbarrier_inval(self.barrier) };
        }
        ManagedBarrier::of(self.barrier)
    }
}
