//! Functions of threads that wait for one another: barriers, collective operations of a warp, spinning.

use std::ptr;

use super::call::{Functions, block, functions, wait};
use crate::exec::{
    limits::WARP,
    thread::Thread,
    wait::{Collective, Match, Reduce, Redux, Shuffle, Spin, Vote, WaitReason},
};

pub static FUNCTIONS: Functions = functions![
    spin,
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
];

/// Lets other threads run: the thread may be polling what one of them writes.
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
    unsafe { wait(thread, site, WaitReason::Spin { what: Spin::Memory, address, value }) };
}

/// Threads of a block, as barriers count them: whole warps.
unsafe fn all(thread: *mut Thread) -> u32 {
    // SAFETY: as above.
    unsafe { block(thread) }.shape.threads().next_multiple_of(WARP) as u32
}

unsafe extern "C" fn barrier(thread: *mut Thread, site: u32, number: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::Barrier { number, count: all(thread), reduce: None }) };
}

unsafe fn reducing(thread: *mut Thread, site: u32, number: u32, reduce: Reduce, predicate: u32) -> u32 {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::Barrier { number, count: all(thread), reduce: Some((reduce, predicate != 0)) }) }
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
    unsafe { wait(thread, site, WaitReason::Barrier { number, count, reduce: None }) };
}

unsafe extern "C" fn barrier_arrive(thread: *mut Thread, site: u32, number: u32, count: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::Arrive { number, count }) };
}

unsafe extern "C" fn cluster_arrive_release(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::ClusterArrive { releases: true }) };
}

unsafe extern "C" fn cluster_arrive_relaxed(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::ClusterArrive { releases: false }) };
}

unsafe extern "C" fn cluster_wait_acquire(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::ClusterWait) };
}

unsafe extern "C" fn grid_sync(thread: *mut Thread, site: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::Grid) };
}

unsafe extern "C" fn nanosleep(thread: *mut Thread, site: u32, _nanoseconds: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::Spin { what: Spin::Sleep, address: 0, value: 0 }) };
}

unsafe fn collective(thread: *mut Thread, site: u32, mask: u32, collective: Collective) -> u32 {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::Collective { mask, collective }) }
}

unsafe extern "C" fn warp_barrier(thread: *mut Thread, site: u32, mask: u32) {
    // SAFETY: as above.
    unsafe { collective(thread, site, mask, Collective::Barrier) };
}

unsafe extern "C" fn active_mask(thread: *mut Thread, site: u32) -> u32 {
    // SAFETY: as above.
    unsafe { wait(thread, site, WaitReason::ActiveMask) }
}

unsafe extern "C" fn shuffle(thread: *mut Thread, site: u32, mode: u32, mask: u32, value: u32, lane: u32, clamp: u32) -> u32 {
    let mode = match mode {
        0 => Shuffle::Up,
        1 => Shuffle::Down,
        2 => Shuffle::Xor,
        _ => Shuffle::Index,
    };
    // SAFETY: as above.
    unsafe { collective(thread, site, mask, Collective::Shuffle { mode, value, lane, clamp }) }
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
    unsafe { collective(thread, site, mask, Collective::Vote { mode, predicate: predicate != 0 }) }
}

/// Defines functions of one operand that are a collective operation.
macro_rules! collectives {
    ($($name:ident($type:ty) $kind:ident $mode:expr;)*) => {
        $(unsafe extern "C" fn $name(thread: *mut Thread, site: u32, mask: u32, value: $type) -> u32 {
            // SAFETY: as above.
            unsafe { collective(thread, site, mask, Collective::$kind { mode: $mode, value: value.into() }) }
        })*
    };
}

collectives! {
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
        let leader = collective(thread, site, mask, Collective::Elect);
        results.write([leader, (leader == (&*thread).lane).into()]);
    }
}
