//! The driver API's entry points, with the meanings and errors of the CUDA driver API reference; a file a chapter of it.
//!
//! An entry point is written once, `fn NAME(…) since VERSION { … }`, the version being that of the API which it came with, 1000 × major +
//! 10 × minor: programs that ask for a function by name get the newest that their version knows. `fn NAME / TWIN` has a twin whose
//! default stream is that of the calling thread.

#![allow(non_snake_case)]

use std::{
    ffi::{CStr, c_char, c_int, c_uint},
    ptr,
};

use crate::error::{Error, Result};

mod contexts;
mod copies;
mod devices;
mod driver;
mod events;
mod graphs;
mod launches;
mod memory;
mod modules;
mod pools;
mod refused;
mod streams;
mod virtual_memory;

pub use modules::load_images;

type Address = u64;

/// A function that programs may ask for.
struct EntryPoint {
    name: &'static str,
    since: c_int,
    address: *const (),
    /// The one whose default stream is that of the calling thread.
    per_thread: Option<*const ()>,
}

/// Defines an exported function that returns the code of a `Result`, and its twin.
macro_rules! exported {
    (fn $name:ident / $twin:ident ($($argument:ident: $type:ty),*) $body:block) => {
        super::exported! { fn $name($($argument: $type),*) $body }

        /// The driver API's function of this name.
        ///
        /// # Safety
        ///
        /// As the driver API says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $twin($($argument: $type),*) -> std::ffi::c_uint {
            // SAFETY: passed on.
            $crate::state::per_thread(|| unsafe { $name($($argument),*) })
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
            let run = || -> $crate::error::Result<()> { unsafe { $body } };
            run().map_or_else(|$crate::error::Error(code)| code, |()| 0)
        }
    };
}
use exported;

/// Defines exported functions, and the table of them.
macro_rules! entry_points {
    ($(fn $name:ident $(/ $twin:ident)? ($($argument:ident: $type:ty),* $(,)?) since $since:literal $body:block)*) => {
        $(super::exported! { fn $name $(/ $twin)? ($($argument: $type),*) $body })*

        /// This chapter's entry points.
        pub(super) const ENTRY_POINTS: &[super::EntryPoint] = &[$(super::EntryPoint {
            name: stringify!($name),
            since: $since,
            address: $name as *const (),
            per_thread: [$(Some($twin as *const ()),)? None][0],
        }),*];
    };
}
use entry_points;

/// Every entry point, by chapter.
const CHAPTERS: [&[EntryPoint]; 13] = [
    contexts::ENTRY_POINTS,
    copies::ENTRY_POINTS,
    devices::ENTRY_POINTS,
    driver::ENTRY_POINTS,
    events::ENTRY_POINTS,
    graphs::ENTRY_POINTS,
    launches::ENTRY_POINTS,
    memory::ENTRY_POINTS,
    modules::ENTRY_POINTS,
    pools::ENTRY_POINTS,
    refused::ENTRY_POINTS,
    streams::ENTRY_POINTS,
    virtual_memory::ENTRY_POINTS,
];

/// Why there is no entry point.
enum Missing {
    Unknown,
    /// It is of a later version than was asked for.
    Newer,
}

/// The address of an entry point by the name that `cuda.h` gives it, which stands for its newest version that the program knows.
fn entry_point(name: &str, version: c_int, per_thread: bool) -> std::result::Result<*const (), Missing> {
    // From 12.0 on the one stands for the other (cuda.h).
    let name = if name == "cuGraphInstantiate" { "cuGraphInstantiateWithFlags" } else { name };
    let is_version = |whole: &str| whole.strip_prefix(name).is_some_and(|rest| rest.is_empty() || matches!(rest, "_v2" | "_v3" | "_v4"));
    let versions = || CHAPTERS.iter().copied().flatten().filter(|entry| is_version(entry.name));
    let newest = versions().filter(|entry| entry.since <= version).max_by_key(|entry| (entry.since, entry.name));
    match newest {
        Some(entry) => Ok(entry.per_thread.filter(|_| per_thread).unwrap_or(entry.address)),
        None if versions().next().is_some() => Err(Missing::Newer),
        None => Err(Missing::Unknown),
    }
}

/// Stores what a call returns.
///
/// # Safety
///
/// `place` is null or may be written.
unsafe fn store<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: passed on.
    unsafe { place.write(value) };
    Ok(())
}

/// Stores what a call returns where the caller wants it.
///
/// # Safety
///
/// `place` is null or may be written.
unsafe fn store_if<T>(place: *mut T, value: T) {
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
unsafe fn string<'a>(text: *const c_char) -> Result<&'a CStr> {
    // SAFETY: passed on.
    if text.is_null() { Err(Error::INVALID_VALUE) } else { Ok(unsafe { CStr::from_ptr(text) }) }
}

/// Writes a string into a buffer, cut to fit.
///
/// # Safety
///
/// The buffer is null or has `room` bytes.
unsafe fn store_text(place: *mut c_char, room: c_int, text: &[u8]) -> Result<()> {
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

/// What an array of a call's arguments holds.
///
/// # Safety
///
/// It holds as many, alive while the result is used.
unsafe fn list<'a, T>(items: *const T, count: usize) -> Result<&'a [T]> {
    match count {
        0 => Ok(&[]),
        _ if items.is_null() => Err(Error::INVALID_VALUE),
        // SAFETY: the caller's.
        _ => Ok(unsafe { std::slice::from_raw_parts(items, count) }),
    }
}

/// The result of an entry point that another one calls.
fn passed(code: c_uint) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error(code)) }
}

#[cfg(test)]
mod stress;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_the_newest_version_that_is_known() {
        let find = |name, version| entry_point(name, version, false).ok();
        assert_eq!(find("cuMemAlloc", 12_000), Some(memory::cuMemAlloc_v2 as *const ()));
        assert_eq!(find("cuEventElapsedTime", 12_000), Some(events::cuEventElapsedTime as *const ()));
        assert_eq!(find("cuEventElapsedTime", 13_000), Some(events::cuEventElapsedTime_v2 as *const ()));
        assert!(matches!(entry_point("cuMemAllocAsync", 11_000, false), Err(Missing::Newer)));
        assert!(matches!(entry_point("cuMem", 13_000, false), Err(Missing::Unknown)));
        let per_thread = entry_point("cuStreamQuery", 7_000, true).ok();
        assert_eq!(per_thread, Some(streams::cuStreamQuery_ptsz as *const ()));
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names: Vec<&str> = CHAPTERS.iter().copied().flatten().map(|entry| entry.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
