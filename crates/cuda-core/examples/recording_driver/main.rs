//! A driver without a device, for the tests: it records what it is asked, keeps to the driver's rules, and fails where it is told to.
//!
//! Device memory is host memory, and all work runs at once. There are two devices. Handles are never used twice, so that it sees what is
//! used or given back after it was given back; that is a *violation*, and so are a call while another context is current than the one that
//! its handle belongs to, a copy beyond an allocation, and a range that is freed while something is mapped in it.
//!
//! A module's image is text, a line for each kernel: `kernel NAME registers static-shared-bytes size-of-parameter…`. Each module has a
//! constant `WEIGHTS` of 8 bytes.

#![allow(non_snake_case, non_upper_case_globals, improper_ctypes_definitions, clippy::missing_safety_doc, missing_docs)]

/// Defines entry points: `call` for those that fail without effect, `give_back` for those that have it all the same.
macro_rules! entry_points {
    ($($gives_back:ident fn $name:ident($($argument:ident: $type:ty),*) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
            call(stringify!($name), stringify!($gives_back) == "give_back", || {
                // SAFETY: the caller passes what the real driver may be passed.
                #[allow(unused_unsafe)]
                unsafe { $body }
            })
        }
    )*};
}

mod devices;
mod errors;
mod graphs;
mod memory;
mod modules;
mod state;
mod streams;
mod virtual_memory;

use std::{ffi::CStr, mem};

use cuda_core::sys::{CUresult, cudaError_enum_CUDA_ERROR_ECC_UNCORRECTABLE};

use state::{CURRENT, Outcome, State, state};

/// What a call returns that is told to fail.
const INJECTED: CUresult = cudaError_enum_CUDA_ERROR_ECC_UNCORRECTABLE;

/// Counts a call, and runs it unless it is to fail. One that gives something back and is told by its number to fail has given it back all
/// the same: nobody may try again. A broken call has no effect.
fn call(name: &'static str, gives_back: bool, run: impl FnOnce() -> Outcome) -> CUresult {
    let mut state = state();
    state.calls += 1;
    if state.calls == state.failing {
        state.failed = Some(name);
        drop(state);
        if gives_back {
            let _ = run();
        }
        return INJECTED;
    }
    if let Some((_, code)) = state.broken.as_ref().filter(|(broken, _)| broken.to_bytes() == name.as_bytes()) {
        return *code;
    }
    drop(state);
    run().err().unwrap_or_default()
}

/// Begins a test: call `failing`, counted from 1, fails; 0 for none.
#[unsafe(no_mangle)]
pub extern "C" fn recording_begin(failing: usize) {
    let mut state = state();
    *state = State { failing, last_handle: state.last_handle, ..State::new() };
    CURRENT.set(0);
}

/// The calls since the last time.
#[unsafe(no_mangle)]
pub extern "C" fn recording_calls(calls: &mut Vec<String>) {
    *calls = mem::take(&mut state().log);
}

/// The call that was told to fail and has, what was done that must not be, and what has not been given back.
#[unsafe(no_mangle)]
pub extern "C" fn recording_end(failed: &mut Option<&'static str>, violations: &mut Vec<String>, leaks: &mut Vec<String>) {
    let mut state = state();
    *failed = state.failed;
    *violations = mem::take(&mut state.violations);
    *leaks = state.objects.values().filter(|object| object.alive).map(|object| object.data.kind().into()).collect();
    leaks.extend(state.retained.iter().filter(|&&retained| retained > 0).map(|retained| format!("context retained {retained} times")));
}

/// What a call returns from now on; without a name, all calls are well again.
#[unsafe(no_mangle)]
pub extern "C" fn recording_break(name: Option<&CStr>, code: CUresult) {
    state().broken = name.map(|name| (name.into(), code));
}
