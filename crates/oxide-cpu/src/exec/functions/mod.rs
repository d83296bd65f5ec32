//! The device's functions that images call, by name (`RuntimeCall` in `src/oxide/dialects/operations`).
//!
//! Each takes the thread that calls and the number of the call in its image, then the operands: predicates as 32 bits, and before them
//! the constants of its row. Several results are written through a pointer that comes first.

mod call;
mod control;
mod mbarriers;
mod memory;
mod numbers;
mod print;
mod registers;
mod sync;

pub use print::flush;

use call::{Address, Functions};

const ALL: [Functions; 7] = [
    control::FUNCTIONS,
    mbarriers::FUNCTIONS,
    memory::FUNCTIONS,
    numbers::FUNCTIONS,
    print::FUNCTIONS,
    registers::FUNCTIONS,
    sync::FUNCTIONS,
];

/// The address of a function of the device.
pub fn find(name: &str) -> Option<*const ()> {
    ALL.iter().copied().flatten().find(|(own, _)| *own == name).map(|&(_, Address(address))| address)
}
