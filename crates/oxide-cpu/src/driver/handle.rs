//! Handles, as programs see them.

use std::{ffi::c_void, ptr};

/// A handle: a number that is never used twice.
pub type Handle = *mut c_void;

/// The handle of a number.
pub fn handle(number: usize) -> Handle {
    ptr::without_provenance_mut(number)
}
