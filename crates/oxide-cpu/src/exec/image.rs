//! Loads the bytes of an image: a shared library whose table [`abi`] defines.

use std::{
    ffi::CStr,
    fs::File,
    io::Write,
    os::fd::{AsRawFd, FromRawFd},
    slice,
};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::{
    abi::{self, Global, Kernel},
    functions,
};

/// A loaded image, with its own instances of the module's variables.
pub struct Image {
    table: *const abi::Image,
    /// The library that holds the table; unloaded when the image is dropped.
    _library: Library,
    /// Open as long as the library is loaded: the loader identifies that by a name with the descriptor's number, so that the number must not be
    /// used for another image.
    _file: File,
}

// SAFETY: what the table points to is never written.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// Loads the bytes of an image.
    ///
    /// # Errors
    ///
    /// Why they cannot be loaded.
    pub fn load(bytes: &[u8]) -> Result<Self, String> {
        // SAFETY: the name is a string; the descriptor is new, so it has no other owner.
        let mut file = unsafe {
            let descriptor = libc::memfd_create(c"oxide-image".as_ptr(), libc::MFD_CLOEXEC);
            if descriptor < 0 {
                return Err("the system has no memory for a CPU image".into());
            }
            File::from_raw_fd(descriptor)
        };
        file.write_all(bytes).map_err(|error| format!("the CPU image does not fit into memory: {error}"))?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: images have no initialisers.
        let library =
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| format!("the CPU image does not load: {error}"))?;
        // SAFETY: only the symbol's address is taken.
        let table =
            *unsafe { library.get::<*const abi::Image>(abi::SYMBOL) }.map_err(|_| "the file is not a CPU image: it exports no table")?;
        // SAFETY: every version of the table begins with its version.
        let version = unsafe { (*table).version };
        if version != abi::VERSION {
            return Err(format!("got a CPU image of version {version}, expected {}: rebuild it with this oxide", abi::VERSION));
        }
        let image = Self { table, _library: library, _file: file };
        image.link()?;
        Ok(image)
    }

    /// Binds the functions of the device that the image calls.
    fn link(&self) -> Result<(), String> {
        // SAFETY: the table says how many there are.
        for function in unsafe { slice::from_raw_parts(self.table().functions, self.table().function_count as usize) } {
            // SAFETY: the image's names are strings.
            let name = unsafe { CStr::from_ptr(function.name) }.to_string_lossy();
            let address = functions::find(&name).ok_or_else(|| format!("the CPU image calls `{name}`, which this device does not have"))?;
            // SAFETY: a variable of the image, which runs no code yet.
            unsafe { *function.address = address };
        }
        Ok(())
    }

    pub fn table(&self) -> &abi::Image {
        // SAFETY: the library is loaded while `self` lives.
        unsafe { &*self.table }
    }

    pub fn kernels(&self) -> &[Kernel] {
        // SAFETY: the table says how many there are.
        unsafe { slice::from_raw_parts(self.table().kernels, self.table().kernel_count as usize) }
    }

    pub fn globals(&self) -> &[Global] {
        // SAFETY: the table says how many there are.
        unsafe { slice::from_raw_parts(self.table().globals, self.table().global_count as usize) }
    }

    pub fn kernel(&self, name: &CStr) -> Option<usize> {
        // SAFETY: the image's names are strings.
        self.kernels().iter().position(|kernel| unsafe { CStr::from_ptr(kernel.name) } == name)
    }

    pub fn global(&self, name: &CStr) -> Option<&Global> {
        // SAFETY: the image's names are strings.
        self.globals().iter().find(|global| unsafe { CStr::from_ptr(global.name) } == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_refused() {
        assert!(Image::load(b"\x7fELF and then nothing").is_err_and(|reason| reason.contains("does not load")));
    }
}
