//! Which file this code was loaded from: the executable, or a library such as a Python extension module.

use std::{
    ffi::{CStr, OsStr, c_void},
    io, mem,
    os::unix::ffi::OsStrExt,
    path::PathBuf,
};

/// The path of that file, as the dynamic loader knows it.
pub(super) fn path_of_this_code() -> io::Result<PathBuf> {
    let here = object_at(path_of_this_code as *const () as usize)
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no file is loaded at this code's address"))?;
    // SAFETY: both ask for a number of the process.
    let (entry, interpreter) = unsafe { (libc::getauxval(libc::AT_ENTRY), libc::getauxval(libc::AT_BASE)) };
    // Of the executable the loader knows `argv[0]`. This link opens it wherever it is, and where its file has been replaced since, as a
    // rebuild does. A program that was started through the loader, which then has no base, is what `argv[0]` names.
    let is_executable = interpreter != 0 && object_at(entry as usize).is_some_and(|executable| executable.base == here.base);
    Ok(if is_executable { "/proc/self/exe".into() } else { here.path })
}

/// A file that the dynamic loader has mapped.
struct LoadedObject {
    path: PathBuf,
    base: *mut c_void,
}

/// The file that is mapped at an address (dladdr(3)).
fn object_at(address: usize) -> Option<LoadedObject> {
    // SAFETY: null pointers are valid values of its fields.
    let mut info: libc::Dl_info = unsafe { mem::zeroed() };
    // SAFETY: any address may be asked for, and the record is writable.
    let is_found = unsafe { libc::dladdr(address as *const c_void, &mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: the loader's name of a file that is loaded ends in a NUL; this code's file and the executable stay loaded.
    let name = is_found.then(|| unsafe { CStr::from_ptr(info.dli_fname) })?;
    Some(LoadedObject { path: OsStr::from_bytes(name.to_bytes()).into(), base: info.dli_fbase })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_opened_by_its_link() {
        assert_eq!(path_of_this_code().unwrap(), PathBuf::from("/proc/self/exe"));
    }

    #[test]
    fn a_library_has_its_own_path() {
        let library = object_at(libc::getauxval as *const () as usize).unwrap();
        assert!(library.path.is_absolute() && library.path.to_string_lossy().contains("libc"), "{:?}", library.path);
        assert!(object_at(0).is_none());
    }
}
