//! The operations of mbarriers that images call; what an mbarrier is, [`crate::mbarrier`] says.

use std::ptr;

use crate::{
    abi::Thread,
    check::Manner,
    error::Error,
    functions::{Functions, checked, checking, fail, functions, place, shared, wait, who},
    mbarrier::{ENDED, Mbarrier, Misuse},
    meeting::{Spin, Why},
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

/// Ends the launch: something is wrong with the mbarrier at an address.
unsafe fn misused(thread: *mut Thread, site: u32, address: usize, misuse: Misuse) -> ! {
    // SAFETY: images pass their current thread.
    let (place, (slot, offset)) = unsafe { (place(thread), shared(thread, site, address)) };
    let whose = if slot == place.slot { "" } else { " of another block" };
    let message = format!("uses byte {offset} of the shared memory{whose}, {}", misuse.text());
    // SAFETY: as above.
    unsafe { fail(thread, site, Error::LAUNCH_FAILED, message) }
}

/// The place of an mbarrier in shared memory.
unsafe fn at(thread: *mut Thread, site: u32, address: usize) -> *mut u64 {
    // SAFETY: as above.
    let (place, (_, offset)) = unsafe { (place(thread), shared(thread, site, address)) };
    if !address.is_multiple_of(8) || offset + 8 > place.arena().bytes() {
        let message = format!("takes {address:#x} for an mbarrier, which is misaligned or beyond shared memory");
        // SAFETY: as above.
        unsafe { fail(thread, site, Error::MISALIGNED_ADDRESS, message) }
    }
    ptr::with_exposed_provenance_mut(address)
}

unsafe fn load(thread: *mut Thread, site: u32, address: usize) -> Mbarrier {
    // SAFETY: as above; the address is in shared memory, which only the group's threads write, one at a time.
    unsafe {
        let at = at(thread, site, address);
        checked(thread, site, address, 8, Manner::UPDATE);
        match Mbarrier::from_bits(at.read()) {
            Ok(barrier) => barrier,
            Err(misuse) => misused(thread, site, address, misuse),
        }
    }
}

/// Arrives, after announcing bytes; the token of the phase.
unsafe fn arrive(thread: *mut Thread, site: u32, address: usize, bytes: u32) -> u64 {
    // SAFETY: as above.
    unsafe {
        let before = load(thread, site, address);
        let mut barrier = before;
        if let Err(misuse) = barrier.arrive(bytes) {
            misused(thread, site, address, misuse);
        }
        at(thread, site, address).write(barrier.to_bits());
        if let Some(check) = checking(thread) {
            check.arrive_at_mbarrier(who(thread), address, barrier.parity != before.parity);
        }
        before.to_bits()
    }
}

/// Whether the phase of a parity is complete, now or after the others have run.
unsafe fn look(thread: *mut Thread, site: u32, address: usize, parity: u64) -> u32 {
    // SAFETY: as above.
    unsafe {
        let mut barrier = load(thread, site, address);
        if !barrier.is_complete(parity) {
            wait(thread, site, Why::Spin { what: Spin::Mbarrier, address, value: barrier.to_bits() });
            barrier = load(thread, site, address);
        }
        if barrier.is_complete(parity)
            && let Some(check) = checking(thread)
        {
            check.see_mbarrier(who(thread), address);
        }
        barrier.is_complete(parity).into()
    }
}

unsafe fn look_for_token(thread: *mut Thread, site: u32, address: usize, token: u64) -> u32 {
    match Mbarrier::from_bits(token) {
        // SAFETY: as above.
        Ok(before) => unsafe { look(thread, site, address, before.parity) },
        Err(_) => {
            let message = "waits at an mbarrier for a token that no arrival gave".into();
            // SAFETY: as above.
            unsafe { fail(thread, site, Error::LAUNCH_FAILED, message) }
        }
    }
}

unsafe extern "C" fn mbarrier_init(thread: *mut Thread, site: u32, address: usize, count: u32) {
    // SAFETY: as above.
    unsafe {
        match Mbarrier::new(count) {
            Ok(barrier) => {
                let at = at(thread, site, address);
                checked(thread, site, address, 8, Manner::WRITE);
                at.write(barrier.to_bits());
                if let Some(check) = checking(thread) {
                    check.make_mbarrier(address);
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
        checked(thread, site, address, 8, Manner::WRITE);
        at(thread, site, address).write(ENDED);
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

/// The copies are done when they begin. Without `no_increment` the barrier counts this arrival besides those that it was made for.
unsafe extern "C" fn copy_async_arrive(thread: *mut Thread, site: u32, no_increment: u32, address: usize) {
    // SAFETY: as above.
    unsafe {
        if let Some(check) = checking(thread) {
            check.commit_copies(who(thread));
            check.wait_for_copies(who(thread), 0);
        }
        if no_increment != 0 {
            arrive(thread, site, address, 0);
            return;
        }
        load(thread, site, address);
        if let Some(check) = checking(thread) {
            check.arrive_at_mbarrier(who(thread), address, false);
        }
    }
}

unsafe extern "C" fn mbarrier_test_wait(thread: *mut Thread, site: u32, address: usize, token: u64) -> u32 {
    // SAFETY: as above.
    unsafe { look_for_token(thread, site, address, token) }
}

unsafe extern "C" fn mbarrier_try_wait(thread: *mut Thread, site: u32, address: usize, token: u64) -> u32 {
    // SAFETY: as above.
    unsafe { look_for_token(thread, site, address, token) }
}

unsafe extern "C" fn mbarrier_try_wait_parity(thread: *mut Thread, site: u32, address: usize, parity: u32) -> u32 {
    // SAFETY: as above.
    unsafe { look(thread, site, address, parity.into()) }
}

unsafe extern "C" fn mbarrier_try_wait_parity_cluster(thread: *mut Thread, site: u32, address: usize, parity: u32) -> u32 {
    // SAFETY: as above.
    unsafe { look(thread, site, address, parity.into()) }
}
