//! Device functions that are linked in later: what `#[device] extern "C"` becomes.

/// The bits of `facts`: threads may meet in the function; its result depends on its arguments alone; it writes no memory.
#[doc(hidden)]
pub const CONVERGENT: u32 = 1;
#[doc(hidden)]
pub const PURE: u32 = 2;
#[doc(hidden)]
pub const READONLY: u32 = 4;

/// Calls the function of this name with the fields of a tuple; the compiler replaces it.
///
/// # Safety
///
/// The function is one of PTX's with these parameters and this result, and does what the attributes declare.
#[doc(hidden)]
#[inline(never)]
pub unsafe fn call<Arguments, Output>(name: &'static str, _facts: u32, _arguments: Arguments) -> Output {
    panic!("`{name}` is an external device function: it runs only in a kernel")
}
