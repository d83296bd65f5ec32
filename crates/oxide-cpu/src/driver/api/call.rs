//! Defining entry points, and their arguments and results.

use std::{
    ffi::{CStr, c_char, c_int, c_uint},
    ptr,
};

use crate::driver::error::{Error, Result};

pub type Address = u64;

/// A function that programs may ask for.
pub struct EntryPoint {
    pub name: &'static str,
    pub since: c_int,
    pub address: *const (),
    /// The one whose default stream is that of the calling thread.
    pub per_thread: Option<*const ()>,
}

/// Defines an exported function that returns the code of a `Result`, and its twin.
macro_rules! exported {
    (fn $name:ident / $twin:ident ($($argument:ident: $type:ty),*) $body:block) => {
        $crate::driver::api::call::exported! { fn $name($($argument: $type),*) $body }

        /// The driver API's function of this name.
        ///
        /// # Safety
        ///
        /// As the driver API says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $twin($($argument: $type),*) -> std::ffi::c_uint {
            // SAFETY: passed on.
            $crate::driver::current::per_thread(|| unsafe { $name($($argument),*) })
        }
    };
    (fn $name:ident ($($argument:ident: $type:ty),*) $body:block) => {
        /// The driver API's function of this name.
        ///
        /// # Safety
        ///
        /// As the driver API says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> std::ffi::c_uint {
            // SAFETY: the caller passes what the driver API's function of this name takes.
            #[allow(unused_unsafe)]
            let run = || -> $crate::driver::error::Result<()> { unsafe { $body } };
            run().map_or_else(|$crate::driver::error::Error(code)| code, |()| 0)
        }
    };
}
pub(crate) use exported;

/// Defines exported functions, and the table of them.
macro_rules! entry_points {
    ($(fn $name:ident $(/ $twin:ident)? ($($argument:ident: $type:ty),* $(,)?) since $since:literal $body:block)*) => {
        $($crate::driver::api::call::exported! { fn $name $(/ $twin)? ($($argument: $type),*) $body })*

        /// This chapter's entry points.
        pub const ENTRY_POINTS: &[$crate::driver::api::call::EntryPoint] = &[$($crate::driver::api::call::EntryPoint {
            name: stringify!($name),
            since: $since,
            address: $name as *const (),
            per_thread: [$(Some($twin as *const ()),)? None][0],
        }),*];
    };
}
pub(crate) use entry_points;

/// Stores a result of a call.
///
/// # Safety
///
/// `place` is null or may be written.
pub unsafe fn store<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: passed on.
    unsafe { place.write(value) };
    Ok(())
}

/// Stores a result of a call, where the caller has room for it.
///
/// # Safety
///
/// `place` is null or may be written.
pub unsafe fn store_if<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: passed on.
        unsafe { place.write(value) };
    }
}

/// The string that a pointer names.
///
/// # Safety
///
/// It is null or points to a string, alive while the result is used.
pub unsafe fn string<'a>(text: *const c_char) -> Result<&'a CStr> {
    // SAFETY: passed on.
    if text.is_null() { Err(Error::INVALID_VALUE) } else { Ok(unsafe { CStr::from_ptr(text) }) }
}

/// Writes a string into a buffer, cut to fit.
///
/// # Safety
///
/// The buffer is null or has `room` bytes.
pub unsafe fn store_text(place: *mut c_char, room: c_int, text: &[u8]) -> Result<()> {
    let room = usize::try_from(room).ok().and_then(|room| room.checked_sub(1)).ok_or(Error::INVALID_VALUE)?;
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let text = &text[..text.len().min(room)];
    // SAFETY: the caller's.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), text.len());
        store(place.add(text.len()), 0)
    }
}

/// The elements of an array argument.
///
/// # Safety
///
/// It holds as many, alive while the result is used.
pub unsafe fn list<'a, T>(items: *const T, count: usize) -> Result<&'a [T]> {
    match count {
        0 => Ok(&[]),
        _ if items.is_null() => Err(Error::INVALID_VALUE),
        // SAFETY: the caller's.
        _ => Ok(unsafe { std::slice::from_raw_parts(items, count) }),
    }
}

/// The result of an entry point that another one calls.
pub fn passed(code: c_uint) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error(code)) }
}
