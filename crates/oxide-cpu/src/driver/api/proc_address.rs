//! Entry points by name, and the table of all.

use std::{
    ffi::{c_char, c_int, c_uint},
    ptr,
};

use super::{
    call::{EntryPoint, entry_points, passed, store, store_if, string},
    contexts, copies, devices, driver, events, graphs, launches, memory, modules, pools, refused, streams, virtual_memory,
};
use crate::driver::error::Error;

/// Every entry point, by chapter.
const CHAPTERS: [&[EntryPoint]; 14] = [
    ENTRY_POINTS,
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
    /// It is of a later version than the requested one.
    Newer,
}

/// The address of an entry point by its name in `cuda.h`, which means its newest version that the program knows.
fn entry_point(name: &str, version: c_int, per_thread: bool) -> Result<*const (), Missing> {
    // From 12.0 on the one means the other (cuda.h).
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

entry_points! {
    fn cuGetProcAddress_v2(name: *const c_char, address: *mut *const (), version: c_int, flags: u64, status: *mut c_uint) since 12000 {
        const PER_THREAD_DEFAULT_STREAM: u64 = 2;
        let name = string(name)?.to_str().map_err(|_| Error::INVALID_VALUE)?;
        let found = entry_point(name, version, flags & PER_THREAD_DEFAULT_STREAM != 0);
        store(address, found.as_ref().copied().unwrap_or(ptr::null()))?;
        // CU_GET_PROC_ADDRESS_SUCCESS, …_SYMBOL_NOT_FOUND, …_VERSION_NOT_SUFFICIENT
        store_if(status, match found {
            Ok(_) => 0,
            Err(Missing::Unknown) => 1,
            Err(Missing::Newer) => 2,
        });
        found.map(|_| ()).map_err(|_| Error::NOT_FOUND)
    }
    fn cuGetProcAddress(name: *const c_char, address: *mut *const (), version: c_int, flags: u64) since 11030 {
        passed(cuGetProcAddress_v2(name, address, version, flags, ptr::null_mut()))
    }
}

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
