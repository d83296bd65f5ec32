//! What is current on a thread of the system: its stack of contexts, its kind of default stream, its last failed launch.

use std::{
    cell::{Cell, RefCell},
    ffi::c_uint,
    mem::ManuallyDrop,
};

use super::error::{Error, Result};

thread_local! {
    /// The stack of contexts of this thread of the system, the current one last; 0 stands for none.
    /// Never dropped: the program may release resources on a thread while that thread's own values are being dropped.
    static CONTEXTS: ManuallyDrop<RefCell<Vec<usize>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
    /// Whether the entry point that runs has per-thread default streams.
    static PER_THREAD_DEFAULT: Cell<bool> = const { Cell::new(false) };
    /// Whether the thread runs a function of the host for a stream, which may not call the driver.
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
    /// The message of the last launch of this thread that failed.
    static FAULT: Cell<String> = const { Cell::new(String::new()) };
}

/// Runs an entry point whose default stream is that of its thread.
pub fn per_thread(run: impl FnOnce() -> c_uint) -> c_uint {
    let before = PER_THREAD_DEFAULT.replace(true);
    let code = run();
    PER_THREAD_DEFAULT.set(before);
    code
}

/// Runs a function of the host for a stream or a graph.
pub fn as_host_function(run: impl FnOnce()) {
    let before = IN_HOST_FUNCTION.replace(true);
    run();
    IN_HOST_FUNCTION.set(before);
}

/// Whether the entry point that runs has per-thread default streams.
pub fn has_per_thread_default() -> bool {
    PER_THREAD_DEFAULT.get()
}

/// Whether the thread runs a function of the host, which may not call the driver.
pub fn is_in_host_function() -> bool {
    IN_HOST_FUNCTION.get()
}

/// Sets the message of the last launch that failed.
pub fn set_fault(message: String) {
    FAULT.set(message);
}

/// Takes the message of the last launch that failed, empty where none has.
pub fn take_fault() -> String {
    FAULT.take()
}

/// The current context of this thread of the system, or 0.
pub fn context() -> usize {
    CONTEXTS.with(|contexts| contexts.borrow().last().copied().unwrap_or_default())
}

/// Makes a context, or 0 for none, the current one in place of another.
pub fn set_context(context: usize) {
    CONTEXTS.with(|contexts| {
        let mut contexts = contexts.borrow_mut();
        contexts.pop();
        contexts.push(context);
    });
}

/// Makes a context the current one, above another.
pub fn push_context(context: usize) {
    CONTEXTS.with(|contexts| contexts.borrow_mut().push(context));
}

/// Takes the current context off the stack.
///
/// # Errors
///
/// `INVALID_CONTEXT` where none is current.
pub fn pop_context() -> Result<usize> {
    CONTEXTS.with(|contexts| contexts.borrow_mut().pop()).filter(|&top| top != 0).ok_or(Error::INVALID_CONTEXT)
}
