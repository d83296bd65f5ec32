//! The device's functions that images call, by name (`Ask` in `src/oxide/dialects/operations`).
//!
//! Each takes the thread that calls and the number of the call in its image, then what the operation is given: truth values as 32 bits,
//! and before them numbers that its row fixes. Several results are written through a pointer that comes first. Here are those of warps,
//! barriers and memory; `registers`, `mbarriers` and `text` have the others.

use std::{
    ptr,
    sync::atomic::{AtomicU32, Ordering},
};

use crate::{
    abi::Thread,
    block::Place,
    check::{Check, Manner},
    clocks::Who,
    error::Error,
    mbarriers,
    meeting::{Exchange, Match, Reduce, Redux, Shuffle, Spin, Vote, WARP, Wait, Why},
    numbers, registers, text,
};

/// The address of a function of the device.
pub fn find(name: &str) -> Option<*const ()> {
    let all = [FUNCTIONS, registers::FUNCTIONS, mbarriers::FUNCTIONS, text::FUNCTIONS, numbers::FUNCTIONS];
    all.iter().copied().flatten().find(|(own, _)| *own == name).map(|&(_, Address(address))| address)
}

/// Functions by name.
pub type Functions = &'static [(&'static str, Address)];

#[derive(Clone, Copy)]
pub struct Address(pub *const ());

// SAFETY: the address of code.
unsafe impl Sync for Address {}

/// The table of some functions.
macro_rules! functions {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), $crate::functions::Address($name as *const ()))),*] };
}
pub(crate) use functions;

static FUNCTIONS: Functions = functions![
    trap,
    out_of_bounds,
    refused,
    spin,
    check,
    check_fence,
    barrier,
    barrier_popc,
    barrier_and,
    barrier_or,
    barrier_count,
    barrier_arrive,
    cluster_arrive_release,
    cluster_arrive_relaxed,
    cluster_wait_acquire,
    grid_sync,
    nanosleep,
    breakpoint,
    warp_barrier,
    active_mask,
    shuffle,
    shuffle_f32,
    vote,
    match_any_32,
    match_any_64,
    match_all_32,
    match_all_64,
    redux_add_u32,
    redux_and_b32,
    redux_or_b32,
    redux_xor_b32,
    redux_min_u32,
    redux_min_s32,
    redux_max_u32,
    redux_max_s32,
    elect,
    is_shared,
    shared_offset,
    mapa,
    copy_async,
    copy_async_fill,
    copy_async_commit,
    copy_async_wait,
    copy_async_wait_all,
    atom_add_f16x2,
    atom_add_bf16x2,
];

/// Stops the fiber of `thread`, which is running on it, until the scheduler has an answer.
///
/// # Safety
///
/// `thread` is the one that this is called by.
pub unsafe fn wait(thread: *mut Thread, site: u32, why: Why) -> u32 {
    // SAFETY: a thread is alive while it runs, and its suspender is that of the fiber that it runs on.
    unsafe { &*(*thread).suspender }.suspend(Wait { site, why })
}

/// Ends the launch; the message goes on after the thread's name.
///
/// # Safety
///
/// As for [`wait`]; the caller has nothing to drop, for this never returns.
pub unsafe fn fail(thread: *mut Thread, site: u32, error: Error, message: String) -> ! {
    // SAFETY: as above.
    unsafe {
        (*thread).failure = Some((error, message));
        loop {
            wait(thread, site, Why::Failure);
        }
    }
}

/// Where the block of a thread is.
///
/// # Safety
///
/// `thread` is the one that this is called by.
pub unsafe fn place<'a>(thread: *mut Thread) -> &'a Place {
    // SAFETY: a block lives while its threads run.
    unsafe { &*(*thread).place }
}

// Images pass their current thread to all functions below, which is what each SAFETY comment there means.

unsafe extern "C" fn trap(thread: *mut Thread, site: u32) {
    // SAFETY: images pass their current thread.
    unsafe { wait(thread, site, Why::Trap) };
}

/// Stands for a trap of an index that is out of bounds.
unsafe extern "C" fn out_of_bounds(thread: *mut Thread, site: u32, index: u64, length: u64) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::OutOfBounds { index, length }) };
}

/// Stands for what has no meaning here, should a thread reach it in spite of all.
unsafe extern "C" fn refused(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { fail(thread, site, Error::NOT_SUPPORTED, "reached what the CPU device cannot do".into()) }
}

/// Lets others run: the thread may be looking at what they are to write.
unsafe extern "C" fn spin(thread: *mut Thread, site: u32, address: usize, bytes: u32) {
    let at = ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: what the thread accesses next; where that faults, this does.
    let value = unsafe {
        match bytes {
            1 => at.read_volatile().into(),
            2 => at.cast::<u16>().read_unaligned().into(),
            4 => at.cast::<u32>().read_unaligned().into(),
            _ => at.cast::<u64>().read_unaligned(),
        }
    };
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Spin { what: Spin::Memory, address, value }) };
}

/// What checks accesses, where that is asked for.
///
/// # Safety
///
/// As for [`wait`]; nobody else uses it while the fiber runs.
pub unsafe fn checking<'a>(thread: *mut Thread) -> Option<&'a mut Check<'static>> {
    // SAFETY: the scheduler's, which waits for the fiber.
    unsafe { place(thread).check.as_mut() }
}

/// Checks an access, where that is asked for.
///
/// # Safety
///
/// As for [`fail`].
pub unsafe fn checked(thread: *mut Thread, site: u32, address: usize, bytes: usize, manner: Manner) {
    // SAFETY: the caller's.
    unsafe {
        if let Some(check) = checking(thread)
            && let Err((error, message)) = check.access(&*thread, site, address, bytes, manner)
        {
            fail(thread, u32::MAX, error, message);
        }
    }
}

/// Which thread of the grid it is.
///
/// # Safety
///
/// `thread` is the one that this is called by.
pub unsafe fn who(thread: *mut Thread) -> Who {
    // SAFETY: the caller's.
    unsafe { Who { block: place(thread).number(), thread: (*thread).number } }
}

unsafe extern "C" fn check(thread: *mut Thread, site: u32, address: usize, bytes: u64, manner: u32) {
    // SAFETY: as above.
    unsafe { checked(thread, site, address, bytes as usize, Manner(manner)) }
}

unsafe extern "C" fn check_fence(thread: *mut Thread, _site: u32, ordering: u32) {
    // SAFETY: as above.
    unsafe {
        if let Some(check) = checking(thread) {
            check.fence(who(thread), ordering);
        }
    }
}

/// Threads of a block, as barriers count them: whole warps.
unsafe fn all(thread: *mut Thread) -> u32 {
    // SAFETY: as above.
    unsafe { place(thread) }.shape.threads().next_multiple_of(WARP) as u32
}

unsafe extern "C" fn barrier(thread: *mut Thread, site: u32, number: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Barrier { number, count: all(thread), reduce: None }) };
}

unsafe fn reducing(thread: *mut Thread, site: u32, number: u32, reduce: Reduce, predicate: u32) -> u32 {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Barrier { number, count: all(thread), reduce: Some((reduce, predicate != 0)) }) }
}

unsafe extern "C" fn barrier_popc(thread: *mut Thread, site: u32, number: u32, predicate: u32) -> u32 {
    // SAFETY: as above.
    unsafe { reducing(thread, site, number, Reduce::Count, predicate) }
}

unsafe extern "C" fn barrier_and(thread: *mut Thread, site: u32, number: u32, predicate: u32) -> u32 {
    // SAFETY: as above.
    unsafe { reducing(thread, site, number, Reduce::And, predicate) }
}

unsafe extern "C" fn barrier_or(thread: *mut Thread, site: u32, number: u32, predicate: u32) -> u32 {
    // SAFETY: as above.
    unsafe { reducing(thread, site, number, Reduce::Or, predicate) }
}

unsafe extern "C" fn barrier_count(thread: *mut Thread, site: u32, number: u32, count: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Barrier { number, count, reduce: None }) };
}

unsafe extern "C" fn barrier_arrive(thread: *mut Thread, site: u32, number: u32, count: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Arrive { number, count }) };
}

unsafe extern "C" fn cluster_arrive_release(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::ClusterArrive { releases: true }) };
}

unsafe extern "C" fn cluster_arrive_relaxed(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::ClusterArrive { releases: false }) };
}

unsafe extern "C" fn cluster_wait_acquire(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::ClusterWait) };
}

unsafe extern "C" fn grid_sync(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Grid) };
}

unsafe extern "C" fn nanosleep(thread: *mut Thread, site: u32, _nanoseconds: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Spin { what: Spin::Sleep, address: 0, value: 0 }) };
}

/// There is no debugger to stop under.
unsafe extern "C" fn breakpoint(_thread: *mut Thread, _site: u32) {}

unsafe fn exchange(thread: *mut Thread, site: u32, mask: u32, exchange: Exchange) -> u32 {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Lanes { mask, exchange }) }
}

unsafe extern "C" fn warp_barrier(thread: *mut Thread, site: u32, mask: u32) {
    // SAFETY: as above.
    unsafe { exchange(thread, site, mask, Exchange::Barrier) };
}

unsafe extern "C" fn active_mask(thread: *mut Thread, site: u32) -> u32 {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::ActiveMask) }
}

unsafe extern "C" fn shuffle(thread: *mut Thread, site: u32, mode: u32, mask: u32, value: u32, lane: u32, clamp: u32) -> u32 {
    let mode = match mode {
        0 => Shuffle::Up,
        1 => Shuffle::Down,
        2 => Shuffle::Xor,
        _ => Shuffle::Index,
    };
    // SAFETY: as above.
    unsafe { exchange(thread, site, mask, Exchange::Shuffle { mode, value, lane, clamp }) }
}

unsafe extern "C" fn shuffle_f32(thread: *mut Thread, site: u32, mode: u32, mask: u32, value: f32, lane: u32, clamp: u32) -> f32 {
    // SAFETY: as above.
    f32::from_bits(unsafe { shuffle(thread, site, mode, mask, value.to_bits(), lane, clamp) })
}

unsafe extern "C" fn vote(thread: *mut Thread, site: u32, mode: u32, mask: u32, predicate: u32) -> u32 {
    let mode = match mode {
        0 => Vote::All,
        1 => Vote::Any,
        _ => Vote::Ballot,
    };
    // SAFETY: as above.
    unsafe { exchange(thread, site, mask, Exchange::Vote { mode, predicate: predicate != 0 }) }
}

/// Defines functions that are one exchange of a mask's lanes with a value.
macro_rules! exchanges {
    ($($name:ident($type:ty) $kind:ident $mode:expr;)*) => {
        $(unsafe extern "C" fn $name(thread: *mut Thread, site: u32, mask: u32, value: $type) -> u32 {
            // SAFETY: as above.
            unsafe { exchange(thread, site, mask, Exchange::$kind { mode: $mode, value: value.into() }) }
        })*
    };
}

exchanges! {
    match_any_32(u32) Match Match::Any;
    match_any_64(u64) Match Match::Any;
    match_all_32(u32) Match Match::All;
    match_all_64(u64) Match Match::All;
    redux_add_u32(u32) Redux Redux::Add;
    redux_and_b32(u32) Redux Redux::And;
    redux_or_b32(u32) Redux Redux::Or;
    redux_xor_b32(u32) Redux Redux::Xor;
    redux_min_u32(u32) Redux Redux::MinUnsigned;
    redux_min_s32(u32) Redux Redux::MinSigned;
    redux_max_u32(u32) Redux Redux::MaxUnsigned;
    redux_max_s32(u32) Redux Redux::MaxSigned;
}

/// Writes the elected lane, and whether it is this one.
unsafe extern "C" fn elect(thread: *mut Thread, site: u32, results: *mut [u32; 2], mask: u32) {
    // SAFETY: as above; images pass room for the results.
    unsafe {
        let leader = exchange(thread, site, mask, Exchange::Elect);
        results.write([leader, (leader == (*thread).lane).into()]);
    }
}

/// The block that an address in shared memory belongs to, by its number among those that run together, and the bytes from its start.
///
/// # Safety
///
/// As for [`fail`].
pub unsafe fn shared(thread: *mut Thread, site: u32, address: usize) -> (usize, usize) {
    // SAFETY: as above.
    let arena = unsafe { place(thread) }.arena();
    let found = arena.find(address).and_then(|(slot, from)| Some((slot, usize::try_from(from).ok()?)));
    match found {
        // The end of an array is an address too.
        Some((slot, from)) if from <= arena.bytes() => (slot, from),
        // SAFETY: as above.
        _ => unsafe { fail(thread, site, Error::LAUNCH_FAILED, format!("takes {address:#x} for an address in shared memory")) },
    }
}

unsafe extern "C" fn is_shared(thread: *mut Thread, _site: u32, address: usize) -> u32 {
    // SAFETY: as above.
    let place = unsafe { place(thread) };
    let base = place.arena().base(place.slot);
    (base..base + place.arena().bytes()).contains(&address).into()
}

unsafe extern "C" fn shared_offset(thread: *mut Thread, site: u32, address: usize) -> u64 {
    // SAFETY: as above.
    unsafe { shared(thread, site, address) }.1 as u64
}

unsafe extern "C" fn mapa(thread: *mut Thread, site: u32, address: usize, rank: u32) -> usize {
    // SAFETY: as above.
    let (place, (_, offset)) = unsafe { (place(thread), shared(thread, site, address)) };
    if u64::from(rank) >= place.shape.in_cluster() {
        let message = format!("asks for the shared memory of block {rank} of a cluster of {}", place.shape.in_cluster());
        // SAFETY: as above.
        unsafe { fail(thread, site, Error::LAUNCH_FAILED, message) }
    }
    place.arena().base(place.slot - place.rank as usize + rank as usize) + offset
}

/// Copies at once what hardware copies some time before it is waited for.
unsafe extern "C" fn copy_async(thread: *mut Thread, site: u32, bytes: u32, to: *mut u8, from: *const u8) {
    // SAFETY: as above.
    unsafe { copy_async_fill(thread, site, bytes, to, from, bytes) };
}

unsafe extern "C" fn copy_async_fill(thread: *mut Thread, site: u32, bytes: u32, to: *mut u8, from: *const u8, given: u32) {
    for address in [to.addr(), from.addr()] {
        if !address.is_multiple_of(bytes as usize) {
            let message = format!("copies {bytes} bytes between addresses of which {address:#x} is no multiple of that");
            // SAFETY: as above.
            unsafe { fail(thread, site, Error::MISALIGNED_ADDRESS, message) }
        }
    }
    let given = given.min(bytes) as usize;
    // SAFETY: the kernel's addresses; where they are none this faults.
    unsafe {
        shared(thread, site, to.addr());
        checked(thread, site, from.addr(), given, Manner::READ);
        checked(thread, site, to.addr(), bytes as usize, Manner::COPY);
        if let Some(check) = checking(thread) {
            check.begin_copy(who(thread), to.addr(), bytes as usize);
        }
        ptr::copy(from, to, given);
        ptr::write_bytes(to.add(given), 0, bytes as usize - given);
    }
}

unsafe extern "C" fn copy_async_commit(thread: *mut Thread, _site: u32) {
    // SAFETY: as above.
    unsafe {
        if let Some(check) = checking(thread) {
            check.commit_copies(who(thread));
        }
    }
}

unsafe extern "C" fn copy_async_wait(thread: *mut Thread, _site: u32, groups: u32) {
    // SAFETY: as above.
    unsafe {
        if let Some(check) = checking(thread) {
            check.wait_for_copies(who(thread), groups as usize);
        }
    }
}

unsafe extern "C" fn copy_async_wait_all(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe {
        copy_async_commit(thread, site);
        copy_async_wait(thread, site, 0);
    }
}

/// Replaces a pair of half floats in one piece; the pair that was there.
unsafe fn replace_pair(thread: *mut Thread, site: u32, address: *mut u32, new: impl Fn(u32) -> u32) -> u32 {
    if !address.is_aligned() {
        // SAFETY: as above.
        unsafe { fail(thread, site, Error::MISALIGNED_ADDRESS, format!("adds to {address:p}, which is no multiple of 4")) }
    }
    // SAFETY: as above.
    unsafe { checked(thread, site, address.addr(), 4, Manner::UPDATE) };
    // SAFETY: the kernel's address, aligned; where it is none this faults.
    let pair = unsafe { AtomicU32::from_ptr(address) };
    pair.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(new(old))).unwrap_or_else(|old| old)
}

unsafe extern "C" fn atom_add_f16x2(thread: *mut Thread, site: u32, address: *mut u32, value: u32) -> u32 {
    // SAFETY: as above.
    unsafe { replace_pair(thread, site, address, |old| numbers::add_pairs::<false>(old, value)) }
}

unsafe extern "C" fn atom_add_bf16x2(thread: *mut Thread, site: u32, address: *mut u32, value: u32) -> u32 {
    // SAFETY: as above.
    unsafe { replace_pair(thread, site, address, |old| numbers::add_pairs::<true>(old, value)) }
}
