//! The device's functions that images call, by name (`Ask` in `src/oxide/dialects/operations`).
//!
//! Each takes the thread that calls and the number of the call in its image, then what the operation is given: truth values as 32 bits,
//! and before them numbers that its row fixes. Several results are written through a pointer that comes first.

use crate::{
    abi::Thread,
    meeting::{Exchange, Shuffle, Vote, Wait, Why},
    numbers,
};

/// The address of a function of the device.
pub fn find(name: &str) -> Option<*const ()> {
    FUNCTIONS.iter().chain(numbers::FUNCTIONS).find(|(own, _)| *own == name).map(|&(_, Address(address))| address)
}

/// Where a function is.
pub struct Address(pub *const ());

// SAFETY: the address of code.
unsafe impl Sync for Address {}

/// The table of these functions, by name.
macro_rules! functions {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), Address($name as *const ()))),*] };
}
pub(crate) use functions;

static FUNCTIONS: &[(&str, Address)] = functions![trap, barrier, warp_barrier, active_mask, shuffle, shuffle_f32, vote];

/// Stops the fiber of `thread`, which is running on it, until the scheduler has an answer.
///
/// # Safety
///
/// `thread` is the one that this is called by.
unsafe fn wait(thread: *mut Thread, site: u32, why: Why) -> u32 {
    // SAFETY: a thread is alive while it runs, and its suspender is that of the fiber that it runs on.
    unsafe { &*(*thread).suspender }.suspend(Wait { site, why })
}

unsafe extern "C" fn trap(thread: *mut Thread, site: u32) {
    // SAFETY: images pass their current thread.
    unsafe { wait(thread, site, Why::Trap) };
}

unsafe extern "C" fn barrier(thread: *mut Thread, site: u32, number: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Barrier(number)) };
}

unsafe extern "C" fn warp_barrier(thread: *mut Thread, site: u32, mask: u32) {
    // SAFETY: as above.
    unsafe { wait(thread, site, Why::Lanes { mask, exchange: Exchange::Barrier }) };
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
    unsafe { wait(thread, site, Why::Lanes { mask, exchange: Exchange::Shuffle { mode, value, lane, clamp } }) }
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
    unsafe { wait(thread, site, Why::Lanes { mask, exchange: Exchange::Vote { mode, predicate: predicate != 0 } }) }
}
