//! Finds the image that belongs to a PTX and loads it.
//!
//! The PTX's first line is `// oxide KEY`, KEY being the first 32 hexadecimal digits of the SHA-256 of all that follows. The image is in the
//! record that holds the same PTX in the program or one of its libraries, or beside the file, or in the cache (docs/formats.md).

use std::{
    collections::BTreeSet,
    env,
    ffi::CStr,
    fmt::Write,
    fs::{self, File},
    io::Write as _,
    os::fd::{AsRawFd, FromRawFd},
    path::{Path, PathBuf},
    slice,
    sync::atomic::Ordering,
};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use sha2::{Digest, Sha256};

use crate::{
    abi::{self, Global, Kernel},
    error::{Error, Result},
    functions,
    memory::{self, Owner},
    records,
};

const KEY_DIGITS: usize = 32;

/// A loaded image, with variables of its own: loading one twice gives two.
pub struct Image {
    table: *const abi::Image,
    /// Where the table is; unloaded when the image is dropped.
    _library: Library,
    /// Open as long as the library is loaded: the loader knows that by a name with the descriptor's number in it, and would take the next
    /// library of this name for the same one.
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
    /// What is wrong with them.
    pub fn load(bytes: &[u8]) -> std::result::Result<Self, String> {
        // SAFETY: the name is a string; the descriptor is new, so it has no other owner.
        let mut file = unsafe {
            let descriptor = libc::memfd_create(c"oxide-image".as_ptr(), libc::MFD_CLOEXEC);
            if descriptor < 0 {
                return Err("the system gives no memory for a CPU image".into());
            }
            File::from_raw_fd(descriptor)
        };
        file.write_all(bytes).map_err(|error| format!("the CPU image does not fit into memory: {error}"))?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: images have no initialisers.
        let library =
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| format!("the CPU image does not load: {error}"))?;
        // SAFETY: only the symbol's address is taken.
        let table = *unsafe { library.get::<*const abi::Image>(abi::SYMBOL) }.map_err(|_| "the CPU image is none: it exports no table")?;
        // SAFETY: every version of the table begins with its version.
        let version = unsafe { (*table).version };
        if version != abi::VERSION {
            return Err(format!("got a CPU image of version {version}, expected {}: rebuild it with this oxide", abi::VERSION));
        }
        let image = Self { table, _library: library, _file: file };
        image.link()?;
        if image.table().checks != 0 {
            memory::KEEP_FREED.store(true, Ordering::Relaxed);
        }
        Ok(image)
    }

    /// Makes its variables known as memory.
    pub fn register(&self, owner: Owner) {
        self.globals().iter().for_each(|global| memory::register_global(global.address, global.size as usize, owner));
    }

    /// Gives the image the functions of the device that it calls.
    fn link(&self) -> std::result::Result<(), String> {
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

impl Drop for Image {
    fn drop(&mut self) {
        self.globals().iter().for_each(|global| memory::register_global(global.address, 0, Owner::default()));
    }
}

/// A refusal: the code and the reason.
pub type Refusal = (Error, String);

/// Finds and loads the image of a PTX, which came from the file `beside` if it came from one.
///
/// # Errors
///
/// `INVALID_PTX` for a PTX that oxide did not write, or that was edited, or whose image is nowhere; `NO_BINARY_FOR_GPU` for machine code.
pub fn load(ptx: &[u8], beside: Option<&Path>) -> std::result::Result<Image, Refusal> {
    let invalid = |reason: String| (Error::INVALID_PTX, reason);
    if ptx.starts_with(b"\x7fELF") || ptx.starts_with(&0xba55_ed50_u32.to_le_bytes()) {
        return Err((Error::NO_BINARY_FOR_GPU, "this is machine code for a GPU, and the CPU device runs what oxide compiles".into()));
    }
    let key = key(ptx).map_err(invalid)?;
    let bytes = find(key, beside).map_err(invalid)?;
    Image::load(&bytes).map_err(|reason| (Error::SHARED_OBJECT_INIT_FAILED, reason))
}

/// The key of a PTX, which stands in its first line and is that of its content.
pub fn key(ptx: &[u8]) -> std::result::Result<&str, String> {
    let foreign = "no CPU image for this PTX: oxide did not write it, for its first line is not `// oxide KEY`";
    let end = ptx.iter().position(|&byte| byte == b'\n').ok_or(foreign)?;
    let key = str::from_utf8(&ptx[..end]).ok().and_then(|line| line.strip_prefix("// oxide ")).map(str::trim_end);
    let key = key.filter(|key| key.len() == KEY_DIGITS && key.bytes().all(|byte| byte.is_ascii_hexdigit())).ok_or(foreign)?;
    let content = digits(&Sha256::digest(&ptx[end + 1..]));
    if key != content {
        return Err(format!(
            "this PTX was edited after oxide wrote it (key {key}, content {content}): the CPU device runs only what was compiled for it; \
             edit the .ll and compile that, or run this PTX on a GPU"
        ));
    }
    Ok(key)
}

fn digits(hash: &[u8]) -> String {
    hash[..KEY_DIGITS / 2].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of the image with this key.
fn find(key: &str, beside: Option<&Path>) -> std::result::Result<Vec<u8>, String> {
    if let Some(image) = loaded_files().iter().find_map(|path| records::image(path, key)) {
        return Ok(image);
    }
    let mut tried = Vec::new();
    if let (Some(folder), Some(stem)) = (beside.and_then(Path::parent), beside.and_then(Path::file_stem)) {
        tried.push(folder.join(format!("{}.{key}.cpu.so", stem.to_string_lossy())));
    }
    tried.extend(cache().map(|folder| folder.join("cpu").join(format!("{key}.so"))));
    // Reading a pipe would wait for who writes to it.
    tried.iter().filter(|path| path.is_file()).find_map(|path| fs::read(path).ok()).ok_or_else(|| {
        let places: Vec<_> = tried.iter().map(|path| format!(", not at {}", path.display())).collect();
        format!("no CPU image for this PTX (key {key}): it is not in the program or its libraries{}", places.concat())
    })
}

/// The executable and the libraries that are loaded.
fn loaded_files() -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let executable = fs::read_link("/proc/self/exe").ok();
    let code = maps.lines().filter(|line| line.split(' ').nth(1).is_some_and(|permissions| permissions.contains('x')));
    let paths = code.filter_map(|line| Some(PathBuf::from(&line[line.find('/')?..])));
    // This link opens the executable even where its file has been replaced since.
    paths.map(|path| if Some(&path) == executable.as_ref() { "/proc/self/exe".into() } else { path }).collect()
}

/// The cache folder.
fn cache() -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user = || Some(variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?.join("oxide"));
    variable("OXIDE_CACHE").or_else(of_user)
}

/// Reads a file of PTX.
///
/// # Errors
///
/// `FILE_NOT_FOUND`, or `INVALID_IMAGE` where it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::FILE_NOT_FOUND,
        _ => Error::INVALID_IMAGE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_that_of_the_content() {
        let content = ".version 8.0\n";
        let right = digits(&Sha256::digest(content));
        assert_eq!(right.len(), 32);
        assert_eq!(key(format!("// oxide {right}\n{content}").as_bytes()), Ok(right.as_str()));
        let edited = key(format!("// oxide {right}\n.version 8.1\n").as_bytes()).unwrap_err();
        assert!(edited.contains(&format!("edited after oxide wrote it (key {right}, content ")), "{edited}");
        for foreign in ["", ".version 8.0", "// oxide\n", "// oxide 12\n", "// Generated by NVIDIA NVVM Compiler\n"] {
            assert!(key(foreign.as_bytes()).unwrap_err().contains("oxide did not write it"));
        }
    }

    #[test]
    fn what_is_no_image_is_refused() {
        assert!(Image::load(b"\x7fELF and then nothing").is_err_and(|reason| reason.contains("does not load")));
    }

    #[test]
    fn the_executable_is_among_the_loaded_files() {
        assert!(loaded_files().contains(Path::new("/proc/self/exe")));
    }
}
