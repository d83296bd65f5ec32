//! Functions of memory: checks of accesses, addresses in shared memory, asynchronous copies, atomic additions.

use std::{
    ptr,
    sync::atomic::{self, AtomicU32},
};

use super::{
    call::{Functions, block, check_access, checks, fail, functions, id, race, shared},
    numbers,
};
use crate::exec::{
    check::access::{AccessFlags, Ordering},
    failure::Cause,
    thread::Thread,
};

pub static FUNCTIONS: Functions = functions![
    check,
    check_fence,
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

unsafe extern "C" fn check(thread: *mut Thread, site: u32, address: usize, bytes: u64, flags: u32) {
    // SAFETY: as above.
    unsafe { check_access(thread, site, address, bytes as usize, AccessFlags(flags)) }
}

unsafe extern "C" fn check_fence(thread: *mut Thread, _site: u32, ordering: u32) {
    // SAFETY: as above.
    unsafe {
        if let Some(race) = race(thread) {
            race.fence(id(thread), Ordering(ordering));
        }
    }
}

unsafe extern "C" fn is_shared(thread: *mut Thread, _site: u32, address: usize) -> u32 {
    // SAFETY: as above.
    let block = unsafe { block(thread) };
    let base = block.arena().base(block.slot);
    (base..base + block.arena().bytes()).contains(&address).into()
}

unsafe extern "C" fn shared_offset(thread: *mut Thread, site: u32, address: usize) -> u64 {
    // SAFETY: as above.
    unsafe { shared(thread, site, address) }.1 as u64
}

unsafe extern "C" fn mapa(thread: *mut Thread, site: u32, address: usize, rank: u32) -> usize {
    // SAFETY: as above.
    let (block, (_, offset)) = unsafe { (block(thread), shared(thread, site, address)) };
    if u64::from(rank) >= block.shape.in_cluster() {
        let message = format!("maps an address to block {rank} of a cluster of {} blocks", block.shape.in_cluster());
        // SAFETY: as above.
        unsafe { fail(thread, site, Cause::LaunchFailed, message) }
    }
    block.arena().base(block.slot - block.rank as usize + rank as usize) + offset
}

/// Copies at once; hardware copies at any time before the thread waits for it.
unsafe extern "C" fn copy_async(thread: *mut Thread, site: u32, bytes: u32, to: *mut u8, from: *const u8) {
    // SAFETY: as above.
    unsafe { copy_async_fill(thread, site, bytes, to, from, bytes) };
}

unsafe extern "C" fn copy_async_fill(thread: *mut Thread, site: u32, bytes: u32, to: *mut u8, from: *const u8, given: u32) {
    for address in [to.addr(), from.addr()] {
        if !address.is_multiple_of(bytes as usize) {
            let message = format!("copies {bytes} bytes between addresses, of which {address:#x} is not a multiple of {bytes}");
            // SAFETY: as above.
            unsafe { fail(thread, site, Cause::MisalignedAddress, message) }
        }
    }
    let given = given.min(bytes) as usize;
    // SAFETY: the kernel's addresses; where they are none this faults.
    unsafe {
        shared(thread, site, to.addr());
        check_access(thread, site, from.addr(), given, AccessFlags::READ);
        check_access(thread, site, to.addr(), bytes as usize, AccessFlags::COPY);
        if let Some(race) = race(thread) {
            race.begin_copy(id(thread), to.addr(), bytes as usize);
        }
        ptr::copy(from, to, given);
        ptr::write_bytes(to.add(given), 0, bytes as usize - given);
    }
}

unsafe extern "C" fn copy_async_commit(thread: *mut Thread, _site: u32) {
    // SAFETY: as above.
    unsafe {
        if let Some(race) = race(thread) {
            race.commit_copies(id(thread));
        }
    }
}

unsafe extern "C" fn copy_async_wait(thread: *mut Thread, _site: u32, groups: u32) {
    // SAFETY: as above.
    unsafe {
        if let Some(checks) = checks(thread) {
            checks.wait_for_copies(id(thread), groups as usize);
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

/// Replaces a pair of half floats atomically, and returns the old one.
unsafe fn replace_pair(thread: *mut Thread, site: u32, address: *mut u32, new: impl Fn(u32) -> u32) -> u32 {
    if !address.is_aligned() {
        // SAFETY: as above.
        unsafe { fail(thread, site, Cause::MisalignedAddress, format!("adds to {address:p}, which is not a multiple of 4")) }
    }
    // SAFETY: as above.
    unsafe { check_access(thread, site, address.addr(), 4, AccessFlags::UPDATE) };
    // SAFETY: the kernel's address, aligned; where it is none this faults.
    let pair = unsafe { AtomicU32::from_ptr(address) };
    pair.fetch_update(atomic::Ordering::Relaxed, atomic::Ordering::Relaxed, |old| Some(new(old))).unwrap_or_else(|old| old)
}

unsafe extern "C" fn atom_add_f16x2(thread: *mut Thread, site: u32, address: *mut u32, value: u32) -> u32 {
    // SAFETY: as above.
    unsafe { replace_pair(thread, site, address, |old| numbers::add_pairs::<false>(old, value)) }
}

unsafe extern "C" fn atom_add_bf16x2(thread: *mut Thread, site: u32, address: *mut u32, value: u32) -> u32 {
    // SAFETY: as above.
    unsafe { replace_pair(thread, site, address, |old| numbers::add_pairs::<true>(old, value)) }
}
