//! The operations of mbarriers, whose bits [`crate::exec::mbarrier`] defines.

use std::ptr;

use super::call::{Functions, block, check_access, checks, fail, functions, id, race, shared, wait};
use crate::exec::{
    check::access::AccessFlags,
    failure::Cause,
    mbarrier::{INVALIDATED, Mbarrier, Misuse},
    thread::Thread,
    wait::{Spin, WaitReason},
};

pub static FUNCTIONS: Functions = functions![
    mbarrier_init,
    mbarrier_inval,
    mbarrier_arrive,
    mbarrier_arrive_cluster,
    mbarrier_test_wait,
    mbarrier_try_wait,
    mbarrier_try_wait_parity,
    mbarrier_try_wait_parity_cluster,
    arrive_expect_tx,
    arrive_expect_tx_cluster,
    copy_async_arrive,
];

/// Ends the launch: an operation misuses the mbarrier at an address.
unsafe fn misused(thread: *mut Thread, site: u32, address: usize, misuse: Misuse) -> ! {
    // SAFETY: images pass their current thread.
    let (block, (slot, offset)) = unsafe { (block(thread), shared(thread, site, address)) };
    let whose = if slot == block.slot { "" } else { " of another block" };
    let message = format!("uses byte {offset} of the shared memory{whose}, {}", misuse.text());
    // SAFETY: as above.
    unsafe { fail(thread, site, Cause::LaunchFailed, message) }
}

/// The mbarrier at an address in shared memory.
unsafe fn at(thread: *mut Thread, site: u32, address: usize) -> *mut u64 {
    // SAFETY: as above.
    let (block, (_, offset)) = unsafe { (block(thread), shared(thread, site, address)) };
    if !address.is_multiple_of(8) || offset + 8 > block.arena().bytes() {
        let message = format!("uses {address:#x} as an mbarrier, which is misaligned or past the end of shared memory");
        // SAFETY: as above.
        unsafe { fail(thread, site, Cause::MisalignedAddress, message) }
    }
    ptr::with_exposed_provenance_mut(address)
}

unsafe fn load(thread: *mut Thread, site: u32, address: usize) -> Mbarrier {
    // SAFETY: as above; the address is in shared memory, which only the group's threads write, one at a time.
    unsafe {
        let at = at(thread, site, address);
        check_access(thread, site, address, 8, AccessFlags::UPDATE);
        match Mbarrier::from_bits(at.read()) {
            Ok(barrier) => barrier,
            Err(misuse) => misused(thread, site, address, misuse),
        }
    }
}

/// Arrives, after expecting bytes; the token of the phase.
unsafe fn arrive(thread: *mut Thread, site: u32, address: usize, bytes: u32) -> u64 {
    // SAFETY: as above.
    unsafe {
        let before = load(thread, site, address);
        let mut barrier = before;
        if let Err(misuse) = barrier.arrive(bytes) {
            misused(thread, site, address, misuse);
        }
        at(thread, site, address).write(barrier.to_bits());
        if let Some(race) = race(thread) {
            race.arrive_at_mbarrier(id(thread), address, barrier.parity != before.parity);
        }
        before.to_bits()
    }
}

/// Whether the phase of a parity is complete, now or after other threads have run.
unsafe fn test_wait(thread: *mut Thread, site: u32, address: usize, parity: u64) -> u32 {
    // SAFETY: as above.
    unsafe {
        let mut barrier = load(thread, site, address);
        if !barrier.is_complete(parity) {
            wait(thread, site, WaitReason::Spin { what: Spin::Mbarrier, address, value: barrier.to_bits() });
            barrier = load(thread, site, address);
        }
        if barrier.is_complete(parity)
            && let Some(race) = race(thread)
        {
            race.wait_at_mbarrier(id(thread), address);
        }
        barrier.is_complete(parity).into()
    }
}

unsafe fn test_wait_token(thread: *mut Thread, site: u32, address: usize, token: u64) -> u32 {
    match Mbarrier::from_bits(token) {
        // SAFETY: as above.
        Ok(before) => unsafe { test_wait(thread, site, address, before.parity) },
        Err(_) => {
            let message = "waits at an mbarrier for a token that no arrival returned".into();
            // SAFETY: as above.
            unsafe { fail(thread, site, Cause::LaunchFailed, message) }
        }
    }
}

unsafe extern "C" fn mbarrier_init(thread: *mut Thread, site: u32, address: usize, count: u32) {
    // SAFETY: as above.
    unsafe {
        match Mbarrier::new(count) {
            Ok(barrier) => {
                let at = at(thread, site, address);
                check_access(thread, site, address, 8, AccessFlags::WRITE);
                at.write(barrier.to_bits());
                if let Some(race) = race(thread) {
                    race.init_mbarrier(address);
                }
            }
            Err(misuse) => misused(thread, site, address, misuse),
        }
    }
}

unsafe extern "C" fn mbarrier_inval(thread: *mut Thread, site: u32, address: usize) {
    // SAFETY: as above.
    unsafe {
        load(thread, site, address);
        check_access(thread, site, address, 8, AccessFlags::WRITE);
        at(thread, site, address).write(INVALIDATED);
    }
}

unsafe extern "C" fn mbarrier_arrive(thread: *mut Thread, site: u32, address: usize) -> u64 {
    // SAFETY: as above.
    unsafe { arrive(thread, site, address, 0) }
}

unsafe extern "C" fn mbarrier_arrive_cluster(thread: *mut Thread, site: u32, address: u64) {
    // SAFETY: as above.
    unsafe { arrive(thread, site, address as usize, 0) };
}

unsafe extern "C" fn arrive_expect_tx(thread: *mut Thread, site: u32, address: usize, bytes: u32) -> u64 {
    // SAFETY: as above.
    unsafe { arrive(thread, site, address, bytes) }
}

unsafe extern "C" fn arrive_expect_tx_cluster(thread: *mut Thread, site: u32, address: usize, bytes: u32) -> u64 {
    // SAFETY: as above.
    unsafe { arrive(thread, site, address, bytes) }
}

/// The copies are complete when they begin. Without `no_increment` the phase expects this arrival in addition to its count.
unsafe extern "C" fn copy_async_arrive(thread: *mut Thread, site: u32, no_increment: u32, address: usize) {
    // SAFETY: as above.
    unsafe {
        if let Some(race) = race(thread) {
            race.commit_copies(id(thread));
        }
        if let Some(checks) = checks(thread) {
            checks.wait_for_copies(id(thread), 0);
        }
        if no_increment != 0 {
            arrive(thread, site, address, 0);
            return;
        }
        load(thread, site, address);
        if let Some(race) = race(thread) {
            race.arrive_at_mbarrier(id(thread), address, false);
        }
    }
}

unsafe extern "C" fn mbarrier_test_wait(thread: *mut Thread, site: u32, address: usize, token: u64) -> u32 {
    // SAFETY: as above.
    unsafe { test_wait_token(thread, site, address, token) }
}

unsafe extern "C" fn mbarrier_try_wait(thread: *mut Thread, site: u32, address: usize, token: u64) -> u32 {
    // SAFETY: as above.
    unsafe { test_wait_token(thread, site, address, token) }
}

unsafe extern "C" fn mbarrier_try_wait_parity(thread: *mut Thread, site: u32, address: usize, parity: u32) -> u32 {
    // SAFETY: as above.
    unsafe { test_wait(thread, site, address, parity.into()) }
}

unsafe extern "C" fn mbarrier_try_wait_parity_cluster(thread: *mut Thread, site: u32, address: usize, parity: u32) -> u32 {
    // SAFETY: as above.
    unsafe { test_wait(thread, site, address, parity.into()) }
}
